/*
 * check_file.c - judges one chain, and one file by its chain
 *
 * One cause gives one finding: a chain that is damaged is not also too short.
 * A sound chain that is longer than the size needs is a reservation
 * (format.md 41).
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/check_dir.h"
#include "check/dirstart.h"
#include "check/repair_in.h"
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

/*
 * Is the free cluster that e begins with its own nevertheless? That of a file
 * with a size is, and so is the root's; a directory's if it holds one.
 */
static enum status is_own(const struct walk *w, const struct dir_entry *e,
			  clus_t c, bool *own, struct error *err)
{
	struct check *ck = w->ck;
	struct dirstart start;
	enum status st;

	*own = !e;
	if (!e || c > ck->image_last_clus)
		return ST_OK;
	*own = e->size_bytes > 0;
	if (!dirent_is_dir(e->raw))
		return ST_OK;
	st = dirstart_read(ck, c, &start, err);
	*own = start.dot || dirstart_is_below(ck->bpb, &start,
					      w->frames[w->depth - 1].clus);
	return st;
}

/* An entry, or the root, whose first cluster is none. */
static enum status mend_start(const struct walk *w, const struct dir_entry *e,
			      const struct claim *claim, struct error *err)
{
	struct check *ck = w->ck;
	enum status st = ST_OK;
	bool own = false;

	if (claim->end == CLAIM_FREE)
		st = is_own(w, e, claim->value, &own, err);
	if (st)
		return st;
	if (own) {
		/* Nobody else may take it in this round. */
		bitmap_set(ck->used, claim->value);
		ck->dir_returns |= !e || dirent_is_dir(e->raw);
		return repair_link(ck, claim->value, FATENT_FREE,
				   fatent_eoc(ck->bpb->type), err);
	}
	return dirent_is_dir(e->raw) ? check_remove_dir(w, e, err)
				     : repair_empty(ck, e, err);
}

/* What a chain that does not end properly becomes. */
static enum status mend_chain(const struct walk *w, const struct dir_entry *e,
			      const struct claim *claim, struct error *err)
{
	struct check *ck = w->ck;

	if (claim->end == CLAIM_SHARED) {
		repair_tree_changes(ck);
		ck->settle_comers++;
		return check_settle(ck, claim->value, err);
	}
	if (claim->clusters)
		return repair_cut(ck, claim->at, claim->value, err);
	return mend_start(w, e, claim, err);
}

/* Do more come to shared clusters than a round can settle? */
static bool must_wait(const struct check *ck, const struct claim *claim)
{
	return ck->rep && claim->end == CLAIM_SHARED &&
	       ck->settle_comers >= CHECK_SETTLE_MAX;
}

/* The root has no entry that could be made empty. */
static bool can_mend(const struct dir_entry *e, const struct claim *claim)
{
	return e || claim->clusters || claim->end == CLAIM_FREE;
}

enum status check_chain(const struct walk *w, const struct dir_entry *e,
			const struct claim *claim, struct error *err)
{
	const char *name = e ? e->name : NULL;
	struct check *ck = w->ck;
	enum status st = ST_OK;
	bool fix;

	if (claim->end == CLAIM_EOC)
		return ST_OK;
	if (claim->end == CLAIM_SHARED)
		st = note_shared(ck, claim->value, err);
	if (!st && must_wait(ck, claim)) {
		ck->rep->postponed = true;
		repair_tree_changes(ck);
		return ST_OK;
	}
	if (!st && !can_mend(e, claim))
		return walk_add(w, name, chain_problem(claim), err);
	if (!st)
		st = walk_offer(w, name, chain_problem(claim), &fix, err);
	return st || !fix ? st : mend_chain(w, e, claim, err);
}

static enum status keep_reservation(struct check *ck,
				    const struct reservation *r,
				    struct error *err)
{
	struct check_result *res = ck->res;
	enum status st;

	st = array_reserve(&res->reservations, &res->cap_reservations,
			   res->n_reservations + 1, sizeof(*r), err);
	if (st)
		return st;
	res->reservation_bytes += strlen(r->path) + 1;
	res->reservations[res->n_reservations++] = *r;
	return ST_OK;
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
	/* check_release.c has those that are given back. */
	if (ck->opt->reservations_error)
		st = walk_add(w, e->name, (struct finding){
			.id = PROBLEM_RESERVATION, .n = extra }, err);
	if (st || (ck->rep && ck->rep->counted) ||
	    ck->res->n_reservations >= ck->opt->max_findings ||
	    ck->res->reservation_bytes / FINDING_PATHS_EACH >=
		    ck->opt->max_findings)
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
	enum status st;
	bool fix;

	if (claim->runs > 1)
		w->ck->res->summary.fragmented_files++;
	if (claim->end != CLAIM_EOC)
		return check_chain(w, e, claim, err);
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
		st = walk_offer(w, e->name, f, &fix, err);
		if (st || !fix)
			return st;
		return repair_size(w->ck, e, (uint32_t)f.m, err);
	}
	return walk_add(w, e->name, f, err);
}
