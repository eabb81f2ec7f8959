/*
 * build.c - from a planned tree to the edits of a reservation
 *
 * Describes only. Every edit says what it expects to replace.
 */
#include "prealloc/work.h"

#include <string.h>

#include "base/ckd.h"
#include "change/straddle.h"
#include "prealloc/mark.h"

/* More pieces than this in a reservation that must be zeroed is damage. */
#define PIECES_MAX 65536

static const struct runs *runs_of(const struct work *w,
				  const struct node *node)
{
	static const struct runs none;

	return node->plan == NODE_NONE ? &none : &w->plan[node->plan].runs;
}

static uint64_t allocated_bytes(const struct work *w, const struct node *node)
{
	return (node->chain.clusters + runs_clusters(runs_of(w, node))) *
	       w->vol->bpb.cluster_bytes;
}

uint32_t work_new_size(const struct work *w, size_t i)
{
	const struct job_request *q = &w->requests[i];
	const struct node *node = w->leaves[i];
	uint64_t length = q->length_bytes;

	if (w->opt->release || !w->opt->extend)
		return work_old_size(node);
	if (q->max)
		length = MIN(allocated_bytes(w, node), JOB_LENGTH_MAX);
	return (uint32_t)MAX(length, work_old_size(node));
}

/* The first cluster of a node once the job is done; 0 = none. */
static clus_t first_clus(const struct work *w, const struct node *node)
{
	const struct runs *runs = runs_of(w, node);

	if (node->chain.clusters)
		return node->chain.first;
	return runs->n ? runs->v[0].first : 0;
}

/*
 * New clusters, and the link to them from the old ones. Part of a directory
 * is not as good as none: it would show what belongs to entries before it.
 */
static enum status build_chain(struct work *w, const struct node *node,
			       struct error *err)
{
	const struct runs *runs = runs_of(w, node);

	if (!runs->n)
		return ST_OK;
	return straddle_add_chain(&w->edits, &w->vol->bpb, node->chain.last,
				  node->chain.end_value, runs, !node->slots,
				  err);
}

/* What part of a file's clusters must read as zeros: bytes from, to. */
struct zeroing {
	struct work *w;
	uint64_t from, to, at;
	bool old; /* clusters that the file has already */
	unsigned pieces;
};

static enum status zero_run(void *arg, struct run run, struct error *err)
{
	struct zeroing *z = arg;
	const struct bpb *bpb = &z->w->vol->bpb;
	uint64_t start = z->at;
	uint64_t end = start + (uint64_t)run.count * bpb->cluster_bytes;
	uint64_t from = MAX(start, z->from), to = MIN(end, z->to);
	enum status st = ST_OK;

	z->at = end;
	if (z->old)
		st = work_claim(z->w, run, err);
	if (st)
		return st;
	if (from >= to)
		return ST_OK;
	if (++z->pieces > PIECES_MAX)
		return error_set(err, ST_REFUSED,
				 "a reservation in more than %d pieces can't "
				 "be zeroed; release it first", PIECES_MAX);
	return edits_add_zero(&z->w->edits, REGION_DATA,
			      bpb_clus_offset(bpb, run.first) + from - start,
			      to - from, err);
}

/* Old clusters from the end of file on: hidden until the size grows. */
static enum status zero_old(struct zeroing *z, const struct node *node,
			    struct error *err)
{
	struct work *w = z->w;
	uint64_t have = (uint64_t)node->chain.clusters *
			w->vol->bpb.cluster_bytes;
	struct chain chain;

	if (z->from >= have) {
		z->at = have;
		return ST_OK;
	}
	z->old = true;
	w->claimed_chains++;
	return chain_walk(&w->win, node->chain.first, node->chain.clusters,
			  zero_run, z, &chain, err);
}

static enum status build_zeros(struct work *w, size_t i, struct error *err)
{
	const struct node *node = w->leaves[i];
	const struct runs *runs = runs_of(w, node);
	struct zeroing z = { .w = w, .from = work_old_size(node) };
	size_t k;
	enum status st;

	z.to = bpb_clusters_for(&w->vol->bpb, work_new_size(w, i)) *
	       w->vol->bpb.cluster_bytes;
	st = zero_old(&z, node, err);
	z.old = false;
	for (k = 0; !st && k < runs->n; k++)
		st = zero_run(&z, runs->v[k], err);
	return st;
}

