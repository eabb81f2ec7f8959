/*
 * check_cross.c - who has the clusters that a second chain ran into
 *
 * The first walk knows only that a cluster was taken. A second walk, in the
 * same order over an empty bitmap, takes the same clusters for the same
 * owners, and stops by each that is in question. It runs only if there are
 * any; it costs as much as the first, however many they are.
 */
#include <stdlib.h>
#include <string.h>

#include "check/walk.h"

struct question {
	clus_t clus;
	size_t finding; /* its index */
};

struct owners {
	struct check *ck;
	struct question *v;
	size_t n;
};

static int by_cluster(const void *a, const void *b)
{
	const struct question *x = a, *y = b;

	return (x->clus > y->clus) - (x->clus < y->clus);
}

static enum status collect(struct owners *o, struct error *err)
{
	const struct findings *fs = &o->ck->res->findings;
	size_t i;

	o->v = calloc(fs->n ? fs->n : 1, sizeof(*o->v));
	if (!o->v)
		return error_set_nomem(err);
	for (i = o->ck->first_finding; i < fs->n; i++)
		if (fs->v[i].id == PROBLEM_CROSS_LINK)
			o->v[o->n++] = (struct question){ fs->v[i].first, i };
	qsort(o->v, o->n, sizeof(*o->v), by_cluster);
	return ST_OK;
}

/* The first question about c; o->n if there is none. */
static size_t find(const struct owners *o, clus_t c)
{
	size_t low = 0, high = o->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (o->v[middle].clus < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is c in question? Then its owner is the answer. */
static enum status answer(void *arg, const struct walk *w, const char *name,
			  clus_t c, struct error *err)
{
	struct owners *o = arg;
	struct findings *fs = &o->ck->res->findings;
	char *path;
	size_t i;

	if (!bitmap_get(o->ck->shared, c) || findings_paths_full(fs))
		return ST_OK;
	for (i = find(o, c); i < o->n && o->v[i].clus == c; i++) {
		path = walk_path(w, name);
		if (!path)
			return error_set_nomem(err);
		findings_set_other(fs, o->v[i].finding, path);
	}
	return ST_OK;
}

enum status check_cross(struct check *ck, struct error *err)
{
	struct owners o = { .ck = ck };
	const struct walk_visitor visitor = { .cluster = answer, .arg = &o };
	enum status st;

	if (!ck->shared)
		return ST_OK;
	st = collect(&o, err);
	if (!st)
		st = check_forget_used(ck, err);
	if (!st)
		st = walk_tree(ck, &visitor, err);
	free(o.v);
	return st;
}
