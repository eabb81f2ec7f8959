/*
 * mirror_sound.c - chains that one FAT copy alone has sound
 *
 * A chain crosses another one if both are in the same copy, whichever comes
 * later in the walk. So first each copy is walked by itself: all files as it
 * has them, directories too unless they are no good there. What it does not
 * explain is odd: a cluster that a second chain comes to; one in use that is
 * nobody's, if the copies have the same directories and each was seen whole. A
 * crossing in both tells nothing about which is right, and is no evidence.
 *
 * A file's chain is sound in a copy if it ends properly, is at least as long as
 * the size needs, and comes to nothing odd. Then three more walks:
 * 1. what is sound in one copy only, and no longer, is settled;
 * 2. so is what is longer, where nobody of 1 is in the way: what a file needs
 *    comes before what may be a reservation;
 * 3. so is what is sound in both. The copy whose chain explains clusters that
 *    are odd in the other one wins: the other one leaves them lost, or has a
 *    crossing there. Else the one that is no longer than the size needs, if
 *    the file's data differ. Else copy 1.
 * A chain that is longer is sound, as it may be a reservation. Where the data
 * are the same, one copy has got the reservation already, or has it no more,
 * so the length decides nothing; but if the rest of the longer one is in use
 * and nobody's where it is shorter, it is the longer one that leaves nothing
 * lost.
 * A directory is decided in the first of the three, as what is in it depends on
 * it; by what is in its clusters, as it has no size, and by what it crosses.
 *
 * Invariants: used, take_other and the odd ones are all that is there per
 * cluster; a look at a file ends at the first odd cluster, so those of a walk
 * are linear in clusters unless the two copies cross at the same places, and
 * then they have a budget.
 */
#include "base/ckd.h"
#include "check/mirror_in.h"
#include "check/repair_in.h"

/* take_other becomes empty. */
static enum status forget_taken(struct check *ck, struct error *err)
{
	struct mirror_edit *edit = &ck->rep->edits.mirror;

	bitmap_free(edit->take_other);
	edit->take_other = bitmap_new((uint64_t)ck->bpb->last_clus + 1);
	ck->take_other = edit->take_other;
	return ck->take_other ? ST_OK : error_set_nomem(err);
}

/* Are the n first clusters of a chain the same in both copies? */
static enum status is_same(struct mirror_judge *j, clus_t first, uint64_t n,
			   bool *same, struct error *err)
{
	uint32_t a = first, b = first;
	enum status st = ST_OK;

	for (; n > 1 && a == b && !st; n--) {
		st = fatwin_get(&j->ck->win, a, &a, err);
		if (!st)
			st = fatwin_get(&j->ck->other, b, &b, err);
	}
	*same = a == b;
	return st;
}

static enum status look_at_both(struct mirror_judge *j,
				const struct dir_entry *e, clus_t first,
				struct mirror_view v[2], struct error *err)
{
	enum status st;

	v[0].copy = 0;
	v[1].copy = 1;
	st = mirror_look(j, e, first, &v[0], err);
	return st ? st : mirror_look(j, e, first, &v[1], err);
}

/* May a walk of one copy see less of a directory than another one? */
static enum status note_partial(struct mirror_judge *j, clus_t first,
				const struct mirror_view v[2],
				struct error *err)
{
	enum status st = ST_OK;
	bool same;

	same = v[0].clusters == v[1].clusters && v[0].fit == FIT_EXACT &&
	       v[1].fit == FIT_EXACT;
	if (same && !j->partial)
		st = is_same(j, first, v[0].clusters, &same, err);
	j->partial |= !same;
	return st;
}

/* A directory in a walk of one copy: as that has it, unless it is no good. */
static enum status choose_alone(void *arg, const struct dir_entry *e,
				clus_t first, struct error *err)
{
	struct mirror_judge *j = arg;
	struct mirror_view v[2] = { { 0 } }, *best = &v[j->base];
	enum status st;

	if (!mirror_is_dir(e))
		return ST_OK;
	st = look_at_both(j, e, first, v, err);
	if (!st)
		st = note_partial(j, first, v, err);
	if (st)
		return st;
	if (best->fit != FIT_EXACT)
		best = &v[mirror_is_better(e, &v[0], &v[1])];
	return mirror_take(j, first, best, false, err);
}

/* A chain of the copy comes to a cluster that another one has. */
static enum status note_crossing(void *arg, const struct walk *w,
				 const struct dir_entry *e,
				 const struct claim *claim, struct error *err)
{
	struct mirror_judge *j = arg;

	(void)w;
	(void)err;
	if (claim->end != CLAIM_SHARED)
		return ST_OK;
	if (mirror_is_dir(e))
		j->partial = true;
	bitmap_set(j->odd[j->base], claim->value);
	return ST_OK;
}

static void swap_copies(struct mirror_judge *j)
{
	struct fatwin win = j->ck->win;

	j->ck->win = j->ck->other;
	j->ck->other = win;
	j->base = !j->base;
}

/* Walks the copy that ck->win is on, alone; crossings: and notes these. */
static enum status walk_alone(struct mirror_judge *j, bool crossings,
			      struct error *err)
{
	const struct walk_visitor visitor = {
		.before = choose_alone,
		.after = crossings ? note_crossing : NULL,
		.arg = j,
	};
	enum status st = forget_taken(j->ck, err);

