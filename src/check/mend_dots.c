/*
 * mend_dots.c - puts "." and ".." into the first two slots
 *
 * What is in their place and is no dot entry moves, long names and all, to
 * the first free slots that are enough for it. Invariants: an entry that
 * moves is not judged in the same round (walk_frame.moved), so nothing else
 * changes its bytes; a cut leaves it in the old place, or in both.
 */
#include <string.h>

#include "base/bytes.h"
#include "check/check_dir.h"

#define AT_TIMES   13
#define TIMES	   13 /* bytes, and the cluster's high half among them */
#define AT_CREATED 16
#define AT_ACCESS  18
#define AT_WRITTEN 24
#define UNKNOWN_DATE 0x0021 /* 1980-01-01 */

/* Two entries at most, one of them a single slot. */
#define BLOCK_MAX (LFN_SLOTS_MAX + 2)

/* The slots that have to move: from first to before end. */
struct block {
	uint32_t first, end;
	uint64_t offset[BLOCK_MAX];
	uint8_t raw[BLOCK_MAX][DIRENT_BYTES];
};

/* Where to: from slot pos.slot on. */
struct gap {
	struct dirpos pos;
	uint32_t slots;
	bool at_end;	/* it takes the end mark, */
	uint64_t end;	/* of the slot at this offset, */
	uint32_t after;	/* the one before this slot */
};

static void make_dot(const struct dirscan *d, const struct dots *dots,
		     unsigned i, uint8_t out[DIRENT_BYTES])
{
	const uint8_t *other = dots->raw[!i];

	memset(out, 0, DIRENT_BYTES);
	memset(out, ' ', DIRENT_NAME_BYTES);
	memset(out, '.', i + 1);
	out[11] = ATTR_DIR;
	if (dot_is_right(dots, !i)) {
		memcpy(out + AT_TIMES, other + AT_TIMES, TIMES);
	} else {
		put_le16(out + AT_CREATED, UNKNOWN_DATE);
		put_le16(out + AT_ACCESS, UNKNOWN_DATE);
		put_le16(out + AT_WRITTEN, UNKNOWN_DATE);
	}
	put_le16(out + 20, 0);
	dirent_set_clus(d->ck->bpb->type, out, dot_target(d->w, i));
}

/* As dirread_slot() where there must be a slot. */
static enum status next_slot(struct dirscan *d, struct dirpos *pos,
			     const uint8_t **slot, uint64_t *offset,
			     struct error *err)
{
	enum status st = dirread_slot(&d->w->reader, pos, slot, offset, err);

	if (st || *slot)
		return st;
	return error_set(err, ST_IO, "a directory changed while it was read");
}

/* Does somebody's entry or long name stand in slot i? */
static bool is_occupied(const struct dots *dots, unsigned i)
{
	return dots->n > i && dots->live[i] && !dirent_is_dot(dots->raw[i]);
}

/* The entries that stand in the first two slots, whole. */
static enum status find_block(struct dirscan *d, const struct dots *dots,
			      struct block *b, struct error *err)
{
	struct dirpos pos = d->w->frames[d->w->depth - 1].pos;
	struct dir_entry e = { .slot = 0 };
	enum status st = ST_OK;
	bool more = true;

	b->first = is_occupied(dots, 0) ? 0 : 1;
	b->end = b->first;
	if (!is_occupied(dots, b->first))
		return ST_OK;
	while (!st && more) {
		st = dirread_next(&d->w->reader, &pos, &e, &more, err);
		if (st || !more || e.first_slot > 1)
			break;
		if (is_occupied(dots, e.first_slot))
			b->end = e.slot + 1;
	}
	return st;
}

static enum status read_block(struct dirscan *d, struct block *b,
			      struct error *err)
{
	struct dirpos pos = d->w->frames[d->w->depth - 1].pos;
	const uint8_t *slot;
	uint64_t offset;
	enum status st = ST_OK;
	uint32_t i;

	for (i = 0; i < b->end && !st; i++) {
		st = next_slot(d, &pos, &slot, &offset, err);
		if (st || i < b->first)
			continue;
		b->offset[i - b->first] = offset;
		memcpy(b->raw[i - b->first], slot, DIRENT_BYTES);
	}
	return st;
}

