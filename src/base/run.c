/*
 * run.c - lists of runs
 *
 * Two neighbours in a list never touch: runs_push() merges them, so that the
 * number of runs is the number of extents.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/ckd.h"
#include "base/run.h"

enum status runs_push(struct runs *rs, struct run r, struct error *err)
{
	struct run *last = rs->n ? &rs->v[rs->n - 1] : NULL;
	enum status st;
	clus_t sum;

	if (!r.count)
		return ST_OK;
	if (last && run_end(*last) == r.first &&
	    !ckd_add(&sum, last->count, r.count)) {
		last->count = sum;
		return ST_OK;
	}
	st = array_reserve(&rs->v, &rs->cap, rs->n + 1, sizeof(*rs->v), err);
	if (st)
		return st;
	rs->v[rs->n++] = r;
	return ST_OK;
}

uint64_t runs_clusters(const struct runs *rs)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rs->n; i++)
		sum += rs->v[i].count;
	return sum;
}

clus_t runs_at(const struct runs *rs, uint64_t index)
{
	for (size_t i = 0; i < rs->n; i++) {
		if (index < rs->v[i].count)
			return rs->v[i].first + (clus_t)index;
		index -= rs->v[i].count;
	}
	return 0;
}

void runs_free(struct runs *rs)
{
	free(rs->v);
	*rs = (struct runs){0};
}
