/*
 * pool.c - keeps the free runs that a job can need, and no more
 *
 * Why the largest are enough for feasibility: a job that fits uses at most
 * `largest` runs; wherever it uses a run that was dropped, one of the
 * largest is unused, and holds at least as much. The classes are there so
 * that best fit stays best fit.
 */
#include "prealloc/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ckd.h"

void pool_free(struct pool *p)
{
	free(p->v);
	*p = (struct pool){ 0 };
}

enum status pool_copy(struct pool *to, const struct pool *from,
		      struct error *err)
{
	enum status st;

	*to = *from;
	to->v = NULL;
	to->cap = to->n = 0;
	st = array_reserve(&to->v, &to->cap, from->n, sizeof(*to->v), err);
	if (st)
		return st;
	if (from->n)
		memcpy(to->v, from->v, from->n * sizeof(*to->v));
	to->n = from->n;
	return ST_OK;
}

void pool_init_limit(struct pool *p)
{
	size_t i, keep = p->largest;

	for (i = 0; i < p->n_classes; i++)
		keep += p->classes[i].wanted;
	p->limit = 2 * keep + 64;
}

static int by_length(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* So that the longest, of many equals the first, is removed at the end. */
static int by_use(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->first < y->first) - (x->first > y->first);
}

void pool_sort(struct pool *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_use);
}

/* Position of the first run that is not before r. */
static size_t lower_bound(const struct pool *p, struct run r)
{
	size_t low = 0, high = p->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (by_use(&p->v[mid], &r) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The longest runs of a pool that is sorted by length, the first of equals. */
struct longest {
	size_t equal;	/* here begin those as long as the shortest of the n, */
	size_t equal_n; /* of which so many count, */
	size_t longer;	/* and here the ones that are longer */
};

static struct longest find_longest(const struct pool *p, size_t n)
{
	struct longest l = { p->n, 0, p->n };
	size_t from;

	if (!n || !p->n)
		return l;
	from = p->n > n ? p->n - n : 0;
	for (l.equal = from;
	     l.equal && p->v[l.equal - 1].count == p->v[from].count;)
		l.equal--;
	for (l.longer = from;
	     l.longer < p->n && p->v[l.longer].count == p->v[from].count;)
		l.longer++;
	l.equal_n = l.longer - from;
	return l;
}

static bool is_longest(const struct longest *l, size_t i)
{
	return i >= l->longer ||
	       (i >= l->equal && i < l->equal + l->equal_n);
}

static void drop_needless(struct pool *p)
{
	size_t kept = 0, i, end = 0, c = 0;
	struct longest longest;

	qsort(p->v, p->n, sizeof(*p->v), by_length);
	longest = find_longest(p, p->largest);
	for (i = 0; i < p->n; i++) {
		for (; c < p->n_classes &&
		       p->v[i].count >= p->classes[c].clusters; c++)
			end = MAX(end, i + p->classes[c].wanted);
		if (i < end || is_longest(&longest, i))
			p->v[kept++] = p->v[i];
	}
	p->n = kept;
}

enum status pool_add(struct pool *p, struct run r, struct error *err)
{
	enum status st;

	if (!r.count)
		return ST_OK;
	if (p->n >= p->limit)
		drop_needless(p);
	st = array_reserve(&p->v, &p->cap, p->n + 1, sizeof(*p->v), err);
	if (!st)
		p->v[p->n++] = r;
	return st;
}

enum status pool_insert(struct pool *p, struct run r, struct error *err)
{
	size_t at;
	enum status st;

	if (!r.count)
		return ST_OK;
	st = array_reserve(&p->v, &p->cap, p->n + 1, sizeof(*p->v), err);
	if (st)
		return st;
	at = lower_bound(p, r);
	memmove(p->v + at + 1, p->v + at, (p->n - at) * sizeof(*p->v));
	p->v[at] = r;
	p->n++;
	return ST_OK;
}

bool pool_best_fit(const struct pool *p, clus_t clusters, size_t *index)
{
	size_t at = lower_bound(p, (struct run){ UINT32_MAX, clusters });
	struct run longer = { UINT32_MAX, 0 };

	if (at == p->n)
		return false;
	longer.count = p->v[at].count + 1;
	*index = lower_bound(p, longer) - 1;
	return true;
}

bool pool_longest(const struct pool *p, size_t *index)
{
	*index = p->n - 1;
	return p->n;
}

struct run pool_remove(struct pool *p, size_t index)
{
	struct run r = p->v[index];

	p->n--;
	memmove(p->v + index, p->v + index + 1,
		(p->n - index) * sizeof(*p->v));
	return r;
}
