/*
 * dir.c - reads a directory slot by slot
 *
 * Invariants: a position is inside the sound part of the chain, which is
 * known before the first slot is read, so that every walk ends and shows no
 * cluster twice; the buffer holds part of one cluster, or of the root.
 */
#include "fat/dir.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"

#define PIECE_BYTES_MAX (64u << 10)

struct dir {
	const struct volume *vol;
	struct fatwin *win;
	struct codepage *cp;
	bool fixed_root;     /* FAT12/16: not in clusters */
	struct chain chain;
	uint32_t slots_max;  /* that the place has, whatever is in them */
	uint32_t slot;	     /* the next one */
	bool at_end, at_mark;

	clus_t clus;	     /* the one that buf is part of */
	uint32_t clus_used;  /* bytes of it that have been read */
	uint64_t root_used;  /* fixed root, likewise */

	uint8_t *buf;
	size_t cap, len, pos;
	uint64_t buf_offset; /* in the volume */

	struct lfn lfn;
	uint32_t lfn_slot;   /* where the set that is being collected began */
	uint32_t orphans;
};

/* To the next cluster; 0 at the end of the chain, of whatever kind. */
static enum status step(struct fatwin *win, clus_t *c, struct error *err)
{
	uint32_t next;
	enum status st;

	if (!*c)
		return ST_OK;
	st = fatwin_get(win, *c, &next, err);
	if (st)
		return st;
	*c = bpb_has_clus(&win->vol->bpb, next) ? next : 0;
	return ST_OK;
}

/*
 * The clusters of a chain until one comes again, or max if they are more.
 * Two pointers, the loop's length apart, meet where it begins.
 */
static enum status distinct_clusters(struct fatwin *win, clus_t first,
				     clus_t max, clus_t *clusters,
				     struct error *err)
{
	clus_t slow = first, fast, round = 0, tail = 0, i;
	enum status st = ST_OK;

	*clusters = max;
	for (i = 0; i < max && !st; i++)
		st = step(win, &slow, err);
	/* If there is a loop of at most max clusters, slow is in it. */
	fast = slow;
	while (!st && slow && round < max && (!round || fast != slow)) {
		st = step(win, &fast, err);
		round++;
	}
	if (st || !slow || fast != slow)
		return st;
	slow = fast = first;
	for (i = 0; i < round && !st; i++)
		st = step(win, &fast, err);
	while (!st && fast != slow && tail < max) {
		st = step(win, &slow, err);
		if (!st)
			st = step(win, &fast, err);
		tail++;
	}
	*clusters = MIN(tail + round, max);
	return st;
}

/* Finds the sound part of the chain that begins at first. */
static enum status find_chain(struct dir *d, clus_t first, struct error *err)
{
	clus_t max = (clus_t)div_round_up(DIR_SLOTS_MAX * DIRENT_BYTES,
					  d->vol->bpb.cluster_bytes);
	clus_t distinct;
	enum status st;

	st = chain_walk(d->win, first, max, NULL, NULL, &d->chain, err);
	if (st)
		return st;
	if (!first)
		d->chain.end = CHAIN_RANGE; /* no directory is without one */
	if (d->chain.end != CHAIN_LOOP && d->chain.end != CHAIN_LIMIT)
		return ST_OK;
	st = distinct_clusters(d->win, first, max, &distinct, err);
	if (!st)
		st = chain_walk(d->win, first, distinct, NULL, NULL,
				&d->chain, err);
	if (!st && distinct < max)
		d->chain.end = CHAIN_LOOP;
	return st;
}

static enum status place(struct dir *d, clus_t clus, struct error *err)
{
	const struct bpb *bpb = &d->vol->bpb;
	uint64_t slots;
	enum status st;

	if (!clus && bpb->type != FAT32) {
		d->fixed_root = true;
		slots = MIN(bpb->root_entries, bpb->root_bytes / DIRENT_BYTES);
		d->cap = MIN(bpb->root_bytes, PIECE_BYTES_MAX);
	} else {
		st = find_chain(d, clus ? clus : bpb->root_clus, err);
		if (st)
			return st;
		d->clus = d->chain.first;
		slots = (uint64_t)d->chain.clusters *
			(bpb->cluster_bytes / DIRENT_BYTES);
		d->cap = MIN(bpb->cluster_bytes, PIECE_BYTES_MAX);
	}
	d->slots_max = (uint32_t)MIN(slots, DIR_SLOTS_MAX);
	return ST_OK;
}

enum status dir_open(struct dir **out, const struct volume *vol,
		     struct fatwin *win, struct codepage *cp, clus_t clus,
		     struct error *err)
{
	struct dir *d = calloc(1, sizeof(*d));
	enum status st;

