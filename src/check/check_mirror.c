/*
 * check_mirror.c - which FAT copy is right, chain by chain
 *
 * A walk over the tree looks at each chain under both copies before it takes
 * it: the copy under which it ends properly, has the length that its size
 * needs and crosses no other chain wins, and in a tie the first one. What no
 * chain has is free if either copy says so, and leaves no lost chains.
 *
 * Of more than two copies that differ, two are compared and made equal in a
 * round, so each copy is heard.
 *
 * Invariant: take_other says for each cluster that was taken from which copy
 * its entry comes, so the walk itself goes by what has been decided. The
 * looking has a budget in proportion to the clusters; what is beyond it
 * falls to the first copy.
 */
#include "base/ckd.h"
#include "check/repair_in.h"
#include "check/walk.h"

#define BUDGET_PER_CLUSTER 8

/* How well a chain goes with its entry, worst first. */
enum fit {
	FIT_BROKEN,  /* free, bad, out of range, crosses, or loops */
	FIT_SHORT,   /* ends before its size does */
	FIT_LONGER,  /* a reservation */
	FIT_EXACT,   /* a directory's that ends properly, too */
};

struct judge {
	struct check *ck;
	uint64_t budget; /* entries that may still be looked at */
};

/* One copy's view of a chain. */
struct view {
	struct fatwin *win;
	uint64_t clusters;
	enum fit fit;
};

static enum fit fit_of(const struct judge *j, const struct dir_entry *e,
		       uint64_t clusters)
{
	uint64_t needed;

	if (!e || dirent_is_dir(e->raw))
		return FIT_EXACT;
	needed = bpb_clusters_for(j->ck->bpb, e->size_bytes);
	if (clusters < needed)
		return FIT_SHORT;
	return clusters == needed ? FIT_EXACT : FIT_LONGER;
}

static enum status look(struct judge *j, const struct dir_entry *e,
			clus_t first, struct view *v, struct error *err)
{
	const struct bpb *bpb = j->ck->bpb;
	uint32_t next = first;
	enum status st;
	clus_t c;

	v->fit = FIT_BROKEN;
	for (;;) {
		c = next;
		if (!bpb_has_clus(bpb, c) || bitmap_get(j->ck->used, c) ||
		    v->clusters > bpb->clusters || !j->budget)
			return ST_OK;
		j->budget--;
		st = fatwin_get(v->win, c, &next, err);
		if (!st)
			st = check_tick(j->ck, err);
		if (st || next == FATENT_FREE)
			return st;
		v->clusters++;
		if (fatent_is_eoc(bpb->type, next))
			break;
	}
	v->fit = fit_of(j, e, v->clusters);
	return ST_OK;
}

/* The chain is the other copy's from here on. */
static enum status take(struct judge *j, clus_t first, struct view *v,
			struct error *err)
{
	enum status st = ST_OK;
	clus_t c = first;
	uint64_t i;

	for (i = 0; i < v->clusters && !st; i++) {
		bitmap_set(j->ck->take_other, c);
		st = fatwin_get(v->win, c, &c, err);
	}
	return st;
}

static enum status choose(void *arg, const struct dir_entry *e, clus_t first,
			  struct error *err)
{
	struct judge *j = arg;
	struct view one = { .win = &j->ck->win };
	struct view two = { .win = &j->ck->other };
	enum status st;

	st = look(j, e, first, &one, err);
	if (st || one.fit == FIT_EXACT)
		return st;
	st = look(j, e, first, &two, err);
	if (st || two.fit <= one.fit)
		return st;
	return take(j, first, &two, err);
}

/*
 * Is two the better value for a cluster that nobody has? Free is, and leaves
 * no lost chain; but if part of the tree is missing, free may be the damage.
 */
static bool is_better_rest(const struct check *ck, uint32_t one, uint32_t two)
{
	if (ck->tree_incomplete)
		return one == FATENT_FREE;
	return two == FATENT_FREE && one != fatent_bad(ck->bpb->type);
}

/* What nobody has; and FAT[0] and FAT[1]: an end mark is better than none. */
static enum status settle_rest(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t all = (uint64_t)bpb->last_clus + 1, c;
	uint32_t one, two;
	enum status st = ST_OK;

	for (c = 0; c < all && !st; c++) {
		if (c >= 2 && bitmap_get(ck->used, c))
			continue;
		st = fatwin_get(&ck->win, (clus_t)c, &one, err);
		if (!st)
			st = fatwin_get(&ck->other, (clus_t)c, &two, err);
		if (!st)
			st = check_tick(ck, err);
		if (st || one == two)
			continue;
		if (c < 2 ? one < fatent_bad(bpb->type) - 7 && two > one
			  : is_better_rest(ck, one, two))
			bitmap_set(ck->take_other, c);
	}
	return st;
}

static enum status compare(struct check *ck, unsigned other,
			   struct error *err)
{
	struct judge j = { .ck = ck };
	const struct walk_visitor visitor = { .before = choose, .arg = &j };
	struct mirror_edit *edit = &ck->rep->edits.mirror;
	enum status st;

	j.budget = ((uint64_t)ck->bpb->clusters + 65536) *
		   BUDGET_PER_CLUSTER;
	edit->take_other = bitmap_new((uint64_t)ck->bpb->last_clus + 1);
	if (!edit->take_other)
		return error_set_nomem(err);
	ck->take_other = edit->take_other;
	st = fatwin_open(&ck->other, ck->vol, other, err);
	if (!st)
		st = walk_tree(ck, &visitor, err);
	if (!st)
		st = settle_rest(ck, err);
	return st;
}

enum status check_mirrors(struct check *ck, unsigned other, bool pair,
			  struct error *err)
{
	struct mirror_edit *edit = &ck->rep->edits.mirror;

	edit->wanted = true;
	edit->copy = ck->bpb->active_fat;
	edit->pair = pair;
	ck->rep->tree_changes = true;
	ck->rep->postponed |= pair;
	edit->other = other;
	return ck->rep->opt->use_fat ? ST_OK : compare(ck, other, err);
}
