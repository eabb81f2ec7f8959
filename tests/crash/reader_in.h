/* reader_in.h - what reader.c and reader_dir.c share */
#ifndef TESTS_CRASH_READER_IN_H
#define TESTS_CRASH_READER_IN_H

#include "reader.h"

#define READER_NOBODY (-1)
#define READER_ROOT   (-2)

/* Returns false. */
bool reader_fault(struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static inline uint32_t reader_le(const uint8_t *p, unsigned bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/* Claims the chain from c for owner; its clusters are appended to chains. */
bool reader_chain(struct reader *r, int owner, const char *path, uint32_t c,
		  uint32_t **chain, uint32_t *n);

/* Reads the directory with this index (-1 = the root) and adds its files. */
bool reader_dir(struct reader *r, const uint8_t *image, int dir);

#endif
