/*
 * list.c - walks files and directories for --list
 *
 * Reads only. A bitmap of first clusters makes each directory be read once;
 * an explicit stack holds one open directory a level, of a bounded number.
 */
#include "prealloc/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "prealloc/tree.h"

struct level {
	struct dir *dir;
	size_t path_len; /* of the directory's path */
};

struct list {
	const struct volume *vol;
	struct codepage *cp;
	struct fatwin win;
	list_file_fn *fn;
	void *arg;
	bool *damaged;
	struct bitmap *seen;
	struct level *levels;
	size_t n, cap;
	char *path; /* of what is being listed */
	size_t path_cap;
	struct dir_entry entry;
};

static enum status set_path(struct list *l, size_t base, const char *name,
			    struct error *err)
{
	size_t need = base + strlen(name) + 2;
	enum status st;

	st = array_reserve(&l->path, &l->path_cap, need, 1, err);
	if (!st)
		snprintf(l->path + base, need, "/%s", name);
	return st;
}

static enum status show_file(struct list *l, const struct dir_entry *e,
			     struct error *err)
{
	const struct bpb *bpb = &l->vol->bpb;
	uint64_t used = bpb_clusters_for(bpb, e->size_bytes);
	struct job_file f = { .path = l->path, .size_bytes = e->size_bytes };
	struct chain chain;
	enum status st;

	st = chain_walk(&l->win, e->clus, bpb_clusters_for(bpb, UINT32_MAX),
			NULL, NULL, &chain, err);
	if (st)
		return st;
	if (chain.end != CHAIN_EOC || chain.clusters < used)
		*l->damaged = true;
	f.first_clus = chain.first;
	f.old_clusters = chain.clusters;
	f.contiguous = chain.runs <= 1;
	f.allocated_bytes = (uint64_t)chain.clusters * bpb->cluster_bytes;
	if (chain.clusters > used)
		f.reserved_bytes = (chain.clusters - used) *
				   bpb->cluster_bytes;
	return l->fn(l->arg, &f, err);
}

static enum status enter(struct list *l, clus_t clus, size_t path_len,
			 struct error *err)
{
	struct dir *d = NULL;
	enum status st;

	st = array_reserve(&l->levels, &l->cap, l->n + 1, sizeof(*l->levels),
			   err);
	if (!st)
		st = dir_open(&d, l->vol, &l->win, l->cp, clus, err);
	if (st)
		return st;
	*l->damaged |= dir_chain_end(d) != CHAIN_EOC;
	l->levels[l->n++] = (struct level){ d, path_len };
	return ST_OK;
}

static enum status enter_once(struct list *l, clus_t clus, size_t path_len,
			      struct error *err)
{
	if (!bpb_has_clus(&l->vol->bpb, clus) || bitmap_get(l->seen, clus) ||
	    clus == l->vol->bpb.root_clus || l->n >= TREE_DEPTH_MAX) {
		*l->damaged = true;
		return ST_OK;
	}
	bitmap_set(l->seen, clus);
	return enter(l, clus, path_len, err);
}

static enum status show_entry(struct list *l, struct error *err)
{
	const struct dir_entry *e = &l->entry;
	enum status st;

	if (dirent_is_label(e->raw) || dirent_is_dot(e->raw))
		return ST_OK;
	st = set_path(l, l->levels[l->n - 1].path_len, e->name, err);
	if (st)
		return st;
	if (dirent_is_dir(e->raw))
		return enter_once(l, e->clus, strlen(l->path), err);
	return show_file(l, e, err);
}

static enum status show_tree(struct list *l, struct error *err)
{
	bool more = true;
	enum status st = ST_OK;

	while (!st && l->n) {
		st = dir_next(l->levels[l->n - 1].dir, &l->entry, &more, err);
		if (st)
			break;
		if (more)
			st = show_entry(l, err);
		else
			dir_close(l->levels[--l->n].dir);
	}
	while (l->n)
		dir_close(l->levels[--l->n].dir);
	return st;
}

/* Without slashes at the end. */
static size_t path_length(const char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	return len;
}

static enum status start(struct list *l, const char *path, struct error *err)
{
	bool is_root = false;
	enum status st;

	path += strspn(path, "/");
	st = path_lookup(l->vol, &l->win, l->cp, path, &l->entry, &is_root,
			 err);
	if (st)
		return st;
	if (is_root)
		return enter(l, 0, 0, err);
	st = set_path(l, 0, path, err);
	if (st)
		return st;
	if (!dirent_is_dir(l->entry.raw))
		return show_file(l, &l->entry, err);
	return enter_once(l, l->entry.clus, path_length(l->path), err);
}

enum status list_path(const struct volume *vol, struct codepage *cp,
		      const char *path, list_file_fn *fn, void *arg,
		      bool *damaged, struct error *err)
{
	struct list *l = calloc(1, sizeof(*l));
	enum status st;

	if (!l)
		return error_set_nomem(err);
	l->vol = vol;
	l->cp = cp;
	l->fn = fn;
	l->arg = arg;
	l->damaged = damaged;
	l->seen = bitmap_new((uint64_t)vol->bpb.last_clus + 1);
	st = l->seen ? fatwin_open(&l->win, vol, vol->bpb.active_fat, err)
		     : error_set_nomem(err);
	if (!st)
		st = start(l, path, err);
	if (!st)
		st = show_tree(l, err);
	fatwin_close(&l->win);
	bitmap_free(l->seen);
	free(l->levels);
	free(l->path);
	free(l);
	return st;
}

enum status list_check(const struct volume *vol, struct codepage *cp,
		       const char *path, struct error *err)
{
	struct dir_entry *e = malloc(sizeof(*e));
	struct fatwin win = { 0 };
	bool is_root;
	enum status st;

	st = e ? fatwin_open(&win, vol, vol->bpb.active_fat, err)
	       : error_set_nomem(err);
	if (!st)
		st = path_lookup(vol, &win, cp, path + strspn(path, "/"), e,
				 &is_root, err);
	fatwin_close(&win);
	free(e);
	return st;
}

enum status list_runs(struct fatwin *win, const struct job_file *file,
		      chain_run_fn *fn, void *arg, struct error *err)
{
	struct chain chain;
	size_t i;
	enum status st = ST_OK;

	if (file->old_clusters)
		st = chain_walk(win, file->first_clus, file->old_clusters, fn,
				arg, &chain, err);
	for (i = 0; !st && i < file->added.n; i++)
		st = fn(arg, file->added.v[i], err);
	return st;
}
