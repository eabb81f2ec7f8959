/*
 * check_release.c - gives back what files hold beyond their sizes
 *
 * Only in a round that changes nothing else in the tree, and never while a
 * cluster has two owners: a file that runs into another one by damage looks
 * like one with a reservation. Invariant: what is freed was taken by this
 * walk for this one file.
 */
#include "check/repair_in.h"
#include "check/walk.h"

/* Frees the clusters of the chain from position index on. */
static enum status free_rest(struct check *ck, const struct claim *claim,
			     uint64_t index, struct error *err)
{
	clus_t c = claim->first;
	enum status st = ST_OK;
	uint32_t next;
	uint64_t i;

	for (i = 0; i < claim->clusters && !st; i++) {
		st = check_get(ck, c, &next, err);
		if (!st && i + 1 == index)
			st = repair_cut(ck, c, next, err);
		else if (!st && i >= index)
			st = repair_free(ck, c, err);
		c = next;
	}
	return st;
}

static enum status release(void *arg, const struct walk *w,
			   const struct dir_entry *e,
			   const struct claim *claim, struct error *err)
{
	struct check *ck = arg;
	struct finding f = { .id = PROBLEM_RESERVATION };
	uint64_t needed;
	enum status st;
	bool fix;

	if (!e || dirent_is_dir(e->raw) || claim->end != CLAIM_EOC)
		return ST_OK;
	needed = bpb_clusters_for(ck->bpb, e->size_bytes);
	if (claim->clusters <= needed)
		return ST_OK;
	f.n = claim->clusters - needed;
	st = walk_offer(w, e->name, f, &fix, err);
	if (!st && fix && !needed)
		st = repair_empty(ck, e, err);
	if (!st && fix)
		st = free_rest(ck, claim, needed, err);
	return st;
}

enum status check_release(struct check *ck, struct error *err)
{
	const struct walk_visitor visitor = { .after = release, .arg = ck };
	const struct repair *rep = ck->rep;
	enum status st;

	if (!rep || !rep->opt->release || !ck->res->summary.reservations ||
	    rep->tree_changes || rep->tree_left || ck->shared ||
	    ck->tree_incomplete)
		return ST_OK;
	st = check_forget_used(ck, err);
	return st ? st : walk_tree(ck, &visitor, err);
}
