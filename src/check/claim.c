/*
 * claim.c - follows a chain and takes its clusters for one owner
 *
 * Invariant: a cluster is taken once, and only if it is neither free nor
 * bad; a chain that comes to one that is taken ends there. So all chains
 * together are followed in time linear in clusters, whatever they do.
 */
#include "check/work.h"

#define OLD_EOC 0xFF0 /* FAT12, DOS before 3 */

static bool is_end_mark(enum fat_type type, uint32_t value)
{
	return fatent_is_eoc(type, value) ||
	       (type == FAT12 && value == OLD_EOC);
}

/* Is c among the clusters that this claim took? They are read once more. */
static enum status is_own(struct check *ck, const struct claim *claim,
			  clus_t c, bool *own, struct error *err)
{
	clus_t at = claim->first, i;
	enum status st = ST_OK;

	*own = false;
	for (i = 0; i < claim->clusters && !st; i++) {
		if (at == c) {
			*own = true;
			return ST_OK;
		}
		st = check_get(ck, at, &at, err);
		if (!st)
			st = check_tick(ck, err);
	}
	return st;
}

/* c is taken already: by this chain or another? */
static enum status meet_taken(struct check *ck, struct claim *out, clus_t c,
			      struct error *err)
{
	enum status st;
	bool own;

	st = is_own(ck, out, c, &own, err);
	if (st)
		return st;
	out->end = own ? CLAIM_LOOP : CLAIM_SHARED;
	return ST_OK;
}

static void take(struct check *ck, struct claim *out, clus_t c)
{
	bitmap_set(ck->used, c);
	ck->used_count++;
	if (!out->clusters++)
		out->first = c;
	if (out->clusters == 1 || c != out->at + 1)
		out->runs++;
	if (!out->beyond && c > ck->image_last_clus)
		out->beyond = c;
	out->at = c;
}

/* Looks at c and takes it if it can be had; else *done. */
static enum status step(struct check *ck, struct claim *out, clus_t c,
			bool *done, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	enum status st;
	uint32_t next;

	*done = true;
	out->value = c;
	if (!bpb_has_clus(bpb, c)) {
		out->end = CLAIM_RANGE;
		return ST_OK;
	}
	if (bitmap_get(ck->used, c))
		return meet_taken(ck, out, c, err);
	if (ck->may_take && !ck->may_take(ck->may_take_arg,
					  out->clusters ? out->at : 0, c)) {
		out->end = CLAIM_SHARED;
		return ST_OK;
	}
	st = check_get(ck, c, &next, err);
	if (st)
		return st;
	if (!fatent_is_used(bpb->type, next)) {
		out->end = next == FATENT_FREE ? CLAIM_FREE : CLAIM_BAD;
		return ST_OK;
	}
	take(ck, out, c);
	out->value = next;
	if (bpb_has_clus(bpb, next)) {
		*done = false;
		return ST_OK;
	}
	if (is_end_mark(bpb->type, next))
		out->end = CLAIM_EOC;
	else if (fatent_is_reserved(bpb->type, next))
		out->end = CLAIM_RESERVED;
	else
		out->end = CLAIM_RANGE;
	return ST_OK;
}

enum status claim_chain(struct check *ck, clus_t first, claim_fn *fn,
			void *arg, struct claim *out, struct error *err)
{
	clus_t taken;
	enum status st;
	bool done;

	*out = (struct claim){ .value = first };
	do {
		taken = out->clusters;
		st = step(ck, out, out->value, &done, err);
		if (!st && fn && out->clusters != taken)
			st = fn(arg, out->at, err);
		if (!st)
			st = check_tick(ck, err);
	} while (!st && !done);
	return st;
}
