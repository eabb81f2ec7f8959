/*
 * rescue_grow.c - directories that grow, and new ones, for lost chains
 *
 * Invariant: only in a round that changes nothing else in the tree, so a free
 * cluster is nobody's; what is taken here is used in the next round.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "change/straddle.h"
#include "check/rescue.h"

#define GROW_MIN  16 /* clusters */
#define NEW_BYTES 8192u

static clus_t clusters_max(const struct check *ck)
{
	return DIR_SLOTS_MAX / (ck->bpb->cluster_bytes / DIRENT_BYTES);
}

static bool is_any_free(const struct check *ck)
{
	return ck->res->summary.clusters_free > ck->rep->taken;
}

uint32_t rescue_more_slots(const struct rescue *r)
{
	clus_t max = clusters_max(r->ck);

	if (!r->first || r->clusters >= max || !is_any_free(r->ck))
		return 0;
	return (max - r->clusters) *
	       (r->ck->bpb->cluster_bytes / DIRENT_BYTES);
}

/* May a link lead from last, which has this end mark, to c? */
static bool can_follow(const struct check *ck, clus_t last, uint32_t mark,
		       clus_t c)
{
	struct straddle_step step;

	return !last || !straddle_is(ck->bpb, last) ||
	       straddle_find(last, mark, c, NULL, &step);
}

/* The first free clusters, at most want. */
static enum status find_free(struct check *ck, clus_t last, uint32_t mark,
			     struct runs *runs, clus_t want, struct error *err)
{
	uint64_t end = MIN(ck->bpb->last_clus, ck->image_last_clus), c;
	enum status st = ST_OK;
	uint32_t value;

	for (c = 2; c <= end && want && !st; c++) {
		st = check_get(ck, (clus_t)c, &value, err);
		if (!st)
			st = check_tick(ck, err);
		if (st || value != FATENT_FREE ||
		    (!runs->n && !can_follow(ck, last, mark, (clus_t)c)))
			continue;
		st = runs_push(runs, (struct run){ (clus_t)c, 1 }, err);
		want--;
	}
	return st;
}

/* They read as zeros, but for skip bytes at the start of the first one. */
static enum status clear(struct check *ck, const struct runs *runs,
			 uint32_t skip, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	enum status st = ST_OK;
	size_t i;

	for (i = 0; i < runs->n && !st; i++, skip = 0)
		st = edits_add_zero(&ck->rep->edits, REGION_DIR,
				    bpb_clus_offset(bpb, runs->v[i].first) +
					    skip,
				    (uint64_t)runs->v[i].count *
						    bpb->cluster_bytes - skip,
				    err);
	return st;
}

/* The new clusters, linked to by last (0 = by nobody yet). */
static enum status take(struct check *ck, clus_t last, uint32_t mark,
			const struct runs *runs, struct error *err)
{
	ck->rep->tree_changes = true;
	ck->rep->taken += runs_clusters(runs);
	return straddle_add_chain(&ck->rep->edits, ck->bpb, last, mark, runs,
				  false, err);
}

enum status rescue_grow(struct rescue *r, bool *grows, struct error *err)
{
	struct check *ck = r->ck;
	struct runs runs = { 0 };
	enum status st;
	uint32_t mark;
	clus_t want;

	*grows = false;
	if (!r->last || !rescue_more_slots(r))
		return ST_OK;
	want = MIN(MAX(r->clusters, GROW_MIN), clusters_max(ck) - r->clusters);
	st = check_get(ck, r->last, &mark, err);
	if (!st)
		st = find_free(ck, r->last, mark, &runs, want, err);
	if (!st && runs.n) {
		*grows = true;
		st = take(ck, r->last, mark, &runs, err);
		if (!st)
			st = clear(ck, &runs, 0, err);
	}
	runs_free(&runs);
	return st;
}

/* "." and ".." and nothing else. */
static enum status put_dots(struct rescue *r, clus_t first, struct error *err)
{
	struct check *ck = r->ck;
	struct dos_time now = ck->rep->opt->now;
	uint8_t *sector = calloc(1, ck->bpb->sector_bytes);
	clus_t parent = r->path[0] ? r->first : 0;
	enum status st;

	if (!sector)
		return error_set_nomem(err);
	dirent_init(sector, (const uint8_t *)".          ", ATTR_DIR, 0, now);
	dirent_set_clus(ck->bpb->type, sector, first);
	dirent_init(sector + DIRENT_BYTES, (const uint8_t *)"..         ",
		    ATTR_DIR, 0, now);
	dirent_set_clus(ck->bpb->type, sector + DIRENT_BYTES, parent);
	st = edits_add_bytes(&ck->rep->edits, PHASE_CHAINS, REGION_DIR,
			     bpb_clus_offset(ck->bpb, first), NULL, sector,
			     ck->bpb->sector_bytes, err);
	free(sector);
	return st;
}

enum status rescue_make_dir(struct rescue *r, bool *made, struct error *err)
{
	struct check *ck = r->ck;
	struct runs runs = { 0 };
	enum status st;
	clus_t first;
	bool room;

	*made = false;
	st = rescue_has_room(r, &room, err);
	if (!st && room && is_any_free(ck))
		st = find_free(ck, 0, 0, &runs,
			       (clus_t)div_round_up(NEW_BYTES,
						    ck->bpb->cluster_bytes),
			       err);
	if (!st && runs.n) {
		*made = true;
		first = runs.v[0].first;
		st = take(ck, 0, 0, &runs, err);
		if (!st)
			st = clear(ck, &runs, ck->bpb->sector_bytes, err);
		if (!st)
			st = put_dots(r, first, err);
		if (!st)
			st = rescue_add(r, ATTR_DIR, first, 0, err);
	}
	runs_free(&runs);
	return st;
}

static bool may_do(const struct dir_entry *e, bool ours)
{
	return dirent_is_dir(e->raw) && !dirent_is_dot(e->raw) && e->clus &&
	       rescue_is_ours(e->raw) == ours;
}

/* Of the root's directories, ours or the others. */
static enum status find_among(struct rescue *r, struct check *ck, bool ours,
			      bool *found, struct error *err)
{
	struct rescue root;
	struct dir_entry e;
	enum status st;
	bool more = true;

	st = rescue_open_root(&root, ck, err);
	while (!st && !*found) {
		st = dirread_next(&root.reader, &root.pos, &e, &more, err);
		if (st || !more)
			break;
		if (!may_do(&e, ours))
			continue;
		st = rescue_open(r, ck, &e, err);
		*found = !st && (r->slots || rescue_more_slots(r));
		if (!*found)
			rescue_close(r);
	}
	rescue_close(&root);
	return st;
}

enum status rescue_find_dir(struct rescue *r, struct check *ck, bool ours,
			    bool *found, struct error *err)
{
	enum status st;

	*found = false;
	st = find_among(r, ck, true, found, err);
	if (!st && !*found && !ours)
		st = find_among(r, ck, false, found, err);
	return st;
}
