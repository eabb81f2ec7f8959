/*
 * check_mirror.c - which FAT copy is right, chain by chain
 *
 * A walk over the tree looks at each chain under both copies before it takes
 * it: the copy under which it ends properly, has the length that its size
 * needs and crosses no other chain wins; a directory has no size, but what is
 * in its clusters tells as much. Of two that are no good the one with more of
 * it wins, and in a tie the first. What no chain has is bad or free if either
 * copy says so, and leaves no lost chains.
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
#include "check/dirlook.h"
#include "check/repair_in.h"
#include "check/walk.h"

#define BUDGET_PER_CLUSTER 8

/* How well a chain goes with its entry, worst first. */
enum fit {
	FIT_BROKEN,  /* free, bad, out of range, crosses, or loops */
	FIT_SHORT,   /* ends before its size does, or is no directory's */
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
	struct dirlook dir; /* of a directory */
	bool loops;
};

/* e NULL = the root */
static bool is_dir(const struct dir_entry *e)
{
	return !e || dirent_is_dir(e->raw);
}

static enum fit fit_of(const struct judge *j, const struct dir_entry *e,
		       const struct view *v)
{
	uint64_t needed;

	if (is_dir(e))
		return v->dir.wrong ? FIT_SHORT : FIT_EXACT;
	needed = bpb_clusters_for(j->ck->bpb, e->size_bytes);
	if (v->clusters < needed)
		return FIT_SHORT;
	return v->clusters == needed ? FIT_EXACT : FIT_LONGER;
}

static enum status look(struct judge *j, const struct dir_entry *e,
			clus_t first, struct view *v, struct error *err)
{
	const struct bpb *bpb = j->ck->bpb;
	clus_t c, seen = 0; /* one it would come back to */
	uint32_t next = first;
	enum status st = ST_OK;

	v->fit = FIT_BROKEN;
	for (;;) {
		c = next;
		v->loops = c == seen;
		if (!bpb_has_clus(bpb, c) || bitmap_get(j->ck->used, c) ||
		    v->loops || !j->budget)
			return ST_OK;
		j->budget--;
		st = fatwin_get(v->win, c, &next, err);
		if (!st)
			st = check_tick(j->ck, err);
		if (st || next == FATENT_FREE || next == fatent_bad(bpb->type))
			return st;
		if (is_dir(e))
			st = dirlook_cluster(j->ck, c, &v->dir, err);
		if (st)
			return st;
		if (!(v->clusters & (v->clusters + 1)))
			seen = c;
		v->clusters++;
		if (fatent_is_eoc(bpb->type, next))
			break;
	}
	v->fit = fit_of(j, e, v);
	return ST_OK;
}

/* How much of what e needs is there: of two that are no good, the more. */
static uint64_t worth(const struct view *v, const struct dir_entry *e)
{
	if (is_dir(e))
		return v->dir.entries;
	return v->fit >= FIT_LONGER || v->loops ? 0 : v->clusters;
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
	if (st || (one.fit == FIT_EXACT && !is_dir(e)))
		return st;
	st = look(j, e, first, &two, err);
	if (st || two.fit < one.fit ||
	    (two.fit == one.fit && worth(&two, e) <= worth(&one, e)))
		return st;
	return take(j, first, &two, err);
}

/*
 * Is two the better value for a cluster that nobody has? Free is, and leaves
 * no lost chain, unless part of the tree is missing: then free may be the
 * damage. To believe that it is bad costs less than not to.
 */
static bool is_better_rest(const struct check *ck, uint32_t one, uint32_t two)
{
	uint32_t bad = fatent_bad(ck->bpb->type);

	if (one == bad || two == bad)
		return two == bad;
	return ck->tree_incomplete ? one == FATENT_FREE : two == FATENT_FREE;
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
