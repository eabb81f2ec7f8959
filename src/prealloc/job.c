/*
 * job.c - the phases of a call, top-down
 *
 * Invariant: nothing before commit_apply() writes, so a refusal leaves the
 * volume untouched (law 5).
 */
#include "prealloc/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/text.h"
#include "prealloc/resolve.h"
#include "prealloc/work.h"

static void find_leaf(struct node *node, struct node **leaves)
{
	size_t i;

	if (node->request != NODE_NONE)
		leaves[node->request] = node;
	for (i = 0; i < node->n; i++)
		find_leaf(node->children[i], leaves);
}

/* Whose request it is, if it stands in a manifest. */
static enum status add_request(struct work *w, size_t i, struct error *err)
{
	const struct job_request *q = &w->requests[i];
	struct error why = { 0 };
	enum status st;

	st = tree_add(w->root, q->path, i, &why);
	if (st && q->file)
		return error_set(err, st, "%s:%u: %s", q->file, q->line,
				 why.text);
	return st ? error_set(err, st, "%s", why.text) : ST_OK;
}

static enum status resolve(struct work *w, struct error *err)
{
	struct resolve_options opt = {
		.create = !w->opt->no_create && !w->opt->release,
		.parents = w->opt->parents,
		.now = w->opt->now,
	};
	size_t i;
	enum status st = ST_OK;

	w->root = tree_new();
	w->leaves = calloc(w->n + 1, sizeof(struct node *));
	if (!w->root || !w->leaves)
		return error_set_nomem(err);
	for (i = 0; !st && i < w->n; i++)
		st = add_request(w, i, err);
	if (st)
		return st;
	find_leaf(w->root, w->leaves);
	return resolve_tree(w->root, w->vol, &w->win, w->cp, &opt, err);
}

static enum status init_align(const struct work *w, struct align *align,
			      struct error *err)
{
	const struct bpb *bpb = &w->vol->bpb;
	uint64_t data = w->opt->device_offset_bytes + bpb->data_offset_bytes;
	char size[TEXT_SIZE_MAX];
	size_t i, files = 0;

	for (i = 0; i < w->n_plan; i++)
		files += !w->plan[i].directory;
	/* Files that have their length already need no aligned cluster. */
	if (align_init(align, files ? w->opt->align_bytes : 0, data,
		       bpb->cluster_bytes))
		return ST_OK;
	return error_set(err, ST_REFUSED,
			 "no cluster lies on a multiple of %s: the data area "
			 "begins at byte %llu of the device, in clusters of "
			 "%u bytes",
			 text_format_size(size, w->opt->align_bytes),
			 (unsigned long long)data, bpb->cluster_bytes);
}

/* For a file by its request, for a directory by its place. */
static enum status no_room(struct work *w, size_t failed, struct error *err)
{
	const struct plan_request *p = &w->plan[failed];
	const struct node *node = w->planned[failed];
	char path[512], size[TEXT_SIZE_MAX];
	uint64_t bytes = (uint64_t)p->clusters * w->vol->bpb.cluster_bytes;

	tree_path(node, path, sizeof(path));
	if (p->no_step)
		return error_set(err, ST_REFUSED,
				 "%s: there is room, but the FAT entry of its "
				 "last cluster, %u, lies in two sectors, and "
				 "none of the free runs can be linked to it "
				 "safe from a power cut in between%s", path,
				 p->behind, p->directory ? "" : "; a copy of "
				 "the file would end elsewhere");
	w->result->no_space = true;
	w->result->wanted_clusters = p->max ? 1 : p->clusters;
	if (p->max)
		return error_set(err, ST_REFUSED, "%s: no free run is left",
				 path);
	return error_set(err, ST_REFUSED,
			 "%s: no room for %u clusters (%s)%s",
			 path, p->clusters,
			 text_format_size(size, bytes),
			 p->max_runs == 1 ? " in one run" : "");
}

/*
 * A max request may come out empty if there is a reservation already that is
 * as long as what could be had.
 */
static enum status check_max(struct work *w, struct error *err)
{
	size_t i;

	for (i = 0; i < w->n_plan; i++)
		if (w->plan[i].max && !w->plan[i].runs.n &&
		    (w->plan[i].at_least <= 1 || w->plan[i].no_step))
			return no_room(w, i, err);
	return ST_OK;
}

static enum status plan(struct work *w, struct error *err)
{
	struct align align;
	struct plan *p = NULL;
	size_t failed = 0;
	enum status st;

	st = work_needs(w, err);
	if (!st)
		st = init_align(w, &align, err);
	if (!st)
		st = plan_open(&p, w->plan, w->n_plan, align, err);
	if (!st)
		st = scan_free(w->vol, NULL, plan_offer, p,
			       &w->result->space, err);
	if (!st) {
		st = plan_requests(p, &failed, err);
		if (st == ST_REFUSED)
			no_room(w, failed, err);
	}
	if (!st) {
		w->first_left = plan_first_left(p);
		st = check_max(w, err);
	}
	plan_close(p);
	return st;
}

