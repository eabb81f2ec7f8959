/* undo_in.h - what undo.c, which writes, and undo_read.c share */
#ifndef CHANGE_UNDO_IN_H
#define CHANGE_UNDO_IN_H

#include "change/undo.h"

#define UNDO_HEADER_BYTES 128
#define UNDO_SLOT_BYTES	  4096 /* from header to header; no sector is larger */
#define UNDO_LOG_AT	  (2 * UNDO_SLOT_BYTES)
#define UNDO_HEAD	  16
#define UNDO_TAIL	  4
#define UNDO_BLOCK_MAX	  (1u << 20)
#define UNDO_BEGIN_MAX	  (8u << 20)

enum {
	UNDO_AT_UUID = 8,
	UNDO_AT_DEVICE = 24,
	UNDO_AT_OFFSET = 32,
	UNDO_AT_SERIAL = 40,
	UNDO_AT_STATE = 44,
	UNDO_AT_LOG = 48,
	UNDO_AT_BLOCKS = 56,
	UNDO_AT_LEFT = 64,
	UNDO_AT_NUMBER = 68,
	UNDO_AT_BEGIN = 72,
	UNDO_AT_BEGIN_CRC = 76,
	UNDO_AT_CHECK = 124,
};

enum undo_state { UNDO_OPEN, UNDO_FINISHED, UNDO_ROLLBACK };

struct undo {
	int fd;
	char *path;
	uint8_t header[UNDO_HEADER_BYTES]; /* the last one written or read */
	uint64_t log_bytes; /* in the log, durable or not */
	uint64_t n;	    /* blocks likewise */
	uint64_t left;	    /* of the log, to be played back */
	uint8_t *buf;	    /* a block with head and tail */
	struct ledger *ledger; /* that buf is entered in; may be NULL */
};

extern const char undo_magic[8];

struct undo *undo_new(const char *path, struct ledger *ledger);
uint32_t undo_crc(uint32_t crc, const uint8_t *p, size_t len);
uint64_t undo_get64(const uint8_t *p);
/* Returns ST_IO with errno and what could not be done. */
enum status undo_failed(const struct undo *u, const char *what,
			struct error *err);

/* undo_read.c: false at the end of the file and on an error. */
bool undo_get(struct undo *u, uint64_t at, uint8_t *p, size_t len);
/*
 * The block at `at` of the log into buf, checked. ST_REFUSED if it is no
 * whole block that ends before log_bytes.
 */
enum status undo_load(struct undo *u, uint64_t at, uint64_t *offset,
		      uint32_t *len, struct error *err);
/* Of what vol holds in the places of all blocks, in the order of the log. */
enum status undo_checksum(struct undo *u, const struct volume *vol,
			  uint32_t *crc, struct error *err);

#endif
