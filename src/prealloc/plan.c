/*
 * plan.c - which clusters each request gets
 *
 * Pure: free runs and requests in, runs out. First choice is directly behind
 * the file's last cluster, so that the file is one run as a whole; the rest
 * is best fit, the largest request first, then what asks for the largest
 * run. If that leaves somebody out, once more with those first that can't
 * take any run (spot.h), and without the first choice.
 * Invariant: every free cluster is in one place at most: the space, `after`
 * of one request, or the runs of one request.
 */
#include "prealloc/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "prealloc/place.h"
#include "prealloc/spot.h"

struct tail {
	clus_t behind;
	size_t index; /* of the request */
};

struct plan {
	struct plan_request *req;
	size_t n;
	struct space offered; /* by the scan */
	struct space left;    /* by the requests so far */
	struct tail *tails; /* by cluster */
	size_t n_tails;
	size_t *order;
	bool straddles;	      /* a request does */
	bool straddles_first; /* in order */
};

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
	struct pool *main = &p->offered.main;
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
		main->classes[main->n_classes++] =
			(struct pool_class){ sizes[i], p->n };
	free(sizes);
	return ST_OK;
}

static enum status set_pools(struct plan *p, struct error *err)
{
	size_t i, largest = 0;
	enum status st;

	st = set_classes(p, err);
	if (st)
		return st;
	for (i = 0; i < p->n; i++) {
		p->straddles |= p->req[i].straddles;
		largest += MIN(p->req[i].max_runs, p->req[i].clusters);
	}
	if (p->straddles)
		largest += SPOT_RUNS_MAX;
	p->offered.main.largest = p->offered.scrap.largest = largest;
	pool_init_limit(&p->offered.main);
	pool_init_limit(&p->offered.scrap);
	return ST_OK;
}

enum status plan_open(struct plan **out, struct plan_request *req, size_t n,
		      struct align align, struct error *err)
{
	struct plan *p = calloc(1, sizeof(*p));
	enum status st = ST_NOMEM;

	if (!p)
		return error_set_nomem(err);
	*p = (struct plan){ .req = req, .n = n, .offered.align = align };
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
	space_free(&p->offered);
	space_free(&p->left);
	free(p->tails);
	free(p->order);
	free(p);
}

enum status plan_offer(void *plan, struct run run, struct error *err)
{
	struct plan *p = plan;
	struct tail key = { run.first - 1, 0 }, *tail = NULL;

	if (p->n_tails)
		tail = bsearch(&key, p->tails, p->n_tails, sizeof(key),
			       by_behind);
	if (tail) {
		p->req[tail->index].after = run;
		return ST_OK;
	}
	return space_offer(&p->offered, run, err);
}

static bool goes_first(const struct plan *p, size_t a, size_t b)
{
	const struct plan_request *x = &p->req[a], *y = &p->req[b];

	if (x->max != y->max)
		return y->max;
	if (p->straddles_first && x->straddles != y->straddles)
		return x->straddles;
	if (!x->max && place_missing(x) != place_missing(y))
		return place_missing(x) > place_missing(y);
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

	for (i = 0; i < p->n; i++) {
		runs_free(&p->req[i].runs);
		p->req[i].no_step = false;
	}
	space_free(&p->left);
	return space_copy(&p->left, &p->offered, err);
}

static enum status attempt(struct plan *p, bool behind, bool *fits,
			   size_t *failed, struct error *err)
{
	struct plan_request *q;
	size_t i;
	enum status st;

	*fits = true;
	st = restart(p, err);
	for (i = 0; !st && i < p->n; i++) {
		p->order[i] = i;
		st = place_behind(&p->left, &p->req[i], behind, err);
	}
	if (st)
		return st;
	qsort_r(p->order, p->n, sizeof(*p->order), by_turn, p);
	for (i = 0; !st && *fits && i < p->n; i++) {
		*failed = p->order[i];
		q = &p->req[*failed];
		st = q->max ? place_max(&p->left, q, err)
			    : place_rest(&p->left, q, fits, err);
	}
	return st;
}

enum status plan_requests(struct plan *p, size_t *failed, struct error *err)
{
	bool fits = false;
	unsigned i;
	enum status st = ST_OK;

	for (i = 0; !st && !fits && i < 4; i++) {
		p->straddles_first = i & 1;
		if (!p->straddles_first || p->straddles)
			st = attempt(p, i < 2, &fits, failed, err);
	}
	if (!st && !fits)
		return error_set(err, ST_REFUSED, "no room");
	return st;
}

clus_t plan_first_left(const struct plan *p)
{
	return space_first(&p->left);
}
