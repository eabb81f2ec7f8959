/*
 * grow.c - one more cluster for a directory that is full
 *
 * Invariant: the free clusters of a round are given out in order, each once,
 * and to nobody who finds it free as well: they count as used;
 * ck->grow_next is the first that may still be.
 */
#include "check/check_dir.h"

#include "base/ckd.h"
#include "change/straddle.h"
#include "check/repair_in.h"

/* Its last cluster, 0 if that has no end mark or nothing may follow. */
static enum status find_last(struct check *ck, struct dirpos start,
			     clus_t *last, uint32_t *mark, struct error *err)
{
	uint32_t slots = ck->bpb->cluster_bytes / DIRENT_BYTES;
	enum status st = ST_OK;
	clus_t i;

	*last = 0;
	*mark = start.clus;
	if (!start.clus || start.clusters >= DIR_SLOTS_MAX / slots)
		return ST_OK;
	for (i = 0; i < start.clusters && !st; i++) {
		start.clus = *mark;
		st = check_get(ck, start.clus, mark, err);
	}
	if (!st && fatent_is_eoc(ck->bpb->type, *mark))
		*last = start.clus;
	return st;
}

enum status grow_find_free(struct check *ck, clus_t *c, struct error *err)
{
	uint64_t end = MIN(ck->bpb->last_clus, ck->image_last_clus);
	uint32_t value = FATENT_FREE;
	enum status st = ST_OK;
	uint64_t at = MAX(ck->grow_next, 2);

	*c = 0;
	for (; at <= end && !st && !*c; at++) {
		st = check_get(ck, (clus_t)at, &value, err);
		if (!st && value == FATENT_FREE &&
		    !bitmap_get(ck->used, at)) {
			*c = (clus_t)at;
			bitmap_set(ck->used, at);
		}
		if (!st)
			st = check_tick(ck, err);
	}
	ck->grow_next = (clus_t)at;
	return st;
}

/* On FAT12, is there a safe order to write the link? */
static bool can_be_linked(const struct check *ck, const struct growth *g)
{
	struct straddle_step step;

	return !straddle_is(ck->bpb, g->last) ||
	       straddle_find(g->last, g->mark, g->clus, NULL, &step);
}

enum status grow_find(struct check *ck, struct dirpos start,
		      struct growth *g, struct error *err)
{
	enum status st;

	g->clus = 0;
	st = find_last(ck, start, &g->last, &g->mark, err);
	if (st || !g->last)
		return st;
	st = grow_find_free(ck, &g->clus, err);
	while (!st && g->clus && !can_be_linked(ck, g)) {
		bitmap_clear(ck->used, g->clus);
		st = grow_find_free(ck, &g->clus, err);
	}
	return st;
}

enum status grow_plan(struct check *ck, const struct growth *g,
		      struct error *err)
{
	struct edits *e = &ck->rep->edits;
	struct runs runs = { 0 };
	enum status st;

	repair_tree_changes(ck);
	ck->rep->taken++;
	st = runs_push(&runs, (struct run){ g->clus, 1 }, err);
	if (!st)
		st = straddle_add_chain(e, ck->bpb, g->last, g->mark, &runs,
					false, err);
	if (!st)
		st = edits_add_zero(e, REGION_DIR,
				    bpb_clus_offset(ck->bpb, g->clus),
				    ck->bpb->cluster_bytes, err);
	runs_free(&runs);
	return st;
}
