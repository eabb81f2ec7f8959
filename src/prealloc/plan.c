/*
 * plan.c - which clusters each request gets
 *
 * Pure: free runs and requests in, runs out. First choice is directly behind
 * the file's last cluster, so that the file is one run as a whole; the rest
 * is best fit, the largest request first, then what asks for the largest
 * run. If that leaves somebody out, once more without the first choice.
 * Invariant: every free cluster is in one place at most: a pool, `after` of
 * one request, or the runs of one request.
 */
#include "prealloc/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "prealloc/pool.h"

struct tail {
	clus_t behind;
	size_t index; /* of the request */
};

struct plan {
	struct plan_request *req;
	size_t n;
	struct plan_align align;
	struct pool offered, offered_scrap; /* as the scan left them */
	struct pool main;  /* runs that start aligned */
	struct pool scrap; /* what lies before an aligned cluster */
	struct tail *tails; /* by cluster */
	size_t n_tails;
	size_t *order;
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
	uint64_t t;

	while (b) {
		t = a % b;
		a = b;
		b = t;
	}
	return a;
}

/* The x < m with a * x = 1 modulo m, where a and m have no common factor. */
static uint64_t inverse(uint64_t a, uint64_t m)
{
	__int128 old_r = a % m, r = m, old_s = 1, s = 0, q, t;

	while (r) {
		q = old_r / r;
		t = old_r - q * r;
		old_r = r;
		r = t;
		t = old_s - q * s;
		old_s = s;
		s = t;
	}
	return (uint64_t)((old_s % m + m) % m);
}

bool plan_align_init(struct plan_align *a, uint64_t align_bytes,
		     uint64_t data_bytes, uint32_t cluster_bytes)
{
	uint64_t g, m, x;

	*a = (struct plan_align){ .step = 1 };
	if (align_bytes <= 1)
		return true;
	g = gcd(align_bytes, cluster_bytes);
	if (data_bytes % g)
		return false;
	/* data + x * cluster = 0 modulo align, for x = c - 2 */
	m = align_bytes / g;
	x = (m - data_bytes / g % m) % m;
	x = (uint64_t)((unsigned __int128)x *
		       inverse(cluster_bytes / g, m) % m);
	a->step = m;
	a->remainder = (x + 2) % m;
	return true;
}

static bool is_aligned(const struct plan *p, clus_t c)
{
	return c % p->align.step == p->align.remainder;
}

/* Splits r into what lies before its first aligned cluster, and the rest. */
static void split(const struct plan *p, struct run r, struct run *scrap,
		  struct run *body)
{
	uint64_t step = p->align.step, off = r.first % step;
	uint64_t skip = (p->align.remainder + step - off) % step;
	clus_t n = (clus_t)MIN(skip, (uint64_t)r.count);

	*scrap = (struct run){ r.first, n };
	*body = (struct run){ r.first + n, r.count - n };
}

static int by_behind(const void *a, const void *b)
{
	const struct tail *x = a, *y = b;

	return (x->behind > y->behind) - (x->behind < y->behind);
}

static void collect_tails(struct plan *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->req[i].behind)
			p->tails[p->n_tails++] =
				(struct tail){ p->req[i].behind, i };
	if (p->n_tails)
		qsort(p->tails, p->n_tails, sizeof(*p->tails), by_behind);
}

static int by_size(const void *a, const void *b)
{
	const clus_t x = *(const clus_t *)a, y = *(const clus_t *)b;

	return (x > y) - (x < y);
}

/* Sizes asked for, thinned out to POOL_CLASSES_MAX; each counts them all. */
static enum status set_classes(struct plan *p, struct error *err)
{
	clus_t *sizes = calloc(p->n + 1, sizeof(*sizes));
	size_t i, n = 0, step;

	if (!sizes)
		return error_set_nomem(err);
	for (i = 0; i < p->n; i++)
		sizes[i] = p->req[i].clusters;
	qsort(sizes, p->n, sizeof(*sizes), by_size);
	for (i = 0; i < p->n; i++)
		if (!n || sizes[n - 1] != sizes[i])
			sizes[n++] = sizes[i];
	step = div_round_up(n, POOL_CLASSES_MAX);
	for (i = 0; i < n; i += step)
		p->offered.classes[p->offered.n_classes++] =
			(struct pool_class){ sizes[i], p->n };
	free(sizes);
	return ST_OK;
}

