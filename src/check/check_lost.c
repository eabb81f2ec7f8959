/*
 * check_lost.c - chains that the FAT has and no file
 *
 * A cluster is lost if its entry is neither free nor bad and the tree did not
 * take it. A lost chain begins where no other lost cluster links to (one of
 * the tree can't: what it leads to has been taken); what is left over when
 * all such chains are taken is rings. Each lost cluster is taken as it is
 * met, so all passes together are linear, and merging chains are cut where
 * they meet.
 *
 * What is saved (lost_save.c): directories first, each with all that it leads
 * to, so the next round finds its files where they were; then the rest as
 * files. In a round that changes the tree nothing is called lost: what is, the
 * next one will see. -p saves nothing if a lost directory would share clusters
 * with somebody who has them. Clusters that the image does not have hold
 * nothing that could be saved: they are freed first.
 */
#include "base/ckd.h"
#include "check/dirstart.h"
#include "check/lost_claims.h"
#include "check/lost_in.h"

/* After so many rounds a directory waits for its parent no longer. */
#define ROUNDS_OF_PARENTS 16

/*
 * A lost directory that comes back when its parent does: unless that does not
 * have it, so it does not wait for ever.
 */
static enum status has_lost_parent(const struct lost *l, clus_t c,
				   clus_t parent, bool *yes,
				   struct error *err)
{
	struct check *ck = l->ck;
	struct dirstart start;
	enum status st;

	*yes = false;
	if (parent == c || !bpb_has_clus(ck->bpb, parent) ||
	    ck->rep->outcome->rounds >= ROUNDS_OF_PARENTS)
		return ST_OK;
	*yes = bitmap_get(ck->used, parent) && bitmap_get(l->linked, parent);
	if (bitmap_get(ck->used, parent))
		return ST_OK;
	st = dirstart_read_used(ck, parent, &start, err);
	*yes = dirstart_is_dir(&start);
	return st;
}

/* top: only directories whose parent is not lost as well. */
static enum status take_dir(struct lost *l, clus_t c, bool top,
			    struct error *err)
{
	struct check *ck = l->ck;
	struct dirstart start;
	bool waits = false;
	enum status st;

	st = dirstart_read_used(ck, c, &start, err);
	if (!st && dirstart_is_dir(&start) && start.dotdot && top)
		st = has_lost_parent(l, c, start.parent, &waits, err);
	if (st || !dirstart_is_dir(&start) || waits)
		return st;
	return lost_take(l, c, PROBLEM_LOST_CHAIN, true, err);
}

enum pass { PASS_TOP_DIRS, PASS_DIRS, PASS_CHAINS, PASS_RINGS };

static enum status take(struct lost *l, clus_t c, enum pass which,
			struct error *err)
{
	if (which != PASS_RINGS && bitmap_get(l->linked, c))
		return ST_OK;
	if (which < PASS_CHAINS)
		return take_dir(l, c, which == PASS_TOP_DIRS, err);
	return lost_take(l, c, which == PASS_RINGS ? PROBLEM_LOST_RING
						   : PROBLEM_LOST_CHAIN,
			 false, err);
}

/* Each lost cluster that is a head, or (rings) each that is left. */
static enum status pass(struct lost *l, enum pass which, struct error *err)
{
	struct check *ck = l->ck;
	enum status st = ST_OK;
	uint64_t c = l->low;

	while (!st && ck->used_count < ck->res->summary.clusters_used) {
		c = bitmap_next_clear(ck->used, c);
		if (c > l->high || l->wait)
			break;
		/* Any one of a circle of directories will do. */
		if (which == PASS_DIRS && l->saved_dirs)
			break;
		st = take(l, (clus_t)c, which, err);
		if (!st)
			st = check_tick(ck, err);
		c++;
	}
	return st;
}

static enum status find_linked(struct lost *l, struct error *err)
{
	struct check *ck = l->ck;
	uint64_t all = (uint64_t)ck->bpb->last_clus + 1, c;
	enum status st = ST_OK;
	uint32_t value;

