/*
 * owners.c - does anybody else refer to clusters that are about to change?
 *
 * Two sums decide, without a table of who owns what: as many FAT entries
 * must link into the chains as these themselves do, and as many directory
 * entries must start in them. Each directory is read once, since a
 * bitmap remembers where directories begin.
 */
#include "prealloc/work.h"

#include <stdlib.h>

#include "base/array.h"
#include "fat/dir.h"

struct owners {
	const struct work *w;
	struct fatwin win;
	struct bitmap *seen; /* first clusters of directories */
	clus_t *todo;	     /* directories not yet read */
	size_t n, cap;
	uint64_t starts;     /* entries that start in claimed clusters */
	struct dir_entry entry;
};

static enum status take_entry(struct owners *o, struct error *err)
{
	const struct dir_entry *e = &o->entry;
	enum status st;

	if (dirent_is_label(e->raw) || dirent_is_dot(e->raw) ||
	    !bpb_has_clus(&o->w->vol->bpb, e->clus))
		return ST_OK;
	o->starts += bitmap_get(o->w->claimed, e->clus);
	if (!dirent_is_dir(e->raw) || bitmap_get(o->seen, e->clus))
		return ST_OK;
	bitmap_set(o->seen, e->clus);
	st = array_reserve(&o->todo, &o->cap, o->n + 1, sizeof(*o->todo), err);
	if (!st)
		o->todo[o->n++] = e->clus;
	return st;
}

static enum status read_dir(struct owners *o, clus_t clus, struct error *err)
{
	struct dir *d = NULL;
	bool more = true;
	enum status st;

	st = dir_open(&d, o->w->vol, &o->win, o->w->cp, clus, err);
	while (!st) {
		st = dir_next(d, &o->entry, &more, err);
		if (st || !more)
			break;
		st = take_entry(o, err);
	}
	if (!st && dir_chain_end(d) != CHAIN_EOC)
		st = error_set(err, ST_REFUSED,
			       "a directory (cluster %u) is damaged, so it is "
			       "not certain who owns what; run fatfsck first",
			       clus);
	dir_close(d);
	return st;
}

static enum status read_tree(struct owners *o, struct error *err)
{
	enum status st;

	st = read_dir(o, 0, err);
	while (!st && o->n)
		st = read_dir(o, o->todo[--o->n], err);
	return st;
}

static enum status shared(struct error *err)
{
	return error_set(err, ST_REFUSED,
			 "a file that would lose clusters shares some with "
			 "another file; run fatfsck first");
}

enum status work_claim(struct work *w, struct run run, struct error *err)
{
	if (!w->claimed)
		w->claimed = bitmap_new((uint64_t)w->vol->bpb.last_clus + 1);
	if (!w->claimed)
		return error_set_nomem(err);
	bitmap_set_range(w->claimed, run.first, run.count);
	w->claims += run.count;
	return ST_OK;
}

enum status work_check_owners(const struct work *w, uint64_t links,
			      struct error *err)
{
	const struct bpb *bpb = &w->vol->bpb;
	struct owners *o;
	enum status st;

	if (bitmap_count(w->claimed) != w->claims ||
	    links != w->claims - w->claimed_chains ||
	    (bpb->type == FAT32 && bitmap_get(w->claimed, bpb->root_clus)))
		return shared(err);
	o = calloc(1, sizeof(*o));
	if (!o)
		return error_set_nomem(err);
	o->w = w;
	o->seen = bitmap_new((uint64_t)bpb->last_clus + 1);
	st = o->seen ? fatwin_open(&o->win, w->vol, bpb->active_fat, err)
		     : error_set_nomem(err);
	if (!st)
		st = read_tree(o, err);
	if (!st && o->starts != w->claimed_chains)
		st = shared(err);
	fatwin_close(&o->win);
	bitmap_free(o->seen);
	free(o->todo);
	free(o);
	return st;
}
