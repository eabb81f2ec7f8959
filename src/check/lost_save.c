/*
 * lost_save.c - where lost chains go
 *
 * To the root. Where it has not enough slots left for them, its last ones are
 * for directories that hold the rest; where it has none, a directory that is
 * there holds them.
 */
#include "base/ckd.h"
#include "check/check_dir.h"
#include "check/lost_in.h"

/* How much of a chain one file can have. */
static clus_t file_clusters(const struct bpb *bpb)
{
	return UINT32_MAX / bpb->cluster_bytes;
}

/* The chain's clusters one by one: it ends here, or is free from now on. */
static enum status free_all(struct check *ck, const struct claim *claim,
			    struct error *err)
{
	clus_t c = claim->first;
	enum status st = ST_OK;
	uint64_t i;

	for (i = 0; i < claim->clusters && !st; i++) {
		st = repair_free(ck, c, err);
		if (!st)
			st = check_get(ck, c, &c, err);
	}
	return st;
}

/* The piece of n clusters from *c on becomes a file; *c moves behind it. */
static enum status save_piece(struct lost *l, clus_t *c, clus_t n, bool cut,
			      struct error *err)
{
	struct check *ck = l->ck;
	uint64_t bytes = (uint64_t)n * ck->bpb->cluster_bytes;
	clus_t first = *c, last = *c, i;
	enum status st;
	uint32_t next = first;

	for (i = 0, st = ST_OK; i < n && !st; i++) {
		last = next;
		st = check_get(ck, last, &next, err);
	}
	if (!st && cut)
		st = repair_cut(ck, last, next, err);
	*c = next;
	ck->rep->tree_changes = true;
	return st ? st : rescue_add(&l->room, ATTR_ARCHIVE, first,
				    (uint32_t)bytes, err);
}

static enum status save_file(struct lost *l, const struct claim *claim,
			     struct error *err)
{
	clus_t most = file_clusters(l->ck->bpb), left = claim->clusters, n;
	clus_t c = claim->first;
	enum status st = ST_OK;
	bool room = true, cut;

	while (left && !st) {
		n = MIN(left, most);
		cut = n < left || claim->end != CLAIM_EOC;
		st = rescue_has_room(&l->room, &room, err);
		if (st || !room)
			break;
		st = save_piece(l, &c, n, cut, err);
		left -= n;
	}
	return st;
}

static enum status save_dir(struct lost *l, const struct claim *claim,
			    struct error *err)
{
	struct check *ck = l->ck;
	enum status st = ST_OK;

	if (claim->end != CLAIM_EOC)
		st = repair_cut(ck, claim->at, claim->value, err);
	ck->rep->tree_changes = true;
	l->saved_dirs++;
	bitmap_set(l->linked, claim->first);
	return st ? st : rescue_add(&l->room, ATTR_DIR, claim->first, 0, err);
}

/* Directories that it takes to hold what else is lost, at most. */
static uint64_t dirs_for_rest(const struct lost *l, const struct claim *claim)
{
	const struct check *ck = l->ck;
	uint64_t rest = ck->res->summary.clusters_used - ck->used_count;

	rest += claim->clusters / file_clusters(ck->bpb);
	return div_round_up(rest, DIR_SLOTS_MAX - 2);
}

/* Something else in the root is to hold what is lost. */
static enum status leave_root(struct lost *l, bool *found, struct error *err)
{
	struct rescue dir;
	enum status st;

	st = rescue_find_dir(&dir, l->ck, l->room.slots > 0, found, err);
	if (st || !*found)
		return st;
	st = rescue_finish(&l->room, err);
	rescue_close(&l->room);
	l->room = dir;
	l->in_root = false;
	return st;
}

/* Room in the root, or what is in its place; else l->wait or nothing. */
static enum status look_in_root(struct lost *l, const struct claim *claim,
				struct error *err)
{
	uint64_t slots = (uint64_t)l->room.slots + rescue_more_slots(&l->room);
	bool found = false;
	enum status st;

	if (slots > dirs_for_rest(l, claim))
		return ST_OK;
	st = leave_root(l, &found, err);
	if (st || found || !l->room.slots)
		return st;
	return rescue_make_dir(&l->room, &l->wait, err);
}

static enum status make_room(struct lost *l, bool *room, struct error *err)
{
	enum status st = rescue_has_room(&l->room, room, err);

	if (st || *room)
		return st;
	st = rescue_grow(&l->room, &l->wait, err);
	/* The next one is looked for when this one is known to be full. */
	if (!st && !l->wait && !l->in_root)
		l->wait = !edits_empty(&l->ck->rep->edits);
	return st;
}

static enum status find_room(struct lost *l, const struct claim *claim,
			     bool *room, struct error *err)
{
	enum status st = ST_OK;

	*room = false;
	if (l->full)
		return ST_OK;
	if (!l->open) {
		l->open = l->in_root = true;
		st = rescue_open_root(&l->room, l->ck, err);
	}
	if (!st && l->in_root)
		st = look_in_root(l, claim, err);
	if (!st && !l->wait)
		st = make_room(l, room, err);
	l->ck->rep->postponed |= l->wait;
	l->full = !st && !l->wait && !*room;
	return st;
}

enum status lost_take(struct lost *l, clus_t c, enum problem_id id,
		      bool is_dir, struct error *err)
{
	struct check *ck = l->ck;
	struct finding f = { .id = id };
	bool room = true, fix;
	struct claim claim;
	enum status st;

	st = claim_chain(ck, c, NULL, NULL, &claim, err);
	if (st || !claim.clusters)
		return st;
	if (l->save)
		st = find_room(l, &claim, &room, err);
	if (st || l->wait)
		return st;
	f.first = claim.first;
	f.last = claim.at;
	f.n = claim.clusters;
	if (l->leave)
		return check_add(ck, f, err);
	f.frees = ck->rep && ck->rep->opt->lost == REPAIR_LOST_FREE;
	if (!room) {
		f.id = PROBLEM_LOST_NO_ROOM;
		return check_add(ck, f, err);
	}
	if (l->save && !findings_full(&ck->res->findings)) {
		f.other = rescue_path(&l->room, is_dir ? ATTR_DIR : 0);
		if (!f.other)
			return error_set_nomem(err);
	}
	st = check_offer(ck, f, &fix, err);
	if (st || !fix)
		return st;
	if (!l->save)
		return free_all(ck, &claim, err);
	return is_dir ? save_dir(l, &claim, err) : save_file(l, &claim, err);
}
