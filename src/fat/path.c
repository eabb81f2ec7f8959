/*
 * path.c - from a path to a directory entry
 *
 * Invariant: a directory is searched to its end unless an entry has the very
 * name that was asked for; so of two names that differ in case only, each is
 * found by its own spelling.
 */
#include "fat/path.h"

#include <string.h>

#include "base/ckd.h"

bool path_next(const char **rest, char *name, size_t cap)
{
	size_t len, keep;

	*rest += strspn(*rest, "/");
	len = strcspn(*rest, "/");
	if (len == 0)
		return false;
	keep = MIN(len, cap - 1);
	memcpy(name, *rest, keep);
	name[keep] = '\0';
	*rest += len;
	return true;
}

static bool exactly(const struct dir_entry *e, const char *name)
{
	return strcmp(e->name, name) == 0 || strcmp(e->short_utf8, name) == 0;
}

static bool roughly(const struct dir_entry *e, const char *name)
{
	return name_same(e->name, name) || name_same(e->short_utf8, name);
}

/* Looks name up in d; *found = false at the end. */
static enum status find(struct dir *d, const char *name,
			struct dir_entry *out, bool *found, struct error *err)
{
	struct dir_entry e;
	enum status st;
	bool more;

	*found = false;
	for (;;) {
		st = dir_next(d, &e, &more, err);
		if (st || !more)
			return st;
		if ((e.attr & ATTR_LABEL) || dirent_is_dot(e.raw))
			continue;
		if (exactly(&e, name)) {
			*out = e;
			*found = true;
			return ST_OK;
		}
		if (!*found && roughly(&e, name)) {
			*out = e;
			*found = true;
		}
	}
}

/*
 * The sentence for a component that is not there. path is all of it, of
 * which upto bytes lead up to and include the component called name.
 */
static enum status not_found(const struct dir *d, const char *path,
			     size_t upto, const char *name,
			     struct error *err)
{
	const char *rest = path + upto;
	char next[PATH_NAME_MAX];
	struct error why = { 0 };
	enum status st = name_check(name, &why);

	while (!st && path_next(&rest, next, sizeof(next)))
		st = name_check(next, &why);
	if (st)
		return error_set(err, st, "/%s: %s", path, why.text);
	if (!dir_at_mark(d) && dir_chain_end(d) != CHAIN_EOC)
		return error_set(err, ST_REFUSED,
				 "/%.*s: can't be looked up: the cluster "
				 "chain of its directory %s; run fatfsck",
				 (int)upto, path,
				 chain_end_text(dir_chain_end(d)));
	return error_set(err, ST_REFUSED,
			 "/%.*s: no such file or directory in the volume",
			 (int)upto, path);
}

/* Goes down from out into a directory; its cluster must be one. */
static enum status enter(const struct bpb *bpb, const struct dir_entry *e,
			 const char *path, size_t upto, size_t whole,
			 clus_t *clus, struct error *err)
{
	if (!dirent_is_dir(e->raw))
		return error_set(err, ST_REFUSED,
				 "/%.*s: /%.*s is a file, not a directory",
				 (int)whole, path, (int)upto, path);
	if (!bpb_has_clus(bpb, e->clus))
		return error_set(err, ST_REFUSED, "/%.*s: the directory is "
				 "damaged: it has no valid first cluster; "
				 "run fatfsck", (int)upto, path);
	*clus = e->clus;
	return ST_OK;
}

enum status path_lookup(const struct volume *vol, struct fatwin *win,
			struct codepage *cp, const char *path,
			struct dir_entry *out, bool *is_root,
			struct error *err)
{
	char name[PATH_NAME_MAX];
	const char *rest;
	struct dir *d = NULL;
	clus_t clus = 0;
	size_t upto = 0;
	enum status st = ST_OK;
	bool found;

	path += strspn(path, "/");
	rest = path;
	memset(out, 0, sizeof(*out));
	*is_root = true;
	while (!st && path_next(&rest, name, sizeof(name))) {
		if (!*is_root)
			st = enter(&vol->bpb, out, path, upto, strlen(path),
				   &clus, err);
		*is_root = false;
		upto = (size_t)(rest - path);
		if (!st)
			st = dir_open(&d, vol, win, cp, clus, err);
		if (!st)
			st = find(d, name, out, &found, err);
		if (!st && !found)
			st = not_found(d, path, upto, name, err);
		dir_close(d);
		d = NULL;
	}
	return st;
}