/* The first free slots that are enough; *found. */
static enum status find_gap(struct dirscan *d, uint32_t need, struct gap *g,
			    bool *found, struct error *err)
{
	struct dirpos pos = d->w->frames[d->w->depth - 1].pos, before;
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	*found = false;
	for (;;) {
		before = pos;
		st = dirread_slot(&d->w->reader, &pos, &slot, &offset, err);
		if (st || !slot)
			return st;
		if (slot[0] == DIRENT_END && !g->at_end) {
			g->at_end = true;
			g->end = offset;
			g->after = pos.slot;
		}
		if (before.slot < 2 || (!g->at_end &&
					slot[0] != DIRENT_DELETED)) {
			g->slots = 0;
			continue;
		}
		if (!g->slots++)
			g->pos = before;
		if (g->slots == need) {
			*found = true;
			return ST_OK;
		}
	}
}

/* What stands behind must stay behind an end mark. */
static enum status put_end(struct dirscan *d, struct dirpos pos,
			   struct error *err)
{
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	st = dirread_slot(&d->w->reader, &pos, &slot, &offset, err);
	return st || !slot ? st : repair_end_mark(d->ck, offset, slot, err);
}

static enum status copy_block(struct dirscan *d, const struct block *b,
			      const struct gap *g, struct error *err)
{
	static const uint8_t deleted = DIRENT_DELETED;
	struct dirpos pos = g->pos;
	enum status st = ST_OK;
	uint32_t sector = d->ck->bpb->sector_bytes, i;
	const uint8_t *slot;
	uint64_t offset;
	bool hidden;

	for (i = 0; i < b->end - b->first && !st; i++) {
		hidden = g->at_end && pos.slot >= g->after;
		st = next_slot(d, &pos, &slot, &offset, err);
		hidden &= offset / sector != g->end / sector;
		if (!st)
			st = repair_slot(d->ck, offset, slot, b->raw[i],
					 hidden, err);
		if (!st && b->first + i > 1)
			st = repair_bytes(d->ck, REGION_DIR, b->offset[i],
					  b->raw[i], &deleted, 1, err);
	}
	return st || !g->at_end ? st : put_end(d, pos, err);
}

static enum status write_dots(struct dirscan *d, const struct dots *dots,
			      bool moved, struct error *err)
{
	struct dirpos pos = d->w->frames[d->w->depth - 1].pos;
	uint8_t new[DIRENT_BYTES];
	enum status st = ST_OK;
	const uint8_t *slot;
	uint64_t offset;
	unsigned i;

	for (i = 0; i < 2 && !st; i++) {
		st = next_slot(d, &pos, &slot, &offset, err);
		if (st || dot_is_right(dots, i))
			continue;
		make_dot(d, dots, i, new);
		/* A free slot: no lost chain may take it in this round. */
		if (!dots->live[i])
			repair_tree_changes(d->ck);
		st = repair_bytes(d->ck, REGION_DIR, offset, dots->raw[i],
				  new, DIRENT_BYTES, err);
	}
	/* Nothing was live behind them. */
	if (!st && !moved && (dots->raw[0][0] == DIRENT_END ||
			      dots->raw[1][0] == DIRENT_END))
		st = put_end(d, pos, err);
	return st;
}

/* A cluster more, and the next round will find a gap. */
static enum status make_room(struct dirscan *d, struct error *err)
{
	struct finding f = { .id = PROBLEM_DOT_ENTRIES };
	struct growth g;
	enum status st;
	bool fix;

	st = grow_find(d->ck, d->w->frames[d->w->depth - 1].pos, &g, err);
	if (st)
		return st;
	if (!g.clus)
		return walk_add(d->w, NULL, f, err);
	f.id = PROBLEM_DOT_ROOM;
	st = walk_offer(d->w, NULL, f, &fix, err);
	return st || !fix ? st : grow_plan(d->ck, &g, err);
}

enum status mend_dots(struct dirscan *d, const struct dots *dots,
		      struct error *err)
{
	struct finding f = { .id = PROBLEM_DOT_ENTRIES };
	struct gap g = { .slots = 0 };
	struct block b;
	enum status st;
	bool found = true, fix;

	/* What else is wrong in this directory may make room for them. */
	if (d->dots_wait)
		return ST_OK;
	st = find_block(d, dots, &b, err);
	if (!st && b.end > b.first)
		st = find_gap(d, b.end - b.first, &g, &found, err);
	if (st)
		return st;
	if (dots->n < 2)
		return walk_add(d->w, NULL, f, err);
	if (!found)
		return make_room(d, err);
	st = walk_offer(d->w, NULL, f, &fix, err);
	if (st || !fix)
		return st;
	if (b.end > b.first) {
		d->w->frames[d->w->depth - 1].moved = b.end;
		repair_tree_changes(d->ck);
		st = read_block(d, &b, err);
		if (!st)
			st = copy_block(d, &b, &g, err);
	}
	return st ? st : write_dots(d, dots, b.end > b.first, err);
}
