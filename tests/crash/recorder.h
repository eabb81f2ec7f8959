/*
 * recorder.h - a device in memory that logs what is done to it, or fails
 *
 * The log has the writes in order, with their bytes, and the barriers. What
 * is read comes from the memory.
 */
#ifndef TESTS_CRASH_RECORDER_H
#define TESTS_CRASH_RECORDER_H

#include "dev/blk.h"

enum op_kind { OP_READ, OP_WRITE, OP_SYNC, OP_KINDS };

/* One write (a zeroed range is one, too) or one barrier. */
struct op {
	enum op_kind kind;
	enum region region;
	size_t at, len;
	uint8_t *bytes; /* owned */
};

struct log {
	struct op *v;
	size_t n, cap;
};

/* What a failing write leaves on the device; half = whole sectors of it. */
enum torn { TORN_NOTHING, TORN_HALF, TORN_ALL };

struct recorder {
	struct blk blk; /* first */
	uint8_t *image; /* owned */
	struct log log;
	size_t done[OP_KINDS];	  /* calls so far */
	enum op_kind fail_kind;	  /* which call fails: */
	size_t fail_at;		  /* number from 1; 0 = none */
	enum torn torn;
	size_t sector;
	bool failed;
	size_t after_failure;	  /* writes that were tried after it */
};

/* Copies image. Out of memory ends the test program. */
struct recorder *recorder_new(const uint8_t *image, size_t size,
			      size_t sector);
void recorder_free(struct recorder *r); /* accepts NULL */

/* A copy of the log whose ops own their bytes. */
struct log log_copy(const struct log *log);
void log_free(struct log *log);

#endif