static enum status set_pools(struct plan *p, struct error *err)
{
	size_t i;
	enum status st;

	st = set_classes(p, err);
	if (st)
		return st;
	for (i = 0; i < p->n; i++)
		p->offered.largest +=
			MIN(p->req[i].max_runs, p->req[i].clusters);
	p->offered_scrap.largest = p->offered.largest;
	pool_init_limit(&p->offered);
	pool_init_limit(&p->offered_scrap);
	return ST_OK;
}

enum status plan_open(struct plan **out, struct plan_request *req, size_t n,
		      struct plan_align align, struct error *err)
{
	struct plan *p = calloc(1, sizeof(*p));
	enum status st = ST_NOMEM;

	if (!p)
		return error_set_nomem(err);
	*p = (struct plan){ .req = req, .n = n, .align = align };
	p->tails = calloc(n + 1, sizeof(*p->tails));
	p->order = calloc(n + 1, sizeof(*p->order));
	if (p->tails && p->order)
		st = set_pools(p, err);
	else
		error_set_nomem(err);
	if (st) {
		plan_close(p);
		return st;
	}
	collect_tails(p);
	*out = p;
	return ST_OK;
}

void plan_close(struct plan *p)
{
	if (!p)
		return;
	pool_free(&p->offered);
	pool_free(&p->offered_scrap);
	pool_free(&p->main);
	pool_free(&p->scrap);
	free(p->tails);
	free(p->order);
	free(p);
}

enum status plan_offer(void *plan, struct run run, struct error *err)
{
	struct plan *p = plan;
	struct tail key = { run.first - 1, 0 }, *tail = NULL;
	struct run scrap, body;
	enum status st;

	if (p->n_tails)
		tail = bsearch(&key, p->tails, p->n_tails, sizeof(key),
			       by_behind);
	if (tail) {
		p->req[tail->index].after = run;
		return ST_OK;
	}
	split(p, run, &scrap, &body);
	st = pool_add(&p->offered_scrap, scrap, err);
	return st ? st : pool_add(&p->offered, body, err);
}

/* Gives back what is left of a run. */
static enum status put_back(struct plan *p, struct run r, struct error *err)
{
	struct run scrap, body;
	enum status st;

	split(p, r, &scrap, &body);
	st = pool_insert(&p->scrap, scrap, err);
	return st ? st : pool_insert(&p->main, body, err);
}

/* Takes up to want clusters from the front of r. */
static enum status take(struct plan *p, struct plan_request *q, struct run r,
			clus_t want, struct error *err)
{
	clus_t n = MIN(r.count, want);
	enum status st;

	st = runs_push(&q->runs, (struct run){ r.first, n }, err);
	if (st)
		return st;
	return put_back(p, (struct run){ r.first + n, r.count - n }, err);
}

static bool takes_after(const struct plan *p, const struct plan_request *q)
{
	if (q->max || !q->after.count)
		return false;
	if (!q->unaligned && !is_aligned(p, q->after.first))
		return false;
	return q->after.count >= q->clusters || q->max_runs > 1;
}

static enum status place_behind(struct plan *p, bool prefer_behind,
				struct error *err)
{
	struct plan_request *q;
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < p->n; i++) {
		q = &p->req[i];
		if (prefer_behind && takes_after(p, q))
			st = take(p, q, q->after, q->clusters, err);
		else
			st = put_back(p, q->after, err);
	}
	return st;
}

static clus_t missing(const struct plan_request *q)
{
	return q->clusters - (clus_t)runs_clusters(&q->runs);
}

