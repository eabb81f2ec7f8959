/* ckd.h - checked arithmetic; the names are those of C23's <stdckdint.h> */
#ifndef BASE_CKD_H
#define BASE_CKD_H

#include <stdint.h>

/* Each stores the wrapped result in *r and is true if it did not fit. */
#define ckd_add(r, a, b) __builtin_add_overflow((a), (b), (r))
#define ckd_sub(r, a, b) __builtin_sub_overflow((a), (b), (r))
#define ckd_mul(r, a, b) __builtin_mul_overflow((a), (b), (r))

static inline uint64_t div_round_up(uint64_t n, uint64_t d)
{
	return n / d + (n % d != 0);
}

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
