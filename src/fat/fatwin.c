/*
 * fatwin.c - a window on one FAT copy, with read-ahead that adapts
 *
 * Invariants: buf holds the copy's bytes [start, end); cap is at least
 * VOLUME_WINDOW_MIN or the whole table, so the whole of a FAT12 (at most
 * 6,129 bytes of entries) fits and no entry ever straddles the window's end;
 * slack behind the last cluster's entry is never read.
 */
#include "fat/fatwin.h"

#include <stdlib.h>

#include "base/ckd.h"

#define AHEAD_MIN 4096u

/* Bytes of a copy that hold entries. */
static uint64_t table_bytes(const struct bpb *bpb)
{
	return fatent_offset(bpb->type, bpb->last_clus) +
	       fatent_bytes(bpb->type);
}

enum status fatwin_open(struct fatwin *w, const struct volume *vol,
			unsigned copy, struct error *err)
{
	uint64_t table = table_bytes(&vol->bpb);

	*w = (struct fatwin){ .vol = vol, .copy = copy };
	w->cap = (size_t)MIN(table, MAX(vol->window_bytes, VOLUME_WINDOW_MIN));
	w->ahead = vol->bpb.type == FAT12 ? w->cap : MIN(AHEAD_MIN, w->cap);
	w->buf = malloc(w->cap);
	if (!w->buf)
		return error_set_nomem(err);
	if (vol->blk->ledger)
		ledger_buffer_add(vol->blk->ledger, w->cap);
	return ST_OK;
}

void fatwin_close(struct fatwin *w)
{
	if (w->buf && w->vol->blk->ledger)
		ledger_buffer_sub(w->vol->blk->ledger, w->cap);
	free(w->buf);
	*w = (struct fatwin){ 0 };
}

/* Windows start at multiples of AHEAD_MIN, so of every entry width but 12. */
static enum status fill(struct fatwin *w, uint64_t offset, struct error *err)
{
	const struct bpb *bpb = &w->vol->bpb;
	uint64_t start = offset - offset % AHEAD_MIN, len;
	bool sequential = start == w->end && w->end;
	enum status st;

	if (bpb->type == FAT12)
		start = 0;
	else if (sequential)
		w->ahead = MIN(w->ahead * 2, w->cap);
	else
		w->ahead = MIN(AHEAD_MIN, w->cap);
	len = MIN(w->ahead, table_bytes(bpb) - start);
	w->start = w->end = 0;
	st = blk_read(w->vol->blk, bpb_fat_copy_offset(bpb, w->copy) + start,
		      w->buf, (size_t)len, err);
	if (st)
		return st;
	w->start = start;
	w->end = start + len;
	return ST_OK;
}

enum status fatwin_get(struct fatwin *w, clus_t c, uint32_t *value,
		       struct error *err)
{
	const struct bpb *bpb = &w->vol->bpb;
	uint64_t offset = fatent_offset(bpb->type, c);
	enum status st;

	if (c > bpb->last_clus)
		return error_set(err, ST_IO, "cluster %u has no FAT entry", c);
	if (offset < w->start || offset + fatent_bytes(bpb->type) > w->end) {
		st = fill(w, offset, err);
		if (st)
			return st;
	}
	*value = fatent_load(bpb->type, w->buf + (offset - w->start), c);
	return ST_OK;
}