/* The pool whose run at *index is the better one for n clusters. */
static struct pool *choose(struct plan *p, const struct plan_request *q,
			   clus_t n, size_t *index)
{
	size_t at;
	bool whole = pool_best_fit(&p->main, n, index);

	if (q->unaligned && pool_best_fit(&p->scrap, n, &at) &&
	    (!whole || p->scrap.v[at].count < p->main.v[*index].count)) {
		*index = at;
		return &p->scrap;
	}
	if (whole)
		return &p->main;
	if (q->unaligned && pool_longest(&p->scrap, &at) &&
	    (!pool_longest(&p->main, index) ||
	     p->scrap.v[at].count > p->main.v[*index].count)) {
		*index = at;
		return &p->scrap;
	}
	return pool_longest(&p->main, index) ? &p->main : NULL;
}

/* One run if there is one that fits, else the longest first. */
static enum status place(struct plan *p, struct plan_request *q, bool *fits,
			 struct error *err)
{
	struct pool *pool;
	size_t index;
	clus_t n;
	enum status st;

	while ((n = missing(q))) {
		pool = choose(p, q, n, &index);
		*fits = pool && q->runs.n < q->max_runs &&
			(pool->v[index].count >= n ||
			 q->runs.n + 1 < q->max_runs);
		if (!*fits)
			return ST_OK;
		st = take(p, q, pool_remove(pool, index), n, err);
		if (st)
			return st;
	}
	return ST_OK;
}

/* The run behind the file if it is as long as any. */
static enum status place_max(struct plan *p, struct plan_request *q,
			     struct error *err)
{
	struct pool *pool = &p->main;
	size_t index, i;

	if (!pool_longest(pool, &index) ||
	    pool->v[index].count < q->at_least)
		return ST_OK;
	for (i = index; i < pool->n && q->behind; i++)
		if (pool->v[i].first == q->behind + 1)
			index = i;
	return take(p, q, pool_remove(pool, index), q->clusters, err);
}

static bool goes_first(const struct plan *p, size_t a, size_t b)
{
	const struct plan_request *x = &p->req[a], *y = &p->req[b];

	if (x->max != y->max)
		return y->max;
	if (!x->max && missing(x) != missing(y))
		return missing(x) > missing(y);
	return a < b;
}

static int by_turn(const void *a, const void *b, void *plan)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x == y ? 0 : goes_first(plan, x, y) ? -1 : 1;
}

static enum status restart(struct plan *p, struct error *err)
{
	size_t i;
	enum status st;

	for (i = 0; i < p->n; i++)
		runs_free(&p->req[i].runs);
	pool_free(&p->main);
	pool_free(&p->scrap);
	st = pool_copy(&p->main, &p->offered, err);
	if (!st)
		st = pool_copy(&p->scrap, &p->offered_scrap, err);
	pool_sort(&p->main);
	pool_sort(&p->scrap);
	return st;
}

static enum status attempt(struct plan *p, bool prefer_behind, bool *fits,
			   size_t *failed, struct error *err)
{
	struct plan_request *q;
	size_t i;
	enum status st;

	*fits = true;
	st = restart(p, err);
	if (!st)
		st = place_behind(p, prefer_behind, err);
	for (i = 0; i < p->n; i++)
		p->order[i] = i;
	qsort_r(p->order, p->n, sizeof(*p->order), by_turn, p);
	for (i = 0; !st && *fits && i < p->n; i++) {
		*failed = p->order[i];
		q = &p->req[*failed];
		st = q->max ? place_max(p, q, err) : place(p, q, fits, err);
	}
	return st;
}

enum status plan_requests(struct plan *p, size_t *failed, struct error *err)
{
	bool fits = false;
	enum status st;

	st = attempt(p, true, &fits, failed, err);
	if (!st && !fits)
		st = attempt(p, false, &fits, failed, err);
	if (!st && !fits)
		return error_set(err, ST_REFUSED, "no room");
	return st;
}

clus_t plan_first_left(const struct plan *p)
{
	clus_t first = 0;
	size_t i;

	for (i = 0; i < p->main.n; i++)
		if (!first || p->main.v[i].first < first)
			first = p->main.v[i].first;
	for (i = 0; i < p->scrap.n; i++)
		if (!first || p->scrap.v[i].first < first)
			first = p->scrap.v[i].first;
	return first;
}
