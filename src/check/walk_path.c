/*
 * walk_path.c - paths of what a tree walk meets, for findings only
 *
 * Invariant: neither the walk's own path nor the one of a finding grows
 * without bound, however deep a hostile tree is: names beyond the bound are
 * left out of the first, the second loses its middle.
 */
#include <stdlib.h>
#include <string.h>

#include "check/walk.h"

#define GAP "/..."

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Cuts the middle out of a path of len bytes, between characters. */
static void shorten(char *path, size_t len)
{
	size_t half = (FINDING_PATH_MAX - sizeof(GAP)) / 2;
	size_t head = half, tail = len - half;

	while (is_continuation(path[head]))
		head--;
	while (is_continuation(path[tail]))
		tail++;
	memcpy(path + head, GAP, sizeof(GAP) - 1);
	memmove(path + head + sizeof(GAP) - 1, path + tail, len - tail + 1);
}

/* The path of the directory at depth, and of the entry called name in it. */
static char *build(const struct walk *w, size_t depth, const char *name)
{
	const struct walk_frame *f = &w->frames[depth];
	const char *gap = f->elided ? GAP : "";
	size_t len = f->path_len + strlen(gap);
	size_t name_len = name ? strlen(name) + 1 : 0;
	char *path = malloc(len + name_len + 1);

	if (!path)
		return NULL;
	if (f->path_len)
		memcpy(path, w->path, f->path_len);
	strcpy(path + f->path_len, gap);
	if (name) {
		path[len] = '/';
		strcpy(path + len + 1, name);
	}
	if (len + name_len > FINDING_PATH_MAX)
		shorten(path, len + name_len);
	return path;
}

char *walk_path(const struct walk *w, const char *name)
{
	return w->depth > 1 || (w->depth && name) ?
		       build(w, w->depth - 1, name) :
		       strdup("/");
}

char *walk_path_at(const struct walk *w, size_t depth)
{
	return depth ? build(w, depth, NULL) : strdup("/");
}

enum status walk_add(const struct walk *w, const char *name, struct finding f,
		     struct error *err)
{
	if (!findings_full(&w->ck->res->findings)) {
		f.path = walk_path(w, name);
		if (!f.path) {
			free(f.other);
			return error_set_nomem(err);
		}
	}
	return check_add(w->ck, f, err);
}
