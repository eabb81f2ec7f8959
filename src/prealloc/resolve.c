/*
 * resolve.c - finds, or prepares to create, what the requests name
 *
 * Reads only. Invariants afterwards: a node that exists has its entry, its
 * place and a sound chain; one that does not has a slot in its parent; no
 * two nodes are the same entry or have the same chain.
 */
#include "prealloc/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "fat/dir.h"

#define PATH_TEXT_MAX 1024

struct resolve {
	const struct volume *vol;
	struct fatwin *win;
	struct codepage *cp;
	const struct resolve_options *opt;
	uint64_t *places; /* of the entries found */
	size_t n_places, cap_places;
	uint64_t *starts; /* first clusters of all chains walked */
	size_t n_starts, cap_starts;
};

static enum status refuse(const struct node *node, struct error *err,
			  const char *what)
{
	char path[PATH_TEXT_MAX];

	return error_set(err, ST_REFUSED, "%s: %s",
			 tree_path(node, path, sizeof(path)), what);
}

/* Puts the path in front of what a lower layer said. */
static enum status refuse_as(const struct node *node, struct error *err,
			     const struct error *why)
{
	char path[PATH_TEXT_MAX];

	return error_set(err, why->code, "%s: %s",
			 tree_path(node, path, sizeof(path)), why->text);
}

static enum status check_chain(const struct node *node, bool is_dir,
			       const struct bpb *bpb, struct error *err)
{
	char path[PATH_TEXT_MAX];
	uint64_t need = is_dir ? 1
			       : bpb_clusters_for(bpb,
						  dirent_size(node->entry));

	if (node->chain.end != CHAIN_EOC)
		return error_set(err, ST_REFUSED,
				 "%s is damaged: its chain %s after %u "
				 "clusters; run fatfsck first",
				 tree_path(node, path, sizeof(path)),
				 chain_end_text(node->chain.end),
				 node->chain.clusters);
	if (node->chain.clusters < need)
		return refuse(node, err, "is damaged: its chain is shorter "
					 "than its size; run fatfsck first");
	return ST_OK;
}

/* Longest chain that a file or a directory can have. */
static uint64_t chain_limit(const struct bpb *bpb, bool is_dir)
{
	return bpb_clusters_for(bpb, is_dir ? (uint64_t)DIR_SLOTS_MAX *
						      DIRENT_BYTES
					    : UINT32_MAX);
}

static enum status remember(uint64_t **vec, size_t *n, size_t *cap,
			    uint64_t value, struct error *err)
{
	enum status st;

	st = array_reserve(vec, cap, *n + 1, sizeof(**vec), err);
	if (!st)
		(*vec)[(*n)++] = value;
	return st;
}

static enum status walk(struct resolve *r, struct node *node, clus_t first,
			bool is_dir, struct error *err)
{
	const struct bpb *bpb = &r->vol->bpb;
	enum status st;

	st = chain_walk(r->win, first, chain_limit(bpb, is_dir), NULL, NULL,
			&node->chain, err);
	if (!st)
		st = check_chain(node, is_dir, bpb, err);
	if (st || !node->chain.first)
		return st;
	return remember(&r->starts, &r->n_starts, &r->cap_starts,
			node->chain.first, err);
}

static enum status found(struct resolve *r, struct node *node,
			 const struct dir_entry *e, struct error *err)
{
	bool is_dir = dirent_is_dir(e->raw);
	enum status st;

	if (node->exists)
		return refuse(node, err, "is there twice in its directory; "
					 "run fatfsck first");
	node->exists = true;
	node->entry_offset = e->offset_bytes;
	memcpy(node->entry, e->raw, DIRENT_BYTES);
	if (is_dir && !node->n)
		return refuse(node, err, "is a directory");
	if (!is_dir && node->n)
		return refuse(node, err, "is a file, not a directory");
	st = remember(&r->places, &r->n_places, &r->cap_places,
		      e->offset_bytes, err);
	return st ? st : walk(r, node, e->clus, is_dir, err);
}

static struct node *match(const struct node *dir, const char *name)
{
	char *key = name_fold(name);
	struct node *child = key ? tree_child(dir, key) : NULL;

	free(key);
	return child;
}

static enum status find_entry(struct resolve *r, const struct node *dir,
			      const struct dir_entry *e, struct error *err)
{
	struct node *by_long, *by_short;
	enum status st = ST_OK;

	if (dirent_is_label(e->raw) || dirent_is_dot(e->raw))
		return ST_OK;
	by_long = match(dir, e->name);
	by_short = e->has_long ? match(dir, e->short_utf8) : NULL;
	if (by_long)
		st = found(r, by_long, e, err);
	if (!st && by_short && by_short != by_long)
		st = found(r, by_short, e, err);
	return st;
}

static enum status find_children(struct resolve *r, struct node *dir,
				 struct error *err)
{
	clus_t clus = dir->parent ? dir->chain.first : 0;
	struct dir_entry *e = malloc(sizeof(*e));
	struct dir *d = NULL;
	bool more = true;
	enum status st;

