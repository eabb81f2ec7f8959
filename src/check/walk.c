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

/* Deeper than any path that a system can name. */
#define DEPTH_MAX     65536
#define PATH_KEPT_MAX (64u << 10)
#define DIR_BYTES_MAX (DIR_SLOTS_MAX * DIRENT_BYTES)

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

static enum status take_chain(const struct walk *w, const char *name,
			      clus_t first, struct claim *out,
			      struct error *err)
{
	struct taker k = { w, name };

	return claim_chain(w->ck, first, w->visitor->cluster ? hand_on : NULL,
			   &k, out, err);
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
		st = take_chain(w, e->name, e->clus, &claim, err);
	if (st || !w->visitor->judge)
		return st;
	w->ck->res->summary.files++;
	return check_file(w, e, &claim, err);
}

/* "." and "..": in which of the first two slots they are, where they point. */
static enum status visit_dot(struct walk *w, const struct dir_entry *e,
			     unsigned *seen, struct error *err)
{
	bool dotdot = e->raw[1] == '.';
	struct finding f = { .n = e->clus };
	clus_t own = w->frames[w->depth - 1].clus;
	clus_t parent = w->depth > 1 ? w->frames[w->depth - 2].clus : 0;

	if (e->slot != dotdot || !dirent_is_dir(e->raw))
		return ST_OK;
	*seen |= 1u << dotdot;
	f.id = dotdot ? PROBLEM_DOTDOT_CLUSTER : PROBLEM_DOT_CLUSTER;
	f.m = dotdot ? parent : own;
	/* Some write the root's cluster where 0 should be; no one minds. */
	if (dotdot && !parent && f.n == w->ck->bpb->root_clus)
		f.m = f.n;
	if (!w->visitor->judge || f.n == f.m)
		return ST_OK;
	return walk_add(w, NULL, f, err);
}

static void remember_label(struct walk *w, const struct dir_entry *e)
{
	if (w->depth > 1 || w->label_seen)
		return;
	w->label_seen = true;
	memcpy(w->label, e->raw, sizeof(w->label));
	if (w->label[0] == DIRENT_KANJI_E5)
		w->label[0] = DIRENT_DELETED;
}

/* All of the innermost directory but its subdirectories, which it counts. */
static enum status scan_directory(struct walk *w, uint32_t *subdirs,
				  struct error *err)
{
	struct dirpos pos = w->frames[w->depth - 1].pos;
	struct dir_entry e;
	unsigned dots = 0;
	enum status st;
	bool more;

	*subdirs = 0;
	for (;;) {
		st = dirread_next(&w->reader, &pos, &e, &more, err);
		if (st || !more)
			break;
		if (e.attr & ATTR_LABEL)
			remember_label(w, &e);
		else if (w->depth > 1 && dirent_is_dot(e.raw))
			st = visit_dot(w, &e, &dots, err);
		else if (dirent_is_dir(e.raw))
			++*subdirs;
		else
			st = visit_file(w, &e, err);
		if (st)
			return st;
	}
	if (!st && w->depth > 1 && dots != 3)
		st = add_plain(w, NULL, PROBLEM_DOT_ENTRIES, err);
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

/*
 * Is the directory at clus one of those that the walk is in? Only asked where
 * the finding will be kept, so a hostile volume can't make it ask for ever.
 */
static bool find_ancestor(const struct walk *w, clus_t clus, size_t *depth)
{
	size_t i;

	for (i = 0; i < w->depth; i++) {
		if ((i ? w->frames[i].clus : w->ck->bpb->root_clus) == clus) {
			*depth = i;
			return true;
		}
	}
	return false;
}

static enum status add_loop(const struct walk *w, const char *name,
			    size_t depth, struct error *err)
{
	struct finding f = { .id = PROBLEM_DIR_LOOP };

	f.other = walk_path_at(w, depth);
	if (!f.other)
		return error_set_nomem(err);
	return walk_add(w, name, f, err);
}

/* The chain of a directory. */
static enum status judge_chain(const struct walk *w, const char *name,
			       const struct claim *claim, struct error *err)
{
	uint64_t bytes = (uint64_t)claim->clusters * w->ck->bpb->cluster_bytes;
	enum status st = check_chain(w, name, claim, err);

	if (!st && bytes > DIR_BYTES_MAX)
		st = walk_add(w, name, (struct finding){
			.id = PROBLEM_DIR_LONG, .n = bytes }, err);
	if (!st && claim->beyond) {
		w->ck->tree_incomplete = true;
		st = walk_add(w, name, (struct finding){
			.id = PROBLEM_BEYOND_IMAGE, .first = claim->beyond,
			.last = claim->beyond }, err);
	}
	return st;
}

static enum status judge_directory(const struct walk *w,
				   const struct dir_entry *e,
				   const struct claim *claim,
				   struct error *err)
{
	enum status st;
	size_t depth;

	if (!claim->clusters && claim->end == CLAIM_SHARED &&
	    !findings_full(&w->ck->res->findings) &&
	    find_ancestor(w, e->clus, &depth))
		return add_loop(w, e->name, depth, err);
	st = judge_chain(w, e->name, claim, err);
	if (!st && e->size_bytes)
		st = walk_add(w, e->name, (struct finding){
			.id = PROBLEM_DIR_SIZE, .n = e->size_bytes }, err);
	return st;
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

	if (w->visitor->judge)
		w->ck->res->summary.directories++;
	if (!e->clus)
		return add_plain(w, e->name, PROBLEM_DIR_NONE, err);
	st = take_chain(w, e->name, e->clus, &claim, err);
	if (!st && w->visitor->judge)
		st = judge_directory(w, e, &claim, err);
	if (st || !claim.clusters)
		return st;
	return enter(w, e->name, e->clus, &claim, err);
}

/* The subdirectories of the innermost directory, and theirs. */
static enum status descend(struct walk *w, struct error *err)
{
	struct dir_entry e;
	enum status st;
	bool more;

	while (w->depth) {
		st = dirread_next(&w->reader, &w->frames[w->depth - 1].pos,
				  &e, &more, err);
		if (st)
			return st;
		if (!more)
			w->depth--;
		else if (dirent_is_dir(e.raw) && !dirent_is_dot(e.raw))
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
			st = judge_chain(w, NULL, &claim, err);
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
