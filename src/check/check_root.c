/*
 * check_root.c - a FAT32 whose root directory is not where it should be
 *
 * The boot sector's number of its first cluster is no cluster, or a bad one;
 * or there is something else. The root is then looked for among the chains
 * that nothing links to: a directory without dot entries, best one with a
 * volume label, best at cluster 2. If there is none, and no cluster for it
 * either, a new one is made, and what it led to comes back as lost directories
 * and chains. format.md 22.
 */
#include "base/bytes.h"
#include "base/ckd.h"
#include "check/check_dir.h"
#include "check/layout_look.h"
#include "check/repair_in.h"

#define AT_ROOT_CLUS 44
#define SLOTS_SEEN   (512u / DIRENT_BYTES)

/* How much a cluster is like the root, worst first. */
enum likeness {
	LIKE_NOTHING,
	LIKE_EMPTY_AT_2,
	LIKE_DIRECTORY,
	LIKE_DIRECTORY_AT_2,
	LIKE_LABELLED,
	LIKE_LABELLED_AT_2,
};

static enum likeness judge_slots(const struct check *ck, clus_t c,
				 const uint8_t *slots)
{
	bool entry = false, label = false;
	unsigned i;

	for (i = 0; i < SLOTS_SEEN; i++, slots += DIRENT_BYTES) {
		if (*slots == DIRENT_END)
			break;
		if (*slots == DIRENT_DELETED)
			continue;
		if (!layout_is_slot(ck->bpb, slots))
			return LIKE_NOTHING;
		entry = true;
		label |= dirent_is_label(slots);
	}
	if (!entry)
		return c == 2 && !i ? LIKE_EMPTY_AT_2 : LIKE_NOTHING;
	if (label)
		return c == 2 ? LIKE_LABELLED_AT_2 : LIKE_LABELLED;
	return c == 2 ? LIKE_DIRECTORY_AT_2 : LIKE_DIRECTORY;
}

static enum status look(struct check *ck, clus_t c, enum likeness *like,
			struct error *err)
{
	uint8_t slots[SLOTS_SEEN * DIRENT_BYTES];
	uint32_t value;
	enum status st;

	*like = LIKE_NOTHING;
	st = check_get(ck, c, &value, err);
	if (st || !fatent_is_used(ck->bpb->type, value))
		return st;
	st = blk_read(ck->vol->blk, bpb_clus_offset(ck->bpb, c), slots,
		      sizeof(slots), err);
	if (!st)
		*like = judge_slots(ck, c, slots);
	return st;
}

/* All that some entry links to. */
static enum status mark_linked(struct check *ck, struct bitmap *linked,
			       struct error *err)
{
	enum status st = ST_OK;
	uint32_t value;
	uint64_t c;

	for (c = 2; c <= ck->bpb->last_clus && !st; c++) {
		st = check_get(ck, (clus_t)c, &value, err);
		if (!st && bpb_has_clus(ck->bpb, value))
			bitmap_set(linked, value);
		if (!st)
			st = check_tick(ck, err);
	}
	return st;
}

/* Among what is not linked; *root = 0: none. */
static enum status find_unlinked(struct check *ck,
				 const struct bitmap *linked, clus_t *root,
				 struct error *err)
{
	uint64_t end = MIN(ck->bpb->last_clus, ck->image_last_clus), c;
	enum likeness best = LIKE_NOTHING, like;
	enum status st = ST_OK;

	*root = 0;
	for (c = bitmap_next_clear(linked, 2);
	     c <= end && !st && best < LIKE_LABELLED_AT_2;
	     c = bitmap_next_clear(linked, c + 1)) {
		st = look(ck, (clus_t)c, &like, err);
		if (!st)
			st = check_tick(ck, err);
		if (st || like <= best)
			continue;
		best = like;
		*root = (clus_t)c;
	}
	return st;
}

static enum status find_root(struct check *ck, clus_t *root,
			     struct error *err)
{
	struct bitmap *linked = bitmap_new((uint64_t)ck->bpb->last_clus + 1);
	enum status st;

