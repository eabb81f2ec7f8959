/*
 * check_file.c - judges one chain, and one file by its chain
 *
 * One cause gives one finding: a chain that is damaged is not also too short.
 * A sound chain that is longer than the size needs is a reservation
 * (format.md 41).
 */
#include <stdlib.h>

#include "base/array.h"
#include "check/walk.h"

/* The problem of a chain that does not end properly, and where. */
static struct finding chain_problem(const struct claim *claim)
{
	bool starts = !claim->clusters;
	struct finding f = {
		.first = claim->at,
		.last = claim->at,
		.n = claim->value,
	};

	switch (claim->end) {
	case CLAIM_RANGE:
		f.id = starts ? PROBLEM_START_RANGE : PROBLEM_LINK_RANGE;
		break;
	case CLAIM_RESERVED:
		f.id = PROBLEM_LINK_RESERVED;
		break;
	case CLAIM_FREE:
		f.id = starts ? PROBLEM_START_FREE : PROBLEM_LINK_FREE;
		break;
	case CLAIM_BAD:
		f.id = starts ? PROBLEM_START_BAD : PROBLEM_LINK_BAD;
		break;
	case CLAIM_LOOP:
		f.id = PROBLEM_CHAIN_LOOP;
		break;
	default:
		f.id = PROBLEM_CROSS_LINK;
		f.first = f.last = claim->value;
	}
	return f;
}

static enum status note_shared(struct check *ck, clus_t c, struct error *err)
{
	if (!ck->shared)
		ck->shared = bitmap_new((uint64_t)ck->bpb->last_clus + 1);
	if (!ck->shared)
		return error_set_nomem(err);
	bitmap_set(ck->shared, c);
	return ST_OK;
}

enum status check_chain(const struct walk *w, const char *name,
			const struct claim *claim, struct error *err)
{
	enum status st = ST_OK;

	if (claim->end == CLAIM_EOC)
		return ST_OK;
	if (claim->end == CLAIM_SHARED)
		st = note_shared(w->ck, claim->value, err);
	return st ? st : walk_add(w, name, chain_problem(claim), err);
}

static enum status keep_reservation(struct check *ck,
				    const struct reservation *r,
				    struct error *err)
{
	struct check_result *res = ck->res;
	enum status st;

	st = array_reserve(&res->reservations, &res->cap_reservations,
			   res->n_reservations + 1, sizeof(*r), err);
	if (!st)
		res->reservations[res->n_reservations++] = *r;
	return st;
}

static enum status note_reservation(const struct walk *w,
				    const struct dir_entry *e,
				    const struct claim *claim,
				    uint64_t needed, struct error *err)
{
	struct check *ck = w->ck;
	uint64_t extra = claim->clusters - needed;
	struct reservation r = {
		.size_bytes = e->size_bytes,
		.allocated_bytes = (uint64_t)claim->clusters *
				   ck->bpb->cluster_bytes,
		.reserved_bytes = extra * ck->bpb->cluster_bytes,
		.contiguous = claim->runs == 1,
	};
	enum status st = ST_OK;

	ck->res->summary.clusters_reserved += extra;
	ck->res->summary.reservations++;
	if (ck->opt->reservations_error)
		st = walk_add(w, e->name, (struct finding){
			.id = PROBLEM_RESERVATION, .n = extra }, err);
	if (st || ck->res->n_reservations >= ck->opt->max_findings)
		return st;
	r.path = walk_path(w, e->name);
	if (!r.path)
		return error_set_nomem(err);
	st = keep_reservation(ck, &r, err);
	if (st)
		free(r.path);
	return st;
}

enum status check_file(const struct walk *w, const struct dir_entry *e,
		       const struct claim *claim, struct error *err)
{
	const struct bpb *bpb = w->ck->bpb;
	uint64_t needed = bpb_clusters_for(bpb, e->size_bytes);
	struct finding f = { .id = PROBLEM_CHAIN_SHORT };

	if (claim->runs > 1)
		w->ck->res->summary.fragmented_files++;
	if (claim->end != CLAIM_EOC)
		return check_chain(w, e->name, claim, err);
	if (claim->beyond) {
		f.id = PROBLEM_BEYOND_IMAGE;
		f.first = f.last = claim->beyond;
	} else if (claim->clusters > needed) {
		return note_reservation(w, e, claim, needed, err);
	} else if (claim->clusters == needed) {
		return ST_OK;
	} else {
		f.id = e->clus ? PROBLEM_CHAIN_SHORT : PROBLEM_START_NONE;
		f.n = e->size_bytes;
		f.m = (uint64_t)claim->clusters * bpb->cluster_bytes;
	}
	return walk_add(w, e->name, f, err);
}