	l->linked = bitmap_new(all);
	if (!l->linked)
		return error_set_nomem(err);
	for (c = bitmap_next_clear(ck->used, 2); c < all && !st;
	     c = bitmap_next_clear(ck->used, c + 1)) {
		st = check_get(ck, (clus_t)c, &value, err);
		if (!st)
			st = check_tick(ck, err);
		if (st || !fatent_is_used(ck->bpb->type, value))
			continue;
		l->low = MIN(l->low, c);
		l->high = c;
		if (c > ck->image_last_clus && !l->beyond++)
			l->first_beyond = (clus_t)c;
		if (!bpb_has_clus(ck->bpb, value))
			continue;
		if (bitmap_get(ck->used, value))
			l->meets = true;
		else
			bitmap_set(l->linked, value);
	}
	return st;
}

/* -p leaves cross-links, so it must not make any. */
static enum status keep_safe(struct lost *l, struct error *err)
{
	struct lost_dirs dirs = { l->linked, l->low, l->high, l->meets };
	enum status st;

	if (!l->save || l->ck->rep->opt->mode != REPAIR_PREEN)
		return ST_OK;
	st = lost_claims(l->ck, &dirs, &l->leave, err);
	l->save = !l->leave;
	return st;
}

/* Lost clusters that lie beyond, and links to such. */
static enum status free_beyond(struct lost *l, struct error *err)
{
	struct check *ck = l->ck;
	enum status st = ST_OK;
	uint64_t c = bitmap_next_clear(ck->used, l->low);
	uint32_t value;

	for (; c <= l->high && !st; c = bitmap_next_clear(ck->used, c + 1)) {
		st = check_get(ck, (clus_t)c, &value, err);
		if (!st)
			st = check_tick(ck, err);
		if (st || !fatent_is_used(ck->bpb->type, value))
			continue;
		if (c > ck->image_last_clus)
			st = repair_free(ck, (clus_t)c, err);
		else if (bpb_has_clus(ck->bpb, value) &&
			 value > ck->image_last_clus)
			st = repair_cut(ck, (clus_t)c, value, err);
	}
	return st;
}

/* What is left of their chains is for the next round. */
static enum status drop_beyond(struct lost *l, bool *dropped,
			       struct error *err)
{
	struct finding f = { .id = PROBLEM_LOST_BEYOND,
			     .first = l->first_beyond,
			     .last = (clus_t)l->high,
			     .n = l->beyond };
	enum status st;

	*dropped = false;
	if (!l->save || !l->beyond)
		return ST_OK;
	st = check_offer(l->ck, f, dropped, err);
	return st || !*dropped ? st : free_beyond(l, err);
}

static enum status all_passes(struct lost *l, struct error *err)
{
	enum status st = ST_OK;

	if (l->save) {
		st = pass(l, PASS_TOP_DIRS, err);
		if (!st)
			st = pass(l, PASS_DIRS, err);
		/* What they lead to is lost no longer. */
		if (st || l->saved_dirs)
			return st;
	}
	st = pass(l, PASS_CHAINS, err);
	return st ? st : pass(l, PASS_RINGS, err);
}

static bool will_save(const struct check *ck)
{
	const struct repair *rep = ck->rep;

	if (!rep || rep->locked || rep->tree_left ||
	    rep->opt->lost == REPAIR_LOST_FREE ||
	    rep->opt->lost == REPAIR_LOST_KEEP)
		return false;
	return rep->opt->lost == REPAIR_LOST_SAVE ||
	       rep->opt->mode != REPAIR_PREEN;
}

enum status check_lost(struct check *ck, struct error *err)
{
	struct lost l = { .ck = ck, .low = UINT64_MAX, .save = will_save(ck) };
	bool dropped = false;
	enum status st;

	if (ck->rep && ck->rep->tree_changes)
		return ST_OK;
	if (ck->tree_incomplete)
		return check_note(ck, PROBLEM_LOST_UNKNOWN, 0, 0, err);
	if (ck->used_count >= ck->res->summary.clusters_used)
		return ST_OK;
	st = find_linked(&l, err);
	if (!st)
		st = keep_safe(&l, err);
	if (!st)
		st = drop_beyond(&l, &dropped, err);
	if (!st && !dropped)
		st = all_passes(&l, err);
	bitmap_free(l.linked);
	if (!st && l.open)
		st = rescue_finish(&l.room, err);
	if (l.open)
		rescue_close(&l.room);
	return st;
}