/* Cluster and size into an entry that is there, or that will be. */
static enum status build_entry(struct work *w, size_t i, struct error *err)
{
	const struct node *node = w->leaves[i];
	uint32_t size = work_new_size(w, i);
	enum fat_type type = w->vol->bpb.type;
	uint8_t fresh[DIRENT_BYTES], *entry = fresh;

	if (node->exists)
		memcpy(fresh, node->entry, DIRENT_BYTES);
	else
		entry = slots_at(node->parent->slots, node->ref);
	if (!node->chain.clusters)
		dirent_set_clus(type, entry, first_clus(w, node));
	if (size != work_old_size(node)) {
		dirent_set_size(entry, size);
		dirent_touch(entry, w->opt->now);
	}
	if (!node->exists || !memcmp(entry, node->entry, DIRENT_BYTES))
		return ST_OK;
	return edits_add_bytes(&w->edits, PHASE_ENTRIES, REGION_DIR,
			       node->entry_offset, node->entry, entry,
			       DIRENT_BYTES, err);
}

static enum status build_file(struct work *w, size_t i, struct error *err)
{
	enum status st;

	st = build_chain(w, w->leaves[i], err);
	if (!st && !w->opt->no_zero &&
	    work_new_size(w, i) != work_old_size(w->leaves[i]))
		st = build_zeros(w, i, err);
	return st ? st : build_entry(w, i, err);
}

/* "." and ".." of a new directory, and its entry in the parent. */
static void link_new_dir(struct work *w, struct node *dir)
{
	enum fat_type type = w->vol->bpb.type;
	clus_t clus = first_clus(w, dir), up = 0;

	if (dir->parent->parent)
		up = first_clus(w, dir->parent);
	dirent_set_clus(type, slots_dot(dir->slots, 0), clus);
	dirent_set_clus(type, slots_dot(dir->slots, 1), up);
	dirent_set_clus(type, slots_at(dir->parent->slots, dir->ref), clus);
}

static void link_new_dirs(struct work *w, struct node *dir)
{
	size_t i;

	for (i = 0; i < dir->n; i++) {
		if (!dir->children[i]->n)
			continue;
		if (!dir->children[i]->exists)
			link_new_dir(w, dir->children[i]);
		link_new_dirs(w, dir->children[i]);
	}
}

static enum status build_dirs(struct work *w, struct node *dir,
			      struct error *err)
{
	size_t i;
	enum status st = ST_OK;

	if (dir->slots) {
		st = build_chain(w, dir, err);
		if (!st)
			st = slots_emit(dir->slots, runs_of(w, dir),
					&w->edits, err);
	}
	for (i = 0; !st && i < dir->n; i++)
		if (dir->children[i]->n)
			st = build_dirs(w, dir->children[i], err);
	return st;
}

static clus_t clusters_planned(const struct work *w)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < w->n_plan; i++)
		sum += runs_clusters(&w->plan[i].runs);
	return (clus_t)sum;
}

/* Two chains with one tail are a cross-link. */
static enum status check_tails(struct work *w, struct error *err)
{
	const struct link_edit *l = w->edits.links;
	size_t i;

	edits_sort(&w->edits);
	for (i = 1; i < w->edits.n_links; i++)
		if (l[i].clus == l[i - 1].clus && l[i].phase == l[i - 1].phase)
			return error_set(err, ST_REFUSED,
					 "two files share cluster %u; run "
					 "fatfsck first", l[i].clus);
	return ST_OK;
}

enum status work_build(struct work *w, struct error *err)
{
	const struct scan_stats *space = &w->result->space;
	clus_t planned = clusters_planned(w);
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < w->n; i++)
		st = build_file(w, i, err);
	link_new_dirs(w, w->root);
	if (!st)
		st = build_dirs(w, w->root, err);
	if (!st)
		st = check_tails(w, err);
	w->result->free_after = space->free - planned;
	w->result->changed = !edits_empty(&w->edits);
	if (st || !w->result->changed)
		return st;
	st = mark_dirty(w->vol, &w->edits, err);
	if (st || !planned)
		return st;
	return mark_fsinfo(w->vol, space->free - planned, w->first_left,
			   &w->edits, &w->result->fsinfo_left, err);
}