	if (!st)
		st = mirror_begin(j, err);
	return st ? st : walk_tree(j->ck, &visitor, err);
}

/* A crossing in both says nothing. */
static void drop_common(struct mirror_judge *j)
{
	uint64_t c, bits = bitmap_bits(j->odd[0]);

	for (c = bitmap_next_set(j->odd[0], 0); c < bits;
	     c = bitmap_next_set(j->odd[0], c + 1)) {
		if (!bitmap_get(j->odd[1], c))
			continue;
		bitmap_clear(j->odd[0], c);
		bitmap_clear(j->odd[1], c);
	}
}

/*
 * What is in use in the copy that was walked, and nobody's; no chain of it
 * comes there, so a crossing in the other copy says more.
 */
static enum status note_lost(struct mirror_judge *j, struct error *err)
{
	struct check *ck = j->ck;
	uint32_t value;
	enum status st = ST_OK;
	uint64_t c;

	for (c = 2; c <= ck->bpb->last_clus && !st; c++) {
		if (bitmap_get(ck->used, c) || bitmap_get(j->odd[!j->base], c))
			continue;
		st = fatwin_get(&ck->win, (clus_t)c, &value, err);
		if (!st)
			st = check_tick(ck, err);
		if (!st && fatent_is_used(ck->bpb->type, value))
			bitmap_set(j->odd[j->base], c);
	}
	return st;
}

/*
 * Copy 0 is walked twice, as there is no room to keep what is used in it.
 * Where a directory may not have been seen whole nothing is called lost.
 */
static enum status find_odd(struct mirror_judge *j, struct error *err)
{
	enum status st = walk_alone(j, true, err);

	swap_copies(j);
	if (!st)
		st = walk_alone(j, true, err);
	drop_common(j);
	if (!st && !j->partial)
		st = note_lost(j, err);
	swap_copies(j);
	if (st || j->partial)
		return st;
	st = walk_alone(j, false, err);
	return st ? st : note_lost(j, err);
}

/* Both are sound: which one is it? */
static enum status break_tie(struct mirror_judge *j, clus_t first,
			     const struct mirror_view v[2], bool *second,
			     struct error *err)
{
	enum status st;
	bool same;

	*second = v[1].explains && !v[0].explains;
	if (v[0].explains != v[1].explains || v[1].fit <= v[0].fit)
		return ST_OK;
	st = is_same(j, first, v[0].needed, &same, err);
	*second = !same;
	return st;
}

static enum status choose_dir(struct mirror_judge *j,
			      const struct dir_entry *e, clus_t first,
			      struct error *err)
{
	struct mirror_view v[2] = { { 0 } }, *best;
	enum status st;

	if (mirror_is_settled(j, first))
		return ST_OK;
	st = look_at_both(j, e, first, v, err);
	if (st)
		return st;
	best = &v[mirror_is_better(e, &v[0], &v[1])];
	return mirror_take(j, first, best, best->fit == FIT_EXACT, err);
}

/* Is the only one that is sound settled in this pass? */
static bool is_time(const struct mirror_judge *j, const struct mirror_view *v)
{
	return v->fit == FIT_EXACT || j->pass >= PASS_LONGER;
}

static enum status choose_file(struct mirror_judge *j,
			       const struct dir_entry *e, clus_t first,
			       struct error *err)
{
	struct mirror_view v[2] = { { .stop_odd = true },
				    { .stop_odd = true } };
	enum status st = look_at_both(j, e, first, v, err);
	bool second = mirror_is_sound(&v[1]);

	if (st || !(mirror_is_sound(&v[0]) || second))
		return st;
	if (mirror_is_sound(&v[0]) && second) {
		if (j->pass != PASS_BOTH)
			return ST_OK;
		st = break_tie(j, first, v, &second, err);
	} else if (!is_time(j, &v[second])) {
		return ST_OK;
	}
	return st ? st : mirror_take(j, first, &v[second], true, err);
}

static enum status choose_sound(void *arg, const struct dir_entry *e,
				clus_t first, struct error *err)
{
	struct mirror_judge *j = arg;

	if (!mirror_is_dir(e))
		return choose_file(j, e, first, err);
	return j->pass == PASS_EXACT ? choose_dir(j, e, first, err) : ST_OK;
}

static enum status settle(struct mirror_judge *j, enum mirror_pass pass,
			  struct error *err)
{
	const struct walk_visitor visitor = { .before = choose_sound,
					      .arg = j };
	enum status st = mirror_begin(j, err);

	j->pass = pass;
	return st ? st : walk_tree(j->ck, &visitor, err);
}

static enum status new_odd(struct mirror_judge *j, struct error *err)
{
	uint64_t bits = (uint64_t)j->ck->bpb->last_clus + 1;

	j->odd[0] = bitmap_new(bits);
	j->odd[1] = bitmap_new(bits);
	return j->odd[0] && j->odd[1] ? ST_OK : error_set_nomem(err);
}

enum status mirror_settle_sound(struct mirror_judge *j, struct error *err)
{
	bool incomplete = j->ck->tree_incomplete;
	enum status st = new_odd(j, err);
	enum mirror_pass pass;

	if (!st)
		st = find_odd(j, err);
	if (!st)
		st = forget_taken(j->ck, err);
	j->known = true;
	for (pass = PASS_EXACT; pass <= PASS_BOTH && !st; pass++)
		st = settle(j, pass, err);
	j->ck->tree_incomplete = incomplete;
	return st;
}
