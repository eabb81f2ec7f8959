/*
 * bitmap.c - one bit per cluster
 *
 * Bits past the size in the last word are always clear. A bit number past
 * the size is a caller's bug, never data from a disk, and asserted.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/bitmap.h"
#include "base/ckd.h"

#define WORD_BITS 64u

struct bitmap {
	uint64_t bits;
	uint64_t words;
	uint64_t *w;
};

struct bitmap *bitmap_new(uint64_t bits)
{
	struct bitmap *bm = calloc(1, sizeof(*bm));

	if (!bm)
		return NULL;
	bm->bits = bits;
	bm->words = div_round_up(bits, WORD_BITS);
	if (bm->words > SIZE_MAX / sizeof(*bm->w)) {
		free(bm);
		return NULL;
	}
	/* calloc() takes large blocks from the kernel, untouched and zero. */
	bm->w = calloc(bm->words ? (size_t)bm->words : 1, sizeof(*bm->w));
	if (!bm->w) {
		free(bm);
		return NULL;
	}
	return bm;
}

void bitmap_free(struct bitmap *bm)
{
	if (!bm)
		return;
	free(bm->w);
	free(bm);
}

static uint64_t mask_of(uint64_t bit)
{
	return UINT64_C(1) << bit % WORD_BITS;
}

bool bitmap_get(const struct bitmap *bm, uint64_t bit)
{
	assert(bit < bm->bits);
	return bm->w[bit / WORD_BITS] & mask_of(bit);
}

void bitmap_set(struct bitmap *bm, uint64_t bit)
{
	assert(bit < bm->bits);
	bm->w[bit / WORD_BITS] |= mask_of(bit);
}

void bitmap_clear(struct bitmap *bm, uint64_t bit)
{
	assert(bit < bm->bits);
	bm->w[bit / WORD_BITS] &= ~mask_of(bit);
}

void bitmap_set_range(struct bitmap *bm, uint64_t first, uint64_t count)
{
	uint64_t end, bit, n, ones;

	assert(first <= bm->bits && count <= bm->bits - first);
	end = first + count;
	for (bit = first; bit < end; bit += n) {
		n = MIN(WORD_BITS - bit % WORD_BITS, end - bit);
		ones = n == WORD_BITS ? UINT64_MAX : mask_of(n) - 1;
		bm->w[bit / WORD_BITS] |= ones << bit % WORD_BITS;
	}
}

uint64_t bitmap_count(const struct bitmap *bm)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < bm->words; i++)
		sum += (uint64_t)__builtin_popcountll(bm->w[i]);
	return sum;
}

/* First bit at or after from that is set in the words xor'ed with flip. */
static uint64_t next_bit(const struct bitmap *bm, uint64_t from, uint64_t flip)
{
	uint64_t i, word, bit;

	if (from >= bm->bits)
		return bm->bits;
	i = from / WORD_BITS;
	word = (bm->w[i] ^ flip) & ~(mask_of(from) - 1);
	while (!word) {
		if (++i == bm->words)
			return bm->bits;
		word = bm->w[i] ^ flip;
	}
	bit = i * WORD_BITS + (uint64_t)__builtin_ctzll(word);
	return MIN(bit, bm->bits); /* flipped, the last word has ones past it */
}

uint64_t bitmap_next_set(const struct bitmap *bm, uint64_t from)
{
	return next_bit(bm, from, 0);
}

uint64_t bitmap_next_clear(const struct bitmap *bm, uint64_t from)
{
	return next_bit(bm, from, UINT64_MAX);
}

uint64_t bitmap_bits(const struct bitmap *bm)
{
	return bm->bits;
}
