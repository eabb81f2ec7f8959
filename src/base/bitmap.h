/* bitmap.h - one bit per cluster: the only thing that grows with the volume */
#ifndef BASE_BITMAP_H
#define BASE_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

struct bitmap;

/* All bits clear. NULL if out of memory. Pages are touched when first set. */
struct bitmap *bitmap_new(uint64_t bits);
void bitmap_free(struct bitmap *bm); /* accepts NULL */

bool bitmap_get(const struct bitmap *bm, uint64_t bit);
void bitmap_set(struct bitmap *bm, uint64_t bit);
void bitmap_clear(struct bitmap *bm, uint64_t bit);
void bitmap_set_range(struct bitmap *bm, uint64_t first, uint64_t count);

/* Number of set bits. */
uint64_t bitmap_count(const struct bitmap *bm);

/* First set (clear) bit at or after from; the size in bits if there is none. */
uint64_t bitmap_next_set(const struct bitmap *bm, uint64_t from);
uint64_t bitmap_next_clear(const struct bitmap *bm, uint64_t from);
uint64_t bitmap_bits(const struct bitmap *bm);

#endif
