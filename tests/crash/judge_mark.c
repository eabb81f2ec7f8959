/*
 * judge_mark.c - the dirty mark, and the area before the FATs
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "judge_in.h"

#define FSINFO_COUNTS 488 /* free count and next-free hint: 8 bytes */

bool judge_fault(struct judge *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->fault, sizeof(j->fault), fmt, ap);
	va_end(ap);
	return false;
}

/* Is this byte one of the two counts of FSInfo or its backup? */
static bool is_count(const struct reader *r, size_t at)
{
	size_t primary = (size_t)r->fsinfo * r->sector + FSINFO_COUNTS;
	size_t backup = primary + (size_t)r->backup * r->sector;

	if (r->type != 32 || !r->fsinfo || r->fsinfo == 0xFFFF)
		return false;
	return (at >= primary && at < primary + 8) ||
	       (r->backup && at >= backup && at < backup + 8);
}

bool judge_reserved(struct judge *j, const uint8_t *image)
{
	const struct reader *r = &j->old;
	size_t i;

	if (!memcmp(image, j->before, r->fat))
		return true;
	for (i = 0; i < r->fat; i++) {
		if (image[i] == j->before[i] || is_count(r, i))
			continue;
		if (i != r->state || !i || (image[i] ^ j->before[i]) & ~1)
			return judge_fault(j, "byte %zu before the FATs "
					   "changed", i);
	}
	return true;
}

/* The bits of this byte that are a dirty mark. */
static uint8_t mark_bits(const struct reader *r, size_t at)
{
	unsigned k;

	if (r->state && at == r->state)
		return 0x01;
	for (k = 0; k < r->copies; k++) {
		if (r->type == 16 && at == r->fat + k * r->fat_bytes + 3)
			return 0x80;
		if (r->type == 32 && at == r->fat + k * r->fat_bytes + 7)
			return 0x08;
	}
	return 0;
}

static bool same_but_mark(const struct judge *j, const uint8_t *a,
			  const uint8_t *b)
{
	const size_t step = 512;
	size_t i, k, end;

	for (i = 0; i < j->size; i += step) {
		end = i + step < j->size ? i + step : j->size;
		if (!memcmp(a + i, b + i, end - i))
			continue;
		for (k = i; k < end; k++)
			if ((a[k] ^ b[k]) & ~mark_bits(&j->old, k))
				return false;
	}
	return true;
}

bool judge_mark(struct judge *j, const uint8_t *image)
{
	const struct reader *r = &j->now;

	if ((!r->state && r->type == 12) || reader_is_dirty(r, image) ||
	    same_but_mark(j, image, j->before) ||
	    same_but_mark(j, image, j->after))
		return true;
	return judge_fault(j, "neither old nor new, and not marked dirty");
}
