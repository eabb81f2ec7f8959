/*
 * walk.c - walks the tree of directories and takes every chain in it
 *
 * Invariants: a directory is entered only if its first cluster was free to
 * take, so each is entered once and the walk ends on every volume; waiting
 * directories are small frames on a stack of our own, never C's, and at most
 * DEPTH_MAX of them.
 */
#include "check/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/check_dir.h"

/* Deeper than any path that a system can name. */
#define DEPTH_MAX     65536
#define PATH_KEPT_MAX (64u << 10)

/* What claim_chain() hands on to the visitor. */
struct taker {
	const struct walk *w;
	const char *name;
};

static enum status hand_on(void *arg, clus_t c, struct error *err)
{
	const struct taker *k = arg;
	const struct walk_visitor *v = k->w->visitor;

	return v->cluster(v->arg, k->w, k->name, c, err);
}

static enum status take_chain(const struct walk *w, const struct dir_entry *e,
			      clus_t first, struct claim *out,
			      struct error *err)
{
	const struct walk_visitor *v = w->visitor;
	struct taker k = { w, e ? e->name : NULL };
	enum status st = ST_OK;

	if (v->before)
		st = v->before(v->arg, e, first, err);
	if (!st)
		st = claim_chain(w->ck, first, v->cluster ? hand_on : NULL,
				 &k, out, err);
	if (!st && v->after)
		st = v->after(v->arg, w, e, out, err);
	return st;
}

/* A problem that needs no numbers. */
static enum status add_plain(const struct walk *w, const char *name,
			     enum problem_id id, struct error *err)
{
	if (!w->visitor->judge)
		return ST_OK;
	return walk_add(w, name, (struct finding){ .id = id }, err);
}

static enum status visit_file(struct walk *w, const struct dir_entry *e,
			      struct error *err)
{
	struct claim claim = { .end = CLAIM_EOC };
	enum status st = ST_OK;

	if (e->clus)
		st = take_chain(w, e, e->clus, &claim, err);
	if (st || !w->visitor->judge)
		return st;
	w->ck->res->summary.files++;
	return check_file(w, e, &claim, err);
}

/* Is e nothing that has a chain, or not there any more? */
static bool is_passed_over(const struct walk_frame *f,
			   const struct dir_entry *e)
{
	return dirent_is_label(e->raw) || dirent_is_dot(e->raw) ||
	       e->slot < f->moved;
}

/* All of the innermost directory but its subdirectories, which it counts. */
static enum status scan_directory(struct walk *w, uint32_t *subdirs,
				  struct error *err)
{
	struct walk_frame *f = &w->frames[w->depth - 1];
	struct dirpos pos = f->pos;
	struct dir_entry e;
	enum status st;
	bool more;

	*subdirs = 0;
	do {
		st = dirread_next(&w->reader, &pos, &e, &more, err);
		if (st || !more || is_passed_over(f, &e))
			continue;
		if (dirent_is_dir(e.raw))
			++*subdirs;
		else
			st = visit_file(w, &e, err);
	} while (!st && more);
	return st;
}

/* Makes the directory called name the innermost one. */
static enum status push(struct walk *w, const char *name, clus_t clus,
			const struct claim *claim, struct error *err)
{
	struct walk_frame f = { .clus = clus };
	size_t len = strlen(name);
	enum status st;

	st = array_reserve(&w->frames, &w->cap, w->depth + 1, sizeof(f), err);
	if (st)
		return st;
	f.pos.clus = claim->first;
	f.pos.clusters = claim->clusters;
	if (w->depth)
		f.path_len = w->frames[w->depth - 1].path_len;
	f.elided = f.path_len + 1 + len > PATH_KEPT_MAX ||
		   (w->depth && w->frames[w->depth - 1].elided);
	if (w->depth && !f.elided) {
		st = array_reserve(&w->path, &w->path_cap,
				   f.path_len + 1 + len, 1, err);
		if (st)
			return st;
		w->path[f.path_len] = '/';
		memcpy(w->path + f.path_len + 1, name, len);
		f.path_len += 1 + len;
	}
	w->frames[w->depth++] = f;
	return ST_OK;
}

/* Goes into a directory whose chain is taken, unless there is no need. */
static enum status enter(struct walk *w, const char *name, clus_t clus,
			 const struct claim *claim, struct error *err)
{
	uint32_t subdirs;
	enum status st;

	if (claim->beyond && claim->beyond == claim->first)
		return ST_OK;
	if (w->depth >= DEPTH_MAX) {
		w->ck->tree_incomplete = true;
		return add_plain(w, name, PROBLEM_DIR_DEEP, err);
	}
	st = push(w, name, clus, claim, err);
	if (!st && w->visitor->judge)
		st = check_directory(w, err);
	if (!st)
		st = scan_directory(w, &subdirs, err);
	if (!st && !subdirs)
		w->depth--;
	return st;
}

static enum status visit_directory(struct walk *w, const struct dir_entry *e,
				   struct error *err)
{
	struct claim claim;
	enum status st;
	bool data;

	if (w->visitor->judge)
		w->ck->res->summary.directories++;
	if (!e->clus)
		return check_no_chain(w, e, err);
	st = take_chain(w, e, e->clus, &claim, err);
	if (!st)
		st = check_is_data(w, e, &claim, &data, err);
	if (!st && w->visitor->judge)
		st = data ? check_data(w, e, &claim, err) :
			    check_subdir(w, e, &claim, err);
	if (st || !claim.clusters || data)
		return st;
	return enter(w, e->name, e->clus, &claim, err);
}

/* The subdirectories of the innermost directory, and theirs. */
static enum status descend(struct walk *w, struct error *err)
{
	struct walk_frame *f;
	struct dir_entry e;
	enum status st;
	bool more;

	while (w->depth) {
		f = &w->frames[w->depth - 1];
		st = dirread_next(&w->reader, &f->pos, &e, &more, err);
		if (st)
			return st;
		if (!more)
			w->depth--;
		else if (dirent_is_dir(e.raw) && !is_passed_over(f, &e))
			st = visit_directory(w, &e, err);
		if (st)
			return st;
	}
	return ST_OK;
}

/* The root has no entry, and a chain on FAT32 only. */
static enum status enter_root(struct walk *w, struct error *err)
{
	struct claim claim = { .end = CLAIM_EOC };
	const struct bpb *bpb = w->ck->bpb;
	enum status st;

	if (bpb->type != FAT32)
		return enter(w, "", 0, &claim, err);
	if (bpb_has_clus(bpb, bpb->root_clus)) {
		st = take_chain(w, NULL, bpb->root_clus, &claim, err);
		if (!st && w->visitor->judge)
			st = check_dir_chain(w, NULL, &claim, err);
		if (st)
			return st;
	}
	if (claim.clusters)
		return enter(w, "", 0, &claim, err);
	w->ck->tree_incomplete = true;
	return ST_OK;
}

enum status walk_tree(struct check *ck, const struct walk_visitor *visitor,
		      struct error *err)
{
	struct walk w = { .ck = ck, .visitor = visitor };
	enum status st;

	st = dirread_open(&w.reader, ck, err);
	if (!st)
		st = enter_root(&w, err);
	if (!st)
		st = descend(&w, err);
	if (!st && visitor->judge && w.label_seen)
		st = check_label(ck, w.label, err);
	dirread_close(&w.reader);
	free(w.frames);
	free(w.path);
	return st;
}
