/* needs.c - how many clusters each request, and each directory, must get */
#include "prealloc/work.h"

#include "base/array.h"
#include "base/ckd.h"
#include "change/straddle.h"

uint32_t work_old_size(const struct node *node)
{
	return node->exists ? dirent_size(node->entry) : 0;
}

clus_t work_reserved(const struct work *w, const struct node *node)
{
	uint64_t used = bpb_clusters_for(&w->vol->bpb, work_old_size(node));

	return node->chain.clusters - (clus_t)used;
}

/* Adds what must be linked to the end of the node's chain. */
static enum status add(struct work *w, struct node *node,
		       struct plan_request request, struct error *err)
{
	enum status st;

	request.behind = node->chain.last;
	request.straddles = request.behind &&
			    straddle_is(&w->vol->bpb, request.behind);
	request.end_value = node->chain.end_value;

	st = array_reserve(&w->plan, &w->cap_plan, w->n_plan + 1,
			   sizeof(*w->plan), err);
	if (!st)
		st = array_reserve(&w->planned, &w->cap_planned,
				   w->n_plan + 1, sizeof(*w->planned), err);
	if (st)
		return st;
	node->plan = w->n_plan;
	w->plan[w->n_plan] = request;
	w->planned[w->n_plan++] = node;
	return ST_OK;
}

/*
 * So that a second run changes nothing: a file that has already what the
 * largest free run would give is left alone.
 */
static clus_t max_at_least(const struct work *w, const struct node *node)
{
	if (w->opt->extend)
		return node->chain.last_run + 1;
	return work_reserved(w, node) + 1;
}

static enum status need_file(struct work *w, size_t i, struct error *err)
{
	const struct job_request *q = &w->requests[i];
	struct node *node = w->leaves[i];
	uint64_t have = node->chain.clusters, want;
	struct plan_request p = { .max_runs = MAX(w->opt->max_extents, 1u) };

	if (!q->max && q->length_bytes > JOB_LENGTH_MAX)
		return error_set(err, ST_REFUSED,
				 "%s: %llu bytes are too long; a file on FAT "
				 "ends at 4 GiB - 1", q->path,
				 (unsigned long long)q->length_bytes);
	want = bpb_clusters_for(&w->vol->bpb,
				q->max ? JOB_LENGTH_MAX : q->length_bytes);
	if (want <= have)
		return ST_OK;
	p.clusters = (clus_t)(want - have);
	p.max = q->max;
	if (q->max)
		p.at_least = max_at_least(w, node);
	return add(w, node, p, err);
}

/* Directories, in the order of the tree. */
static enum status need_dirs(struct work *w, struct node *dir,
			     struct error *err)
{
	struct plan_request p = { .max_runs = UINT32_MAX, .directory = true };
	size_t i;
	enum status st = ST_OK;

	if (dir->slots) {
		p.clusters = slots_clusters(dir->slots);
		if (p.clusters)
			st = add(w, dir, p, err);
	}
	for (i = 0; !st && i < dir->n; i++)
		if (dir->children[i]->n)
			st = need_dirs(w, dir->children[i], err);
	return st;
}

enum status work_needs(struct work *w, struct error *err)
{
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < w->n; i++)
		st = need_file(w, i, err);
	return st ? st : need_dirs(w, w->root, err);
}
