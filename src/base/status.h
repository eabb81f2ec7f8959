/* status.h - one enum of outcomes, and the sentence that goes with a bad one */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum status {
	ST_OK = 0,
	ST_REFUSED,   /* a request can't be met or the volume is refused */
	ST_IO,	      /* the image can't be opened, read or written */
	ST_NOT_FAT,   /* there is no FAT volume at that place */
	ST_USAGE,     /* the caller asked for something that makes no sense */
	ST_CANCELLED, /* a signal came before the first write */
	ST_NOMEM,     /* out of memory */
};

/*
 * What went wrong, for people. The first function that notices fills it;
 * callers pass it up untouched. Zero-initialise it.
 */
struct error {
	enum status code;
	int sys_errno;	       /* 0 if no system call was involved */
	bool has_offset;
	uint64_t offset_bytes; /* place on the device, if has_offset */
	char text[1024];       /* one sentence, no newline, no final dot */
};

/* Fills *err (may be NULL) and returns code. */
enum status error_set(struct error *err, enum status code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set(), and appends ": " and strerror(sys_errno). */
enum status error_set_sys(struct error *err, enum status code, int sys_errno,
			  const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Adds the place on the device, in bytes, and leaves the text as it is; returns
 * err->code, ST_IO if err is NULL.
 */
enum status error_set_offset(struct error *err, uint64_t offset_bytes);

/* ST_NOMEM with its sentence. */
enum status error_set_nomem(struct error *err);

#endif
