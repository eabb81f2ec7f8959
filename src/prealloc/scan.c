/*
 * scan.c - the one pass over the FAT
 *
 * Each copy is read once, a window at a time; two windows are all the memory
 * it takes. Invariant: the run that is open at a window's end goes on in the
 * next one, so runs do not depend on the size of the window.
 */
#include "prealloc/scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"

struct scan {
	const struct volume *vol;
	const struct bitmap *watch;
	scan_run_fn *fn;
	void *arg;
	struct scan_stats *stats;
	struct run open;
	uint8_t *buf, *other; /* the copy that is read; another one */
	size_t buf_bytes;
};

static unsigned log2_of(clus_t n)
{
	return 31u - (unsigned)__builtin_clz(n);
}

static enum status close_run(struct scan *s, struct error *err)
{
	struct run r = s->open;

	if (!r.count)
		return ST_OK;
	s->open.count = 0;
	s->stats->free += r.count;
	s->stats->free_runs++;
	s->stats->histogram[log2_of(r.count)]++;
	if (r.count > s->stats->largest.count)
		s->stats->largest = r;
	return s->fn ? s->fn(s->arg, r, err) : ST_OK;
}

static void watch_link(struct scan *s, uint32_t value)
{
	if (s->watch && bpb_has_clus(&s->vol->bpb, value) &&
	    bitmap_get(s->watch, value))
		s->stats->links_watched++;
}

static enum status take_entries(struct scan *s, clus_t first, clus_t count,
				const uint8_t *p, struct error *err)
{
	const enum fat_type type = s->vol->bpb.type;
	const uint64_t base = fatent_offset(type, first);
	uint32_t value;
	clus_t i, c;
	enum status st = ST_OK;

	/* FAT[0] and FAT[1] are no clusters. */
	for (i = first ? 0 : 2; !st && i < count; i++) {
		c = first + i;
		value = fatent_load(type, p + (fatent_offset(type, c) - base),
				    c);
		if (value != FATENT_FREE) {
			watch_link(s, value);
			st = close_run(s, err);
		} else if (s->open.count) {
			s->open.count++;
		} else {
			s->open = (struct run){ c, 1 };
		}
	}
	return st;
}

static enum status compare_entries(struct scan *s, clus_t first, clus_t count,
				   unsigned copy, struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	const uint64_t base = fatent_offset(bpb->type, first);
	uint64_t at;
	clus_t c;

	for (c = first; c - first < count; c++) {
		at = fatent_offset(bpb->type, c) - base;
		if (fatent_load(bpb->type, s->buf + at, c) ==
		    fatent_load(bpb->type, s->other + at, c))
			continue;
		error_set(err, ST_REFUSED,
			  "FAT copies 1 and %u differ at entry %u; "
			  "run fatfsck first", copy + 1, c);
		return error_set_offset(
			err, s->vol->blk->base_bytes +
				     bpb_fat_copy_offset(bpb, copy) + base +
				     at);
	}
	return ST_OK;
}

/* The entries of clusters first to first + count - 1, in every copy. */
static enum status scan_window(struct scan *s, clus_t first, clus_t count,
			       struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	unsigned copy, main_copy = bpb->mirrored ? 0 : bpb->active_fat;
	uint64_t offset = fatent_offset(bpb->type, first);
	size_t len = (size_t)(fatent_offset(bpb->type, first + count - 1) +
			      fatent_bytes(bpb->type) - offset);
	enum status st;

	st = blk_read(s->vol->blk, bpb_fat_copy_offset(bpb, main_copy) + offset,
		      s->buf, len, err);
	for (copy = 1; !st && bpb->mirrored && copy < bpb->fat_copies;
	     copy++) {
		st = blk_read(s->vol->blk,
			      bpb_fat_copy_offset(bpb, copy) + offset,
			      s->other, len, err);
		if (!st && memcmp(s->buf, s->other, len))
			st = compare_entries(s, first, count, copy, err);
	}
	return st ? st : take_entries(s, first, count, s->buf, err);
}

/* An even number of whole entries, so that FAT12 pairs stay together. */
static clus_t window_entries(const struct scan *s)
{
	return (clus_t)(s->buf_bytes / 4 & ~(size_t)1);
}

static enum status scan_all(struct scan *s, struct error *err)
{
	const clus_t last = s->vol->bpb.last_clus;
	clus_t first = 0, count;
	enum status st = ST_OK;

	for (; !st && first <= last; first += count) {
		count = MIN(window_entries(s), last - first + 1);
		st = scan_window(s, first, count, err);
	}
	return st ? st : close_run(s, err);
}

enum status scan_free(const struct volume *vol, const struct bitmap *watch,
		      scan_run_fn *fn, void *arg, struct scan_stats *stats,
		      struct error *err)
{
	struct scan s = { .vol = vol,
			  .watch = watch,
			  .fn = fn,
			  .arg = arg,
			  .stats = stats };
	struct ledger *lg = vol->blk->ledger;
	enum status st = ST_NOMEM;

	*stats = (struct scan_stats){ 0 };
	s.buf_bytes = vol->window_bytes;
	s.buf = malloc(s.buf_bytes);
	s.other = malloc(s.buf_bytes);
	if (lg)
		ledger_buffer_add(lg, 2 * s.buf_bytes);
	if (s.buf && s.other)
		st = scan_all(&s, err);
	else
		error_set_nomem(err);
	if (lg)
		ledger_buffer_sub(lg, 2 * s.buf_bytes);
	free(s.buf);
	free(s.other);
	return st;
}
