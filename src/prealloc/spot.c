/*
 * spot.c - tries every start of a run for a straddling tail
 *
 * Invariant: a spot is safe by its own run alone, so it does not matter which
 * runs follow.
 */
#include "prealloc/spot.h"

#include "base/ckd.h"
#include "change/straddle.h"

struct search {
	struct pool *main, *scrap; /* scrap: for directories, else NULL */
	const struct align *align;
	const struct plan_request *q;
	struct spot best; /* pool: NULL = none yet */
};

bool spot_is_safe(const struct plan_request *q, struct run r)
{
	const struct runs chain = { .v = &r, .n = 1 };
	struct straddle_step step;

	/* a directory: see build_chain() */
	return !q->straddles ||
	       straddle_find(q->behind, q->end_value, r.first,
			     q->directory ? NULL : &chain, &step);
}

/* Clusters of the longest of the first n runs, without the one at skip. */
static clus_t longest(const struct pool *p, size_t *n, size_t skip)
{
	if (*n && *n - 1 == skip)
		(*n)--;
	return *n ? p->v[*n - 1].count : 0;
}

/* Runs that hold rest clusters if the spot is taken; SIZE_MAX = too little. */
static size_t runs_for(const struct search *s, const struct spot *spot,
		       clus_t rest)
{
	const struct run *of = &spot->pool->v[spot->index];
	size_t in_main = spot->pool == s->main ? spot->index : SIZE_MAX;
	size_t in_scrap = spot->pool == s->scrap ? spot->index : SIZE_MAX;
	size_t i = s->main->n, k = s->scrap ? s->scrap->n : 0, runs = 0;
	clus_t before = spot->run.first - of->first, a, b, most;

	for (; rest; rest -= MIN(rest, most), runs++) {
		a = longest(s->main, &i, in_main);
		b = k ? longest(s->scrap, &k, in_scrap) : 0;
		most = MAX(before, MAX(a, b));
		if (!most)
			return SIZE_MAX;
		if (most == before)
			before = 0;
		else if (most == a)
			i--;
		else
			k--;
	}
	return runs;
}

static clus_t length_of(const struct spot *spot)
{
	return spot->pool->v[spot->index].count;
}

static bool is_better(const struct search *s, const struct spot *a)
{
	const struct spot *b = &s->best;

	if (!b->pool)
		return true;
	if (s->q->max && a->run.count != b->run.count)
		return a->run.count > b->run.count;
	if (s->q->max && b->run.first == s->q->behind + 1)
		return false;
	if (s->q->max && a->run.first == s->q->behind + 1)
		return true;
	if (a->runs != b->runs)
		return a->runs < b->runs;
	if (length_of(a) != length_of(b))
		return length_of(a) < length_of(b);
	return a->run.first < b->run.first;
}

static void try_start(struct search *s, struct spot spot)
{
	const struct plan_request *q = s->q;
	size_t others;

	if ((!q->directory && !align_has(s->align, spot.run.first)) ||
	    !spot_is_safe(q, spot.run))
		return;
	if (q->max) {
		if (spot.run.count < q->at_least)
			return;
	} else {
		others = runs_for(s, &spot, q->clusters - spot.run.count);
		if (others >= q->max_runs)
			return;
		spot.runs = others + 1;
	}
	if (is_better(s, &spot))
		s->best = spot;
}

static void try_pool(struct search *s, struct pool *pool)
{
	struct spot spot = { .pool = pool };
	clus_t skip;
	struct run r;

	for (; spot.index < pool->n; spot.index++) {
		r = pool->v[spot.index];
		for (skip = 0; skip < r.count; skip++) {
			spot.run.first = r.first + skip;
			spot.run.count = MIN(r.count - skip, s->q->clusters);
			try_start(s, spot);
		}
	}
}

bool spot_find(struct spot *out, struct space *space,
	       const struct plan_request *q)
{
	struct search s = { .main = &space->main,
			    .scrap = q->directory ? &space->scrap : NULL,
			    .align = &space->align,
			    .q = q };

	try_pool(&s, s.main);
	if (s.scrap)
		try_pool(&s, s.scrap);
	*out = s.best;
	return s.best.pool;
}
