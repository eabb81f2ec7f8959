/*
 * nameset.c - which names a directory has, for duplicates and for new names
 *
 * Invariant: a key stands in the tree once for each kind.
 */
#include "check/nameset.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct name {
	size_t len;
	enum name_kind kind;
	const unsigned char *key; /* bytes, or somebody's while it is sought */
	unsigned char bytes[];
};

static int compare(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->key, y->key, x->len);
}

bool nameset_has(const struct nameset *s, enum name_kind kind,
		 const void *key, size_t len)
{
	const struct name n = { .len = len, .kind = kind, .key = key };

	return tfind(&n, &s->root, compare) != NULL;
}

enum status nameset_add(struct nameset *s, enum name_kind kind,
			const void *key, size_t len, struct error *err)
{
	struct name *n = malloc(sizeof(*n) + len);
	struct name **at;

	if (!n)
		return error_set_nomem(err);
	n->len = len;
	n->kind = kind;
	n->key = n->bytes;
	memcpy(n->bytes, key, len);
	at = tsearch(n, &s->root, compare);
	if (!at || *at != n)
		free(n);
	return at ? ST_OK : error_set_nomem(err);
}

void nameset_clear(struct nameset *s)
{
	tdestroy(s->root, free);
	s->root = NULL;
}