	if (!d)
		return error_set_nomem(err);
	d->vol = vol;
	d->win = win;
	d->cp = cp;
	st = place(d, clus, err);
	if (st)
		goto out;
	d->buf = malloc(MAX(d->cap, 1));
	if (!d->buf) {
		st = error_set_nomem(err);
		goto out;
	}
	if (vol->blk->ledger)
		ledger_buffer_add(vol->blk->ledger, d->cap);
	*out = d;
	d = NULL;
out:
	dir_close(d);
	return st;
}

void dir_close(struct dir *d)
{
	if (!d)
		return;
	if (d->buf && d->vol->blk->ledger)
		ledger_buffer_sub(d->vol->blk->ledger, d->cap);
	free(d->buf);
	free(d);
}

/* Where the next piece is; there is one, because slot < slots_max. */
static enum status next_piece(struct dir *d, struct error *err)
{
	const struct bpb *bpb = &d->vol->bpb;
	enum status st;

	if (d->fixed_root) {
		d->buf_offset = bpb->root_offset_bytes + d->root_used;
		d->len = MIN(d->cap, bpb->root_bytes - d->root_used);
		d->root_used += d->len;
		return ST_OK;
	}
	if (d->clus_used == bpb->cluster_bytes) {
		st = step(d->win, &d->clus, err);
		if (st)
			return st;
		if (!d->clus)
			return error_set(err, ST_IO, "a directory's chain "
					 "changed while it was read");
		d->clus_used = 0;
	}
	d->buf_offset = bpb_clus_offset(bpb, d->clus) + d->clus_used;
	d->len = MIN(d->cap, bpb->cluster_bytes - d->clus_used);
	d->clus_used += (uint32_t)d->len;
	return ST_OK;
}

static enum status fill(struct dir *d, struct error *err)
{
	enum status st = next_piece(d, err);

	d->pos = 0;
	if (!st)
		st = blk_read(d->vol->blk, d->buf_offset, d->buf, d->len, err);
	if (st)
		d->at_end = true;
	return st;
}

enum status dir_next_slot(struct dir *d, const uint8_t **slot_bytes,
			  uint32_t *slot, uint64_t *offset_bytes,
			  struct error *err)
{
	enum status st;

	*slot_bytes = NULL;
	if (d->slot == d->slots_max)
		d->at_end = true;
	if (d->at_end)
		return ST_OK;
	if (d->pos == d->len) {
		st = fill(d, err);
		if (st)
			return st;
	}
	if (d->buf[d->pos] == DIRENT_END) {
		d->at_end = true;
		d->at_mark = true;
		return ST_OK;
	}
	*slot_bytes = d->buf + d->pos;
	*slot = d->slot++;
	*offset_bytes = d->buf_offset + d->pos;
	d->pos += DIRENT_BYTES;
	return ST_OK;
}

static void name_entry(struct dir *d, struct dir_entry *e)
{
	unsigned pushed = d->lfn.pushed, set = d->lfn.slots;

	if (dirent_is_label(e->raw)) {
		label_to_utf8(d->cp, e->raw, e->short_utf8);
		e->has_long = false;
		e->lfn_fault = pushed ? LFN_ORPHAN : LFN_FINE;
		d->orphans += lfn_drop(&d->lfn);
	} else {
		short_to_utf8(d->cp, e->raw, e->raw[12], e->short_utf8);
		e->has_long = lfn_finish(&d->lfn, e->raw, e->name,
					 &e->lfn_fault);
		d->orphans += e->has_long ? pushed - set : pushed;
	}
	if (e->has_long)
		e->first_slot = d->lfn_slot;
	else
		strcpy(e->name, e->short_utf8);
}

enum status dir_next(struct dir *d, struct dir_entry *e, bool *more,
		     struct error *err)
{
	const uint8_t *s;
	enum status st;

	*more = false;
	for (;;) {
		st = dir_next_slot(d, &s, &e->slot, &e->offset_bytes, err);
		if (st)
			return st;
		if (!s || s[0] == DIRENT_DELETED)
			d->orphans += lfn_drop(&d->lfn);
		if (!s)
			return ST_OK;
		if (s[0] == DIRENT_DELETED)
			continue;
		if (!dirent_is_lfn(s))
			break;
		if (s[0] & LFN_LAST)
			d->lfn_slot = e->slot;
		lfn_push(&d->lfn, s);
	}
	memcpy(e->raw, s, DIRENT_BYTES);
	e->first_slot = e->slot;
	e->attr = s[11];
	e->clus = dirent_clus(d->vol->bpb.type, s);
	e->size_bytes = dirent_size(s);
	name_entry(d, e);
	*more = true;
	return ST_OK;
}

const struct chain *dir_chain(const struct dir *d)
{
	return &d->chain;
}

enum chain_end dir_chain_end(const struct dir *d)
{
	return d->chain.end;
}

uint32_t dir_slots(const struct dir *d)
{
	return d->slot;
}

bool dir_at_mark(const struct dir *d)
{
	return d->at_mark;
}

uint32_t dir_orphans(const struct dir *d)
{
	return d->orphans;
}