	if (!linked)
		return error_set_nomem(err);
	st = mark_linked(ck, linked, err);
	if (!st)
		st = find_unlinked(ck, linked, root, err);
	bitmap_free(linked);
	return st;
}

static enum status write_root(struct check *ck, clus_t root,
			      struct error *err)
{
	uint8_t old[4], new[4];
	enum status st;

	ck->rep->geometry_changes = true;
	st = blk_read(ck->vol->blk, AT_ROOT_CLUS, old, sizeof(old), err);
	put_le32(new, root);
	return st ? st : repair_bytes(ck, REGION_BOOT, AT_ROOT_CLUS, old, new,
				      sizeof(new), err);
}

/* An empty one. */
static enum status make_root(struct check *ck, clus_t root, struct error *err)
{
	struct edits *e = &ck->rep->edits;
	struct runs runs = { 0 };
	enum status st;

	st = runs_push(&runs, (struct run){ root, 1 }, err);
	if (!st)
		st = edits_add_chain(e, FAT32, &runs, 0, err);
	if (!st)
		st = edits_add_zero(e, REGION_DIR,
				    bpb_clus_offset(ck->bpb, root),
				    ck->bpb->cluster_bytes, err);
	runs_free(&runs);
	return st;
}

/* What is at the boot sector's number, worst first. */
enum place {
	PLACE_NONE,	/* no cluster, or a bad one */
	PLACE_OTHER,	/* no root */
	PLACE_DOUBTFUL, /* one without anything that goes with it */
	PLACE_ROOT,
};

static enum status judge_place(struct check *ck, enum place *place,
			       struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	struct layout_look look = { 0 };
	uint32_t value;
	enum status st;

	*place = PLACE_NONE;
	if (!bpb_has_clus(bpb, bpb->root_clus))
		return ST_OK;
	st = check_get(ck, bpb->root_clus, &value, err);
	if (st || value == fatent_bad(FAT32))
		return st;
	st = layout_look_at_root(ck, bpb, &look, err);
	*place = PLACE_ROOT;
	if (look.root == ROOT_NONE ||
	    (look.root == ROOT_EMPTY && value == FATENT_FREE))
		*place = PLACE_OTHER;
	else if (look.root == ROOT_EMPTY)
		*place = ck->res->summary.clusters_used > 1 ? PLACE_DOUBTFUL
							    : PLACE_ROOT;
	else if (look.dirs_wrong && !look.dirs_right)
		*place = PLACE_DOUBTFUL;
	return st;
}

/* Is it better than that place? */
static enum status is_better(struct check *ck, clus_t root, enum place place,
			     bool *yes, struct error *err)
{
	struct bpb b = *ck->bpb;
	struct layout_look look = { 0 };
	enum status st;

	*yes = false;
	if (!root || root == b.root_clus)
		return ST_OK;
	b.root_clus = root;
	st = layout_look_at_root(ck, &b, &look, err);
	*yes = look.root == ROOT_ENTRIES &&
	       (place == PLACE_OTHER || look.dirs_right > 0);
	return st;
}

enum status check_root(struct check *ck, struct error *err)
{
	struct finding f = { .id = PROBLEM_ROOT_CLUSTER,
			     .n = ck->bpb->root_clus };
	enum place place = PLACE_ROOT;
	bool better, made, fix = false;
	clus_t root = 0;
	enum status st;

	if (ck->bpb->type != FAT32)
		return ST_OK;
	st = judge_place(ck, &place, err);
	if (st || place == PLACE_ROOT)
		return st;
	st = find_root(ck, &root, err);
	if (!st && place != PLACE_NONE) {
		st = is_better(ck, root, place, &better, err);
		if (st || !better)
			return st;
	}
	made = !root;
	if (!st && made)
		st = grow_find_free(ck, &root, err);
	if (st)
		return st;
	if (!root)
		return check_add(ck, f, err);
	st = check_offer(ck, f, &fix, err);
	if (!st && fix && made)
		st = make_root(ck, root, err);
	return st || !fix ? st : write_root(ck, root, err);
}
