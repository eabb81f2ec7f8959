/*
 * check_lost.c - chains that the FAT has and no file
 *
 * A cluster is lost if its entry is neither free nor bad and the tree did not
 * take it. A lost chain begins where no entry links to; what is left over
 * when all such chains are taken is rings. Each lost cluster is taken as it
 * is met, so both passes together are linear, and merging chains are cut
 * where they meet.
 */
#include "base/ckd.h"
#include "check/work.h"

static enum status add_lost(struct check *ck, enum problem_id id,
			    const struct claim *claim, struct error *err)
{
	return check_add(ck, (struct finding){
		.id = id, .first = claim->first, .last = claim->at,
		.n = claim->clusters }, err);
}

/* Takes the chain at c if c is lost. */
static enum status take_lost(struct check *ck, clus_t c, enum problem_id id,
			     struct error *err)
{
	struct claim claim;
	enum status st;

	st = claim_chain(ck, c, NULL, NULL, &claim, err);
	if (st || !claim.clusters)
		return st;
	return add_lost(ck, id, &claim, err);
}

/* Each lost cluster that is a head, or (rings) each that is left. */
static enum status pass(struct check *ck, bool rings, struct error *err)
{
	uint64_t all = (uint64_t)ck->bpb->last_clus + 1, c = 2;
	enum problem_id id = rings ? PROBLEM_LOST_RING : PROBLEM_LOST_CHAIN;
	enum status st = ST_OK;

	while (!st && ck->used_count < ck->res->summary.clusters_used) {
		c = bitmap_next_clear(ck->used, c);
		if (c >= all)
			break;
		if (rings || !bitmap_get(ck->linked, c))
			st = take_lost(ck, (clus_t)c, id, err);
		if (!st)
			st = check_tick(ck, err);
		c++;
	}
	return st;
}

enum status check_lost(struct check *ck, struct error *err)
{
	enum status st;

	if (ck->tree_incomplete)
		return check_note(ck, PROBLEM_LOST_UNKNOWN, 0, 0, err);
	st = pass(ck, false, err);
	return st ? st : pass(ck, true, err);
}