	if (!e)
		return error_set_nomem(err);
	st = dir_open(&d, r->vol, r->win, r->cp, clus, err);
	while (!st) {
		st = dir_next(d, e, &more, err);
		if (st || !more)
			break;
		st = find_entry(r, dir, e, err);
	}
	dir_close(d);
	free(e);
	return st;
}

/* A short name is taken, too, if another request asks for it by name. */
struct taken {
	struct node *dir, *node;
	struct codepage *cp;
};

static bool is_taken(void *arg, const uint8_t name[DIRENT_NAME_BYTES])
{
	struct taken *t = arg;
	char utf8[SHORT_UTF8_MAX];
	struct node *other;

	if (slots_short_taken(t->dir->slots, name))
		return true;
	short_to_utf8(t->cp, name, 0, utf8);
	other = match(t->dir, utf8);
	return other && other != t->node;
}

static enum status create(struct resolve *r, struct node *dir,
			  struct node *node, struct error *err)
{
	struct taken taken = { dir, node, r->cp };
	struct new_name *name = malloc(sizeof(*name));
	struct error why = { 0 };
	enum status st;

	if (!name)
		return error_set_nomem(err);
	st = lfn_make(r->cp, node->name, is_taken, &taken, name, &why);
	if (!st) {
		dirent_init(node->entry, name->short_name,
			    node->n ? ATTR_DIR : ATTR_ARCHIVE, name->ntres,
			    r->opt->now);
		st = slots_insert(dir->slots, name, node->entry, &node->ref,
				  &why);
	}
	free(name);
	if (st)
		return refuse_as(node, err, &why);
	return node->n ? slots_open_new(&node->slots, r->vol, r->opt->now,
					err)
		       : ST_OK;
}

static enum status may_create(const struct resolve *r, const struct node *node,
			      struct error *err)
{
	if (!r->opt->create)
		return refuse(node, err, "no such file in the volume");
	if (node->n && !r->opt->parents)
		return refuse(node, err, "no such directory in the volume; "
					 "--parents makes it");
	return ST_OK;
}

static enum status create_child(struct resolve *r, struct node *dir,
				struct node *child, struct error *err)
{
	clus_t clus = dir->parent ? dir->chain.first : 0;
	enum status st;

	st = may_create(r, child, err);
	if (!st && !dir->slots)
		st = slots_open(&dir->slots, r->vol, r->win, clus, err);
	return st ? st : create(r, dir, child, err);
}

static int by_request(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a;
	const struct node *y = *(struct node *const *)b;

	return (x->first_request > y->first_request) -
	       (x->first_request < y->first_request);
}

/* What was not found gets a place, in the order in which it was asked for. */
static enum status create_children(struct resolve *r, struct node *dir,
				   struct error *err)
{
	struct node **missing = calloc(dir->n + 1, sizeof(*missing));
	size_t i, n = 0;
	enum status st = ST_OK;

	if (!missing)
		return error_set_nomem(err);
	for (i = 0; i < dir->n; i++)
		if (!dir->children[i]->exists)
			missing[n++] = dir->children[i];
	qsort(missing, n, sizeof(struct node *), by_request);
	for (i = 0; !st && i < n; i++)
		st = create_child(r, dir, missing[i], err);
	free(missing);
	if (!st && dir->slots)
		st = slots_finish(dir->slots, err);
	return st;
}

static enum status visit(struct resolve *r, struct node *dir,
			 struct error *err)
{
	size_t i;
	enum status st = ST_OK;

	if (dir->exists)
		st = find_children(r, dir, err);
	if (!st)
		st = create_children(r, dir, err);
	for (i = 0; !st && i < dir->n; i++)
		if (dir->children[i]->n)
			st = visit(r, dir->children[i], err);
	return st;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool has_twice(uint64_t *v, size_t n)
{
	size_t i;

	if (n)
		qsort(v, n, sizeof(*v), by_value);
	for (i = 1; i < n; i++)
		if (v[i] == v[i - 1])
			return true;
	return false;
}

/* Long and short names can lead to one entry; damage, to one directory. */
static enum status check_distinct(struct resolve *r, struct error *err)
{
	if (has_twice(r->places, r->n_places))
		return error_set(err, ST_USAGE,
				 "two requests name the same file or "
				 "directory, once by its long and once by its "
				 "short name");
	if (has_twice(r->starts, r->n_starts))
		return error_set(err, ST_REFUSED,
				 "two files or directories share their "
				 "clusters; run fatfsck first");
	return ST_OK;
}

enum status resolve_tree(struct node *root, const struct volume *vol,
			 struct fatwin *win, struct codepage *cp,
			 const struct resolve_options *opt,
			 struct error *err)
{
	struct resolve r = { .vol = vol, .win = win, .cp = cp, .opt = opt };
	enum status st = ST_OK;

	root->exists = true;
	if (vol->bpb.type == FAT32)
		st = walk(&r, root, vol->bpb.root_clus, true, err);
	if (!st)
		st = visit(&r, root, err);
	if (!st)
		st = check_distinct(&r, err);
	free(r.places);
	free(r.starts);
	return st;
}
