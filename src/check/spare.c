/*
 * spare.c - the longest free runs of a volume, and who takes of them
 *
 * Invariants: of all free runs the longest are known, a bounded number; what
 * is taken is banned, so a later look at the FAT, of which there are few,
 * does not find it again.
 */
#include "check/spare.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "change/straddle.h"

/* Collected before the shorter half is left out. */
#define COLLECT_MAX (2 * SPARE_RUNS_MAX)
#define SCANS_MAX   16

static int by_length(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return (x->first < y->first) - (x->first > y->first);
}

static void sort(struct spare *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_length);
}

static void shrink(struct spare *s)
{
	size_t out = s->n > SPARE_RUNS_MAX ? s->n - SPARE_RUNS_MAX : 0;

	if (!out)
		return;
	sort(s);
	s->least = s->v[out - 1].count;
	s->n -= out;
	memmove(s->v, s->v + out, s->n * sizeof(*s->v));
}

/* What is not longer than what was left out would be left out, too. */
static void add(struct spare *s, uint64_t first, uint64_t end)
{
	struct run r = { (clus_t)first, (clus_t)(end - first) };

	if (r.count <= s->least)
		return;
	if (s->n == COLLECT_MAX)
		shrink(s);
	s->v[s->n++] = r;
}

static enum status is_free(struct check *ck, const struct spare *s, clus_t c,
			   bool *yes, struct error *err)
{
	uint32_t value;
	enum status st;

	*yes = false;
	if (bitmap_get(s->banned, c))
		return ST_OK;
	st = check_get(ck, c, &value, err);
	*yes = !st && value == FATENT_FREE;
	return st ? st : check_tick(ck, err);
}

static enum status scan(struct spare *s, struct error *err)
{
	struct check *ck = s->ck;
	uint64_t end = MIN(ck->bpb->last_clus, ck->image_last_clus) + 1;
	uint64_t c, first = 0;
	enum status st = ST_OK;
	bool is;
	size_t i;

	s->scans++;
	s->n = 0;
	s->least = 0;
	for (c = MAX(ck->grow_next, 2); c < end && !st; c++) {
		st = is_free(ck, s, (clus_t)c, &is, err);
		if (is && !first)
			first = c;
		if (is || !first)
			continue;
		add(s, first, c);
		first = 0;
	}
	if (first && !st)
		add(s, first, end);
	shrink(s);
	s->clusters = 0;
	for (i = 0; i < s->n; i++)
		s->clusters += s->v[i].count;
	return st;
}

enum status spare_open(struct spare *s, struct error *err)
{
	s->v = calloc(COLLECT_MAX, sizeof(*s->v));
	return s->v ? scan(s, err) : error_set_nomem(err);
}

void spare_close(struct spare *s)
{
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

/* n clusters of run i from at on; what stays of it are up to two runs. */
static enum status cut_out(struct spare *s, size_t i, clus_t at, clus_t n,
			   struct runs *runs, struct error *err)
{
	struct run *r = &s->v[i];
	struct run rest = { at + n, (clus_t)(run_end(*r) - at - n) };

	bitmap_set_range(s->banned, at, n);
	s->clusters -= n;
	r->count = at - r->first;
	if (!r->count)
		*r = rest;
	else if (rest.count && s->n < COLLECT_MAX)
		s->v[s->n++] = rest;
	else
		s->clusters -= rest.count;
	if (!s->v[i].count)
		s->v[i] = s->v[--s->n];
	return runs_push(runs, (struct run){ at, n }, err);
}

/* The first place in r where the tail may lead to; 0 = none. */
static clus_t place_in(struct run r, uint64_t n, const struct spare_tail *tail)
{
	struct straddle_step step;
	uint64_t at;

	for (at = r.first; at + n <= run_end(r); at++)
		if (straddle_find(tail->clus, tail->link, (uint32_t)at, NULL,
				  &step))
			return (clus_t)at;
	return 0;
}

/* The shortest run that is long enough; *found. */
static enum status take_one(struct spare *s, uint64_t n,
			    const struct spare_tail *tail, struct runs *runs,
			    struct error *err)
{
	size_t i, best = s->n;
	clus_t at = 0, here;

	for (i = 0; i < s->n; i++) {
		if (s->v[i].count < n ||
		    (best < s->n && s->v[i].count >= s->v[best].count))
			continue;
		here = tail ? place_in(s->v[i], n, tail) : s->v[i].first;
		if (!here)
			continue;
		best = i;
		at = here;
	}
	return best < s->n ? cut_out(s, best, at, (clus_t)n, runs, err)
			   : ST_OK;
}

/* The longest ones. */
static enum status take_some(struct spare *s, uint64_t n, struct runs *runs,
			     struct error *err)
{
	enum status st = ST_OK;
	struct run r;

	for (sort(s); n && !st; n -= r.count) {
		r = s->v[s->n - 1];
		r.count = (clus_t)MIN(n, r.count);
		st = cut_out(s, s->n - 1, r.first, r.count, runs, err);
	}
	return st;
}

enum status spare_take(struct spare *s, uint64_t n,
		       const struct spare_tail *tail, struct runs *runs,
		       struct error *err)
{
	bool careful = tail->clus && straddle_is(s->ck->bpb, tail->clus);
	enum status st = ST_OK;

	if (s->clusters < n && s->least && s->scans < SCANS_MAX)
		st = scan(s, err);
	if (st || s->clusters < n)
		return st;
	if (careful)
		st = take_one(s, n, tail, runs, err);
	if (!st && !runs->n)
		st = take_one(s, n, NULL, runs, err);
	return st || runs->n ? st : take_some(s, n, runs, err);
}
