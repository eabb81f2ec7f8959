/*
 * tree.c - builds the tree of the paths that a call names
 *
 * Invariant: the children of a node are sorted by key and their keys differ,
 * so no name can be created twice.
 */
#include "prealloc/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "fat/lfn.h"
#include "fat/path.h"

/* Longer than any legal name, so that one too long is seen to be so. */
#define COMPONENT_MAX 4096

static struct node *node_new(struct node *parent, const char *name)
{
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->parent = parent;
	n->request = NODE_NONE;
	n->plan = NODE_NONE;
	if (!name)
		return n;
	n->name = strdup(name);
	n->key = name_fold(name);
	if (!n->name || !n->key) {
		tree_free(n);
		return NULL;
	}
	return n;
}

struct node *tree_new(void)
{
	return node_new(NULL, NULL);
}

void tree_free(struct node *root)
{
	size_t i;

	if (!root)
		return;
	for (i = 0; i < root->n; i++)
		tree_free(root->children[i]);
	free(root->children);
	free(root->name);
	free(root->key);
	slots_close(root->slots);
	free(root);
}

/* Where the key is or would be among the children. */
static size_t position(const struct node *dir, const char *key)
{
	size_t low = 0, high = dir->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(dir->children[mid]->key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct node *tree_child(const struct node *dir, const char *key)
{
	size_t at = position(dir, key);

	if (at < dir->n && !strcmp(dir->children[at]->key, key))
		return dir->children[at];
	return NULL;
}

static enum status insert(struct node *dir, struct node *child,
			  struct error *err)
{
	size_t at = position(dir, child->key);
	enum status st;

	st = array_reserve(&dir->children, &dir->cap, dir->n + 1,
			   sizeof(*dir->children), err);
	if (st)
		return st;
	memmove(dir->children + at + 1, dir->children + at,
		(dir->n - at) * sizeof(*dir->children));
	dir->children[at] = child;
	dir->n++;
	return ST_OK;
}

static enum status enter(struct node *dir, const char *name, size_t request,
			 struct node **out, struct error *err)
{
	struct node *fresh = NULL, *child;
	enum status st;

	st = name_check(name, err);
	if (st)
		return st;
	fresh = node_new(dir, name);
	if (!fresh)
		return error_set_nomem(err);
	fresh->first_request = request;
	child = tree_child(dir, fresh->key);
	if (child) {
		tree_free(fresh);
		*out = child;
		return ST_OK;
	}
	st = insert(dir, fresh, err);
	if (st)
		tree_free(fresh);
	*out = fresh;
	return st;
}

enum status tree_add(struct node *root, const char *path, size_t request,
		     struct error *err)
{
	struct error why = { 0 };
	char name[COMPONENT_MAX];
	const char *rest = path;
	struct node *node = root;
	unsigned depth = 0;
	enum status st;

	while (path_next(&rest, name, sizeof(name))) {
		if (node->request != NODE_NONE)
			return error_set(err, ST_USAGE,
					 "%s leads through a file that is "
					 "asked for as well", path);
		if (++depth > TREE_DEPTH_MAX)
			return error_set(err, ST_USAGE,
					 "%s has more than %d directories",
					 path, TREE_DEPTH_MAX);
		st = enter(node, name, request, &node, &why);
		if (st)
			return error_set(err, st, "%s: %s", path, why.text);
	}
	if (node == root)
		return error_set(err, ST_USAGE, "\"%s\" names no file", path);
	if (node->request != NODE_NONE)
		return error_set(err, ST_USAGE, "%s is asked for twice", path);
	if (node->n)
		return error_set(err, ST_USAGE,
				 "%s is asked for as a file and led through "
				 "as a directory", path);
	node->request = request;
	return ST_OK;
}

char *tree_path(const struct node *node, char *buf, size_t cap)
{
	const struct node *up[TREE_DEPTH_MAX + 1];
	size_t n = 0, used = 0;
	int len;

	for (; node->parent; node = node->parent)
		up[n++] = node;
	snprintf(buf, cap, "/");
	while (n && used < cap) {
		len = snprintf(buf + used, cap - used, "/%s", up[--n]->name);
		used += len < 0 ? 0 : (size_t)len;
	}
	return buf;
}
