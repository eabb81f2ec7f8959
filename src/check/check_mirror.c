/*
 * check_mirror.c - which FAT copy is right, chain by chain
 *
 * What is sound in a copy alone is settled first (mirror_sound.c), so that
 * nobody who comes earlier in the walk can take it away. Then a last walk
 * looks at each chain that is left under both copies before it takes it: the
 * copy under which it is sound beside what is settled or taken wins. If it is
 * in neither, the one that gives a file more of what it needs does, with what
 * it shares, as that will be copied for it; then the one that shares less of
 * it; in a tie the first. A directory has no size, but what is in its clusters
 * tells as much. What crosses in every copy falls to check_owner.c, once the
 * copies are equal. What no chain has is bad or free if either copy says so,
 * and leaves no lost chains.
 *
 * Of more than two copies that differ, two are compared and made equal in a
 * round, so each copy is heard.
 *
 * Invariant: take_other says for each cluster that was taken from which copy
 * its entry comes, so the walk itself goes by what has been decided. The
 * looking has a budget in proportion to the clusters; what is beyond it
 * falls to the first copy.
 */
#include "check/mirror_in.h"
#include "check/repair_in.h"

static enum status choose(void *arg, const struct dir_entry *e, clus_t first,
			  struct error *err)
{
	struct mirror_judge *j = arg;
	struct mirror_view one = { .copy = 0, .stop_used = true };
	struct mirror_view two = { .copy = 1, .stop_used = true };
	enum status st;

	if (mirror_is_settled(j, first))
		return ST_OK;
	st = mirror_look(j, e, first, &one, err);
	if (st || (mirror_is_sound(&one) && one.fit == FIT_EXACT &&
		   !mirror_is_dir(e)))
		return st;
	st = mirror_look(j, e, first, &two, err);
	if (st || !mirror_is_better(e, &one, &two))
		return st;
	return mirror_take(j, first, &two, false, err);
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
static enum status settle_rest(const struct mirror_judge *j,
			       struct error *err)
{
	struct check *ck = j->ck;
	const struct bpb *bpb = ck->bpb;
	uint64_t all = (uint64_t)bpb->last_clus + 1, c;
	uint32_t one, two;
	enum status st = ST_OK;

	for (c = 0; c < all && !st; c++) {
		if (mirror_is_settled(j, (clus_t)c) ||
		    (c >= 2 && bitmap_get(ck->used, c)))
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
	struct mirror_judge j = { .ck = ck };
	const struct walk_visitor visitor = { .before = choose, .arg = &j };
	enum status st;

	st = fatwin_open(&ck->other, ck->vol, other, err);
	if (!st)
		st = mirror_settle_sound(&j, err);
	if (!st)
		st = mirror_begin(&j, err);
	if (!st)
		st = walk_tree(ck, &visitor, err);
	if (!st)
		st = settle_rest(&j, err);
	bitmap_free(j.odd[0]);
	bitmap_free(j.odd[1]);
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
