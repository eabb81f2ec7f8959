/*
 * place.c - first behind the tail, then best fit
 *
 * Invariant: a cluster is taken out of the space, or put back, as a whole run
 * that is then split; nothing is in the space and in a request.
 */
#include "prealloc/place.h"

#include "base/ckd.h"
#include "prealloc/spot.h"

clus_t place_missing(const struct plan_request *q)
{
	return q->clusters - (clus_t)runs_clusters(&q->runs);
}

/* Takes up to want clusters of r behind its first skip; the rest goes back. */
static enum status take(struct space *s, struct plan_request *q, struct run r,
			clus_t skip, clus_t want, struct error *err)
{
	clus_t n = MIN(r.count - skip, want), at = r.first + skip;
	enum status st;

	st = runs_push(&q->runs, (struct run){ at, n }, err);
	if (!st)
		st = space_put(s, (struct run){ r.first, skip }, err);
	if (st)
		return st;
	return space_put(s, (struct run){ at + n, r.count - skip - n }, err);
}

static bool will_do(const struct space *s, const struct plan_request *q)
{
	struct run r = { q->after.first, MIN(q->after.count, q->clusters) };

	if (q->max || !r.count)
		return false;
	if (!q->directory && !align_has(&s->align, r.first))
		return false;
	if (!spot_is_safe(q, r))
		return false;
	return r.count == q->clusters || q->max_runs > 1;
}

enum status place_behind(struct space *s, struct plan_request *q, bool wanted,
			 struct error *err)
{
	if (wanted && will_do(s, q))
		return take(s, q, q->after, 0, q->clusters, err);
	return space_put(s, q->after, err);
}

/* The pool whose run at *index is the better one for n clusters. */
static struct pool *choose(struct space *s, const struct plan_request *q,
			   clus_t n, size_t *index)
{
	size_t at;
	bool whole = pool_best_fit(&s->main, n, index);

	if (q->directory && pool_best_fit(&s->scrap, n, &at) &&
	    (!whole || s->scrap.v[at].count < s->main.v[*index].count)) {
		*index = at;
		return &s->scrap;
	}
	if (whole)
		return &s->main;
	if (q->directory && pool_longest(&s->scrap, &at) &&
	    (!pool_longest(&s->main, index) ||
	     s->scrap.v[at].count > s->main.v[*index].count)) {
		*index = at;
		return &s->scrap;
	}
	return pool_longest(&s->main, index) ? &s->main : NULL;
}

/* The first run of a request that straddles and has none yet. */
static enum status place_first(struct space *s, struct plan_request *q,
			       bool *fits, struct error *err)
{
	struct plan_request plain = *q;
	struct spot spot;
	struct run r;

	*fits = spot_find(&spot, s, q);
	if (!*fits) {
		plain.straddles = false;
		q->no_step = spot_find(&spot, s, &plain);
		return ST_OK;
	}
	r = pool_remove(spot.pool, spot.index);
	return take(s, q, r, spot.run.first - r.first, q->clusters, err);
}

enum status place_rest(struct space *s, struct plan_request *q, bool *fits,
		       struct error *err)
{
	clus_t n = place_missing(q);
	struct pool *pool;
	struct run r;
	size_t index;
	enum status st;

	*fits = true;
	if (n && q->straddles && !q->runs.n) {
		st = place_first(s, q, fits, err);
		if (st || !*fits)
			return st;
		n = place_missing(q);
	}
	while (n) {
		pool = choose(s, q, n, &index);
		*fits = pool && q->runs.n < q->max_runs &&
			(pool->v[index].count >= n ||
			 q->runs.n + 1 < q->max_runs);
		if (!*fits)
			return ST_OK;
		r = pool_remove(pool, index);
		st = take(s, q, r, 0, n, err);
		if (st)
			return st;
		n -= MIN(n, r.count);
	}
	return ST_OK;
}

/* The run behind the file if it is as long as any. */
enum status place_max(struct space *s, struct plan_request *q,
		      struct error *err)
{
	struct pool *pool = &s->main;
	size_t index, i;
	bool fits;

	if (q->straddles)
		return place_first(s, q, &fits, err);
	if (!pool_longest(pool, &index) ||
	    pool->v[index].count < q->at_least)
		return ST_OK;
	for (i = index; i && pool->v[i - 1].count == pool->v[index].count;)
		if (pool->v[--i].first == q->behind + 1)
			index = i;
	return take(s, q, pool_remove(pool, index), 0, q->clusters, err);
}
