/*
 * release.c - gives back what lies beyond the size of files
 *
 * The other way round than a reservation: first nothing refers to the
 * clusters any more (a cut in the chain, or an entry without a cluster),
 * then they become free.
 */
#include "prealloc/work.h"

#include <string.h>

#include "base/ckd.h"
#include "change/straddle.h"
#include "prealloc/mark.h"

struct cut {
	struct work *w;
	uint64_t keep;	/* clusters that stay */
	uint64_t at;	/* clusters walked */
	clus_t last;	/* the last one that stays */
	clus_t next;	/* the first one that goes */
	struct runs goes; /* FAT12: all of them; it has few */
};

static enum status cut_run(void *arg, struct run run, struct error *err)
{
	struct cut *c = arg;
	clus_t stays = c->at >= c->keep
			       ? 0
			       : (clus_t)MIN(c->keep - c->at,
					     (uint64_t)run.count);
	struct run goes = { run.first + stays, run.count - stays };
	enum status st;

	st = work_claim(c->w, run, err);
	if (st)
		return st;
	c->at += run.count;
	if (stays)
		c->last = run.first + stays - 1;
	if (!goes.count)
		return ST_OK;
	if (!c->next)
		c->next = goes.first;
	if (c->w->vol->bpb.type == FAT12)
		st = runs_push(&c->goes, goes, err);
	if (st)
		return st;
	return edits_add_free(&c->w->edits, &c->w->vol->bpb, goes, err);
}

static enum status cut_link(struct work *w, const struct node *node,
			    const struct cut *c, struct error *err)
{
	struct error why = { 0 };
	char path[512];
	enum status st;

	st = straddle_add_cut(&w->edits, &w->vol->bpb, c->last, c->next,
			      &c->goes, &why);
	if (st == ST_REFUSED)
		return error_set(err, st, "%s: %s; copy the file instead, the "
				 "copy has no reservation",
				 tree_path(node, path, sizeof(path)),
				 why.text);
	if (st)
		*err = why;
	return st;
}

/* Nothing refers to what goes. */
static enum status unpublish(struct work *w, struct node *node,
			     const struct cut *c, struct error *err)
{
	enum fat_type type = w->vol->bpb.type;
	uint8_t entry[DIRENT_BYTES];

	if (c->keep)
		return cut_link(w, node, c, err);
	memcpy(entry, node->entry, DIRENT_BYTES);
	dirent_set_clus(type, entry, 0);
	return edits_add_bytes(&w->edits, PHASE_ENTRIES, REGION_DIR,
			       node->entry_offset, node->entry, entry,
			       DIRENT_BYTES, err);
}

static enum status release_file(struct work *w, struct node *node,
				struct error *err)
{
	struct cut c = { .w = w };
	struct chain chain;
	enum status st;

	if (!work_reserved(w, node))
		return ST_OK;
	w->claimed_chains++;
	c.keep = bpb_clusters_for(&w->vol->bpb, work_old_size(node));
	st = chain_walk(&w->win, node->chain.first, node->chain.clusters,
			cut_run, &c, &chain, err);
	if (!st)
		st = unpublish(w, node, &c, err);
	runs_free(&c.goes);
	return st;
}

enum status work_release(struct work *w, struct error *err)
{
	struct scan_stats *space = &w->result->space;
	uint64_t first_freed;
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < w->n; i++)
		st = release_file(w, w->leaves[i], err);
	if (!st)
		st = scan_free(w->vol, w->claimed, NULL, NULL, space, err);
	if (st)
		return st;
	w->result->free_after = space->free;
	w->result->changed = !edits_empty(&w->edits);
	if (!w->result->changed)
		return ST_OK;
	st = work_check_owners(w, space->links_watched, err);
	if (st)
		return st;
	first_freed = bitmap_next_set(w->edits.freed, 0);
	w->result->free_after += bitmap_count(w->edits.freed);
	st = mark_dirty(w->vol, &w->edits, err);
	if (st)
		return st;
	return mark_fsinfo(w->vol, (clus_t)w->result->free_after,
			   (clus_t)first_freed, &w->edits,
			   &w->result->fsinfo_left, err);
}
