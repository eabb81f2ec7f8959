/*
 * dirread.c - reads directories from positions that can be left and resumed
 *
 * fat/dir.h keeps a buffer for each open directory; a walk over a tree needs
 * thousands of waiting positions. So here one small buffer serves all, and a
 * position is three numbers. Invariant: a position never leaves the part of
 * the chain that was claimed, so every walk ends.
 */
#include "check/dirread.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"

/* Small, because each return from a subdirectory reads a piece again. */
#define PIECE_BYTES 4096u

enum status dirread_open(struct dirread *s, struct check *ck, struct error *err)
{
	*s = (struct dirread){ .ck = ck };
	s->buf = malloc(PIECE_BYTES);
	if (!s->buf)
		return error_set_nomem(err);
	ledger_buffer_add(ck->vol->blk->ledger, PIECE_BYTES);
	return ST_OK;
}

void dirread_close(struct dirread *s)
{
	if (s->buf)
		ledger_buffer_sub(s->ck->vol->blk->ledger, PIECE_BYTES);
	free(s->buf);
	s->buf = NULL;
}

/* Moves on to the cluster that slot at is in. */
static enum status move_to(struct dirread *s, struct dirpos *pos, uint64_t at,
			   struct error *err)
{
	uint64_t want = at / s->ck->bpb->cluster_bytes;
	enum status st = ST_OK;

	while (pos->index < want && !st) {
		st = check_get(s->ck, pos->clus, &pos->clus, err);
		pos->index++;
	}
	return st;
}

/* Where the next slot is, and how much from there on follows; 0 = the end. */
static enum status locate(struct dirread *s, struct dirpos *pos,
			  uint64_t *offset, uint64_t *room, struct error *err)
{
	const struct bpb *bpb = s->ck->bpb;
	uint64_t at = (uint64_t)pos->slot * DIRENT_BYTES;
	uint64_t size = pos->clus ? (uint64_t)pos->clusters *
					    bpb->cluster_bytes
				  : bpb->root_bytes;
	uint64_t image = s->ck->vol->blk->size_bytes;
	enum status st = ST_OK;

	*room = 0;
	if (pos->slot >= DIR_SLOTS_MAX || at + DIRENT_BYTES > size)
		return ST_OK;
	if (pos->clus) {
		st = move_to(s, pos, at, err);
		if (st)
			return st;
		at %= bpb->cluster_bytes;
		*offset = bpb_clus_offset(bpb, pos->clus) + at;
		*room = bpb->cluster_bytes - at;
	} else {
		*offset = bpb->root_offset_bytes + at;
		*room = bpb->root_bytes - at;
	}
	*room = *offset < image ? MIN(*room, image - *offset) : 0;
	return ST_OK;
}

enum status dirread_slot(struct dirread *s, struct dirpos *pos,
			 const uint8_t **slot, uint64_t *offset,
			 struct error *err)
{
	uint64_t room;
	enum status st;

	*slot = NULL;
	st = locate(s, pos, offset, &room, err);
	if (st || room < DIRENT_BYTES)
		return st;
	if (*offset < s->offset ||
	    *offset + DIRENT_BYTES > s->offset + s->len) {
		s->len = 0;
		room = MIN(room, PIECE_BYTES);
		st = blk_read(s->ck->vol->blk, *offset, s->buf, (size_t)room,
			      err);
		if (st)
			return st;
		s->offset = *offset;
		s->len = (size_t)room;
	}
	*slot = s->buf + (*offset - s->offset);
	pos->slot++;
	return check_tick(s->ck, err);
}

/* The next slot before the end mark, where the position stays. */
static enum status next_slot(struct dirread *s, struct dirpos *pos,
			     const uint8_t **slot, uint64_t *offset,
			     struct error *err)
{
	enum status st = dirread_slot(s, pos, slot, offset, err);

	if (!st && *slot && (*slot)[0] == DIRENT_END) {
		*slot = NULL;
		pos->slot--;
	}
	return st;
}

/* The slots that were collected belong to no entry, or not rightly. */
static enum status drop_set(struct dirread *s, enum lfn_fault fault,
			    const struct dir_entry *e, struct error *err)
{
	enum status st = ST_OK;

	if (s->stray && s->set.n)
		st = s->stray(s->arg, &s->set, fault, e, err);
	s->set.n = 0;
	return st;
}

static enum status push(struct dirread *s, const uint8_t *slot,
			uint64_t offset, struct error *err)
{
	struct dirread_set *set = &s->set;
	enum status st = ST_OK;

	if (slot[0] & LFN_LAST)
		st = drop_set(s, LFN_ORPHAN, NULL, err);
	else if (set->n == LFN_SLOTS_MAX)
		st = drop_set(s, LFN_ORDER, NULL, err);
	set->offset[set->n] = offset;
	set->ordinal[set->n++] = slot[0];
	lfn_push(&s->lfn, slot);
	return st;
}

static void fill_entry(struct dirread *s, const uint8_t *slot,
		       struct dir_entry *e)
{
	memcpy(e->raw, slot, DIRENT_BYTES);
	e->attr = slot[11];
	e->clus = dirent_clus(s->ck->bpb->type, slot);
	e->size_bytes = dirent_size(slot);
	e->lfn_fault = LFN_FINE;
	e->has_long = false;
	if (dirent_is_label(slot)) {
		if (lfn_drop(&s->lfn))
			e->lfn_fault = LFN_ORPHAN;
		label_to_utf8(s->ck->cp, slot, e->short_utf8);
	} else {
		e->has_long = lfn_finish(&s->lfn, slot, e->name,
					 &e->lfn_fault);
		short_to_utf8(s->ck->cp, slot, slot[12], e->short_utf8);
	}
	if (!e->has_long)
		strcpy(e->name, e->short_utf8);
}

enum status dirread_next(struct dirread *s, struct dirpos *pos,
		       struct dir_entry *e, bool *more, struct error *err)
{
	const uint8_t *slot;
	enum status st;

	*more = false;
	lfn_drop(&s->lfn);
	s->set.n = 0;
	e->first_slot = pos->slot;
	for (;;) {
		e->slot = pos->slot;
		st = next_slot(s, pos, &slot, &e->offset_bytes, err);
		if (st)
			return st;
		if (!slot)
			return drop_set(s, LFN_ORPHAN, NULL, err);
		if (slot[0] == DIRENT_DELETED) {
			lfn_drop(&s->lfn);
			st = drop_set(s, LFN_ORPHAN, NULL, err);
		} else if (dirent_is_lfn(slot)) {
			if (slot[0] & LFN_LAST)
				e->first_slot = e->slot;
			st = push(s, slot, e->offset_bytes, err);
		} else {
			break;
		}
		if (st)
			return st;
	}
	fill_entry(s, slot, e);
	*more = true;
	if (e->has_long)
		return ST_OK;
	e->first_slot = e->slot;
	return drop_set(s, e->lfn_fault, e, err);
}