/* Old clusters that will be zeroed must be nobody else's. */
static enum status check_claims(struct work *w, struct error *err)
{
	struct scan_stats stats;
	enum status st;

	if (!w->claimed)
		return ST_OK;
	st = scan_free(w->vol, w->claimed, NULL, NULL, &stats, err);
	if (st)
		return st;
	return work_check_owners(w, stats.links_watched, err);
}

static enum status describe(struct work *w, struct error *err)
{
	enum status st;

	if (w->opt->release)
		return work_release(w, err);
	st = plan(w, err);
	if (!st)
		st = work_build(w, err);
	return st ? st : check_claims(w, err);
}

static bool is_contiguous(const struct node *node, const struct job_file *f)
{
	size_t runs = node->chain.runs + f->added.n;

	if (node->chain.clusters && f->added.n &&
	    f->added.v[0].first == node->chain.last + 1)
		runs--;
	return runs <= 1;
}

/* A release may cut a fragmented chain down to one run. */
static enum status survey_kept(struct work *w, const struct node *node,
			       struct job_file *f, struct error *err)
{
	uint64_t keep = bpb_clusters_for(&w->vol->bpb, f->size_bytes);
	struct chain chain;
	enum status st;

	st = chain_walk(&w->win, keep ? node->chain.first : 0, keep, NULL,
			NULL, &chain, err);
	f->old_clusters = chain.clusters;
	f->first_clus = chain.first;
	f->changed = work_reserved(w, node);
	f->contiguous = chain.runs <= 1;
	return st;
}

static enum status survey_file(struct work *w, size_t i, struct error *err)
{
	const struct bpb *bpb = &w->vol->bpb;
	const struct node *node = w->leaves[i];
	struct job_file *f = &w->result->files[i];
	uint64_t clusters;
	enum status st = ST_OK;

	f->path = strdup(w->requests[i].path);
	if (!f->path)
		return error_set_nomem(err);
	f->size_bytes = work_new_size(w, i);
	f->created = !node->exists;
	if (node->plan != NODE_NONE) {
		f->added = w->plan[node->plan].runs;
		w->plan[node->plan].runs = (struct runs){ 0 };
	}
	if (w->opt->release) {
		st = survey_kept(w, node, f, err);
	} else {
		f->old_clusters = node->chain.clusters;
		f->first_clus = node->chain.clusters ? node->chain.first
				: f->added.n	     ? f->added.v[0].first
						     : 0;
		f->changed = f->created || f->added.n ||
			     f->size_bytes != work_old_size(node);
		f->contiguous = is_contiguous(node, f);
	}
	clusters = f->old_clusters + runs_clusters(&f->added);
	f->allocated_bytes = clusters * bpb->cluster_bytes;
	f->reserved_bytes = f->allocated_bytes -
			    bpb_clusters_for(bpb, f->size_bytes) *
				    bpb->cluster_bytes;
	return st;
}

static enum status survey(struct work *w, struct error *err)
{
	size_t i;
	enum status st = ST_OK;

	w->result->files = calloc(w->n + 1, sizeof(*w->result->files));
	if (!w->result->files)
		return error_set_nomem(err);
	for (i = 0; !st && i < w->n; i++) {
		w->result->n_files = i + 1;
		st = survey_file(w, i, err);
	}
	return st;
}

static enum status commit(struct work *w, struct error *err)
{
	struct ledger *lg = w->vol->blk->ledger;
	enum status st;

	if (w->opt->dry_run || !w->result->changed)
		return ST_OK;
	st = commit_apply(w->vol, &w->edits, &w->opt->commit,
			  &w->result->commit, err);
	if (!st && lg && !w->opt->release)
		lg->clusters_allocated +=
			w->result->space.free - w->result->free_after;
	return st;
}

static void work_free(struct work *w)
{
	size_t i;

	for (i = 0; i < w->n_plan; i++)
		runs_free(&w->plan[i].runs);
	free(w->plan);
	free(w->planned);
	free(w->leaves);
	tree_free(w->root);
	bitmap_free(w->claimed);
	edits_free(&w->edits);
	fatwin_close(&w->win);
}

enum status job_run(const struct volume *vol, struct codepage *cp,
		    const struct job_request *requests, size_t n,
		    const struct job_options *opt, struct job_result *result,
		    struct error *err)
{
	struct work w = { .vol = vol,
			  .cp = cp,
			  .requests = requests,
			  .n = n,
			  .opt = opt,
			  .result = result };
	enum status st;

	st = job_admit(vol, opt->force, err);
	if (!st)
		st = fatwin_open(&w.win, vol, vol->bpb.active_fat, err);
	if (!st)
		st = resolve(&w, err);
	if (!st)
		st = describe(&w, err);
	if (!st)
		st = survey(&w, err);
	if (!st)
		st = commit(&w, err);
	work_free(&w);
	result->done = !st;
	return st;
}

void job_result_free(struct job_result *result)
{
	size_t i;

	for (i = 0; i < result->n_files; i++) {
		free(result->files[i].path);
		runs_free(&result->files[i].added);
	}
	free(result->files);
	*result = (struct job_result){ 0 };
}
