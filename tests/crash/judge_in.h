/* judge_in.h - what the parts of the judge share */
#ifndef TESTS_CRASH_JUDGE_IN_H
#define TESTS_CRASH_JUDGE_IN_H

#include "judge.h"

/* Returns false. */
bool judge_fault(struct judge *j, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool judge_same_chain(const struct reader_file *a,
		      const struct reader_file *b);
bool judge_zeros(const struct judge *j, const struct reader_file *f,
		 const uint8_t *image, uint32_t from, uint32_t to);
/* The area before the FATs, but for the state byte and FSInfo's counts. */
bool judge_reserved(struct judge *j, const uint8_t *image);
/* Marked dirty, or the old or the new state but for the mark. */
bool judge_mark(struct judge *j, const uint8_t *image);

#endif
