/*
 * clone.c - plans a copy of shared clusters
 *
 * The clusters are copied as they stand in the chain, up to what the file's
 * size needs or to where the chain is damaged. Contents and the new chain are
 * durable before a link or an entry leads there (law 4), so a cut leaves a
 * lost chain. Invariants: all copies together need no more steps than there
 * are free clusters, and those that come to nothing have a budget in
 * proportion to the clusters; the pieces of a round are bounded.
 */
#include "check/clone.h"

#include "base/ckd.h"
#include "change/straddle.h"

#define BUDGET_PER_CLUSTER 4
#define PIECES_MAX	   131072 /* of a round: 4 MB */

/* What there is to copy. */
struct source {
	uint64_t clusters, runs;
	bool too_long; /* for the room there is, or for the budget */
	bool beyond;   /* part of it is not in the image */
};

bool clone_is_wanted(const struct check *ck)
{
	const struct repair_options *opt = ck->rep->opt;

	return opt->lost == REPAIR_LOST_SAVE ||
	       (opt->lost == REPAIR_LOST_DEFAULT &&
		opt->mode != REPAIR_PREEN);
}

static enum status open_spare(struct clone *cl, struct bitmap *banned,
			      struct error *err)
{
	if (cl->open)
		return ST_OK;
	cl->open = true;
	cl->budget = check_budget(cl->ck, BUDGET_PER_CLUSTER);
	cl->spare = (struct spare){ .ck = cl->ck, .banned = banned };
	return spare_open(&cl->spare, err);
}

void clone_close(struct clone *cl)
{
	spare_close(&cl->spare);
}

/* A chain that comes to this cluster again loops (Brent). */
struct mark {
	clus_t clus;
	uint64_t steps, next;
};

static bool meets(struct mark *m, clus_t c)
{
	if (m->next && c == m->clus)
		return true;
	if (m->steps++ == m->next) {
		m->clus = c;
		m->next = m->next ? 2 * m->next : 1;
		m->steps = 0;
	}
	return false;
}

/* The cluster that is about to be counted; *done: it is none. */
static void count(struct clone *cl, struct source *s, clus_t c, clus_t last,
		  bool *done)
{
	const struct check *ck = cl->ck;

	s->beyond = c > ck->image_last_clus;
	s->too_long = !cl->budget || ck->res->summary.clusters_free <=
					     ck->rep->taken + s->clusters;
	*done = s->beyond || s->too_long;
	if (*done)
		return;
	cl->budget--;
	s->runs += !s->clusters || c != last + 1;
	s->clusters++;
}

/* Of a chain that comes back after so many clusters: how many there are. */
static enum status count_once(struct check *ck, clus_t from, uint64_t back,
			      uint64_t *clusters, struct error *err)
{
	clus_t ahead = from, c = from;
	enum status st = ST_OK;
	uint64_t i;

	for (i = 0; i < back && !st; i++)
		st = check_get(ck, ahead, &ahead, err);
	for (*clusters = back; c != ahead && !st; ++*clusters) {
		st = check_get(ck, c, &c, err);
		if (!st)
			st = check_get(ck, ahead, &ahead, err);
	}
	return st;
}

/* What is not free or bad, each cluster once. */
static enum status measure(struct clone *cl, const struct clone_for *f,
			   struct source *s, struct error *err)
{
	const struct bpb *bpb = cl->ck->bpb;
	struct mark mark = { 0 };
	clus_t c = f->from, last = 0;
	bool done = false;
	enum status st;
	uint32_t next;

	while (!done && s->clusters < f->clusters && bpb_has_clus(bpb, c)) {
		st = check_get(cl->ck, c, &next, err);
		if (!st)
			st = check_tick(cl->ck, err);
		if (st)
			return st;
		if (!fatent_is_used(bpb->type, next))
			break;
		if (meets(&mark, c))
			return count_once(cl->ck, f->from, mark.steps + 1,
					  &s->clusters, err);
		count(cl, s, c, last, &done);
		last = c;
		c = next;
	}
	return ST_OK;
}

static enum status copy_contents(struct check *ck, const struct clone_for *f,
				 const struct runs *runs, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	enum status st = ST_OK;
	clus_t c = f->from, i;
	size_t r;

	for (r = 0; r < runs->n; r++) {
		for (i = 0; i < runs->v[r].count && !st; i++) {
			st = edits_add_copy(&ck->rep->edits,
					    bpb_clus_offset(bpb, c),
					    bpb_clus_offset(bpb,
						runs->v[r].first + i),
					    bpb->cluster_bytes, err);
			if (!st)
				st = check_get(ck, c, &c, err);
		}
	}
	return st;
}

/* Is there no value in between that is sound? What is there is not, either. */
static bool is_unsafe(const struct check *ck, const struct clone_for *f,
		      clus_t first)
{
	struct straddle_step step;

	return f->before && straddle_is(ck->bpb, f->before) &&
	       !straddle_find(f->before, f->from, first, NULL, &step);
}

/* The new chain, and who leads to it. */
static enum status link_up(struct check *ck, const struct clone_for *f,
			   const struct runs *runs, struct error *err)
{
	struct edits *e = &ck->rep->edits;
	clus_t first = runs->v[0].first;
	enum status st;

	if (is_unsafe(ck, f, first)) {
		st = edits_add_chain(e, ck->bpb->type, runs, 0, err);
		return st ? st : repair_link(ck, f->before, f->from, first,
					     err);
	}
	st = straddle_add_chain(e, ck->bpb, f->before, f->from, runs, false,
				err);
	if (!st && !f->before)
		st = repair_start(ck, f->e, first, err);
	return st;
}

static enum status plan(struct clone *cl, const struct clone_for *f,
			uint64_t clusters, enum clone_outcome *outcome,
			struct error *err)
{
	const struct spare_tail tail = { f->before, f->from };
	struct runs runs = { 0 };
	enum status st;

	st = spare_take(&cl->spare, clusters, &tail, &runs, err);
	if (!st && runs.n) {
		*outcome = CLONE_DONE;
		cl->ck->rep->taken += clusters;
		repair_tree_changes(cl->ck);
		st = copy_contents(cl->ck, f, &runs, err);
		if (!st)
			st = link_up(cl->ck, f, &runs, err);
	}
	runs_free(&runs);
	return st;
}

enum status clone_plan(struct clone *cl, struct bitmap *banned,
		       const struct clone_for *f, enum clone_outcome *outcome,
		       struct error *err)
{
	const struct edits *e = &cl->ck->rep->edits;
	struct source s = { 0 };
	enum status st;

	*outcome = CLONE_NOT;
	/* Another repair ends the chain where the copy would begin. */
	if (f->before && e->ends && bitmap_get(e->ends, f->before))
		return ST_OK;
	st = open_spare(cl, banned, err);
	if (!st)
		st = measure(cl, f, &s, err);
	if (st || s.beyond || s.too_long || !s.clusters)
		return st;
	if (e->n_copies + s.runs + SPARE_RUNS_MAX > PIECES_MAX) {
		if (e->n_copies)
			*outcome = CLONE_WAIT;
		return ST_OK;
	}
	return plan(cl, f, s.clusters, outcome, err);
}
