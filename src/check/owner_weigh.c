/*
 * owner_weigh.c - what speaks for one of those who come to a shared cluster
 *
 * The evidence, in this order: the entry is no directory that was lost, and in
 * none, as what that has may be somebody else's by now; it is a directory that
 * begins there by one of its dot entries, if the cluster holds some; ".." leads
 * to where the entry is; the whole chain is as long as its entry needs; the
 * cluster is within what the size needs; it is the entry's first one; the link
 * leads to the next cluster. In a tie the first in the walk keeps it. A
 * directory that comes by a link to where another one begins has nearly no
 * evidence.
 *
 * Invariant: the entries of the FAT that are looked at ahead of the walk have
 * a budget, which is in proportion to the clusters.
 */
#include "check/dirstart.h"
#include "check/owner_weigh.h"
#include "check/rescue.h"

#define SCORE_LIVE   128
#define SCORE_ROOT   64
#define SCORE_DOTS   32
#define SCORE_PARENT 16
#define SCORE_FITS   8
#define SCORE_NEEDED 4
#define SCORE_STARTS 2
#define SCORE_NEXT   1

/* Does the chain, from c on, come to its end after exactly left clusters? */
static enum status ends_after(struct check *ck, clus_t c, uint64_t left,
			      uint64_t *budget, bool *yes, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	enum status st;
	uint32_t next;

	*yes = false;
	while (left && *budget && bpb_has_clus(bpb, c)) {
		--*budget;
		st = check_get(ck, c, &next, err);
		if (!st)
			st = check_tick(ck, err);
		if (st)
			return st;
		left--;
		if (fatent_is_eoc(bpb->type, next)) {
			*yes = !left;
			return ST_OK;
		}
		c = next;
	}
	return ST_OK;
}

/* A directory knows where it begins, and whose it is. */
static enum status judge_dir(struct check *ck, const struct walk *w,
			     const struct claim *claim, struct owner_chain *k,
			     struct error *err)
{
	clus_t above = w->depth ? w->frames[w->depth - 1].clus : 0;
	const struct bpb *bpb = ck->bpb;
	struct dirstart start;
	enum status st;

	k->needed = UINT64_MAX;
	k->fits = claim->end == CLAIM_EOC;
	if (!k->e) {
		k->score |= SCORE_ROOT;
		return ST_OK;
	}
	if (!bpb_has_clus(bpb, k->e->clus))
		return ST_OK;
	st = dirstart_read(ck, k->e->clus, &start, err);
	if (dirstart_is_below(bpb, &start, above))
		k->score |= SCORE_DOTS | SCORE_PARENT;
	else if (start.dot)
		k->score |= SCORE_DOTS;
	return st;
}

enum status owner_judge(struct check *ck, const struct walk *w,
			const struct claim *claim, uint64_t *budget,
			struct owner_chain *k, struct error *err)
{
	if (!k->e || !rescue_is_around(w, k->e))
		k->score |= SCORE_LIVE;
	if (!k->e || dirent_is_dir(k->e->raw))
		return judge_dir(ck, w, claim, k, err);
	k->needed = bpb_clusters_for(ck->bpb, k->e->size_bytes);
	k->fits = claim->end == CLAIM_EOC && claim->clusters == k->needed;
	if (claim->end != CLAIM_SHARED || claim->clusters >= k->needed)
		return ST_OK;
	return ends_after(ck, claim->value, k->needed - claim->clusters,
			  budget, &k->fits, err);
}

enum status owner_score(struct check *ck, const struct owner_chain *k,
			clus_t before, clus_t clus, uint64_t index,
			unsigned *score, struct error *err)
{
	struct dirstart start;
	enum status st;

	*score = k->score;
	if (index < k->needed)
		*score += SCORE_NEEDED + (k->fits ? SCORE_FITS : 0);
	if (!before)
		*score += SCORE_STARTS;
	else if (before + 1 == clus)
		*score += SCORE_NEXT;
	if (k->needed != UINT64_MAX)
		return ST_OK;
	st = dirstart_read(ck, clus, &start, err);
	if (!start.entries)
		*score &= ~(unsigned)(SCORE_DOTS | SCORE_PARENT);
	if (dirstart_is_first(&start) && before)
		*score &= SCORE_NEEDED | SCORE_NEXT;
	return st;
}
