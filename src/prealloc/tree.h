/*
 * tree.h - the paths of a call as a tree, so that each directory of the
 * volume is visited once, however many requests lie in it
 */
#ifndef PREALLOC_TREE_H
#define PREALLOC_TREE_H

#include "fat/chain.h"
#include "fat/dirent.h"
#include "prealloc/slots.h"

#define NODE_NONE SIZE_MAX
/* Windows allows 260 characters; nobody means more levels than this. */
#define TREE_DEPTH_MAX 256

/* A file or directory that a request names or leads through. */
struct node {
	char *name;		/* as asked for, owned; NULL for the root */
	char *key;		/* folded, owned */
	struct node *parent;	/* NULL for the root */
	struct node **children; /* owned, by key */
	size_t n, cap;
	size_t request;		/* that ends here, or NODE_NONE */
	size_t first_request;	/* that names it or leads through it */

	/* Filled by resolve. */
	bool exists;
	uint64_t entry_offset;	/* in the volume; !exists: none */
	uint8_t entry[DIRENT_BYTES]; /* as it was on the disk */
	struct chain chain;	/* of a file or directory that exists */
	struct slots *slots;	/* of a directory that gets new entries */
	struct slot_ref ref;	/* !exists: its short entry in the parent */
	size_t plan;		/* its request for clusters, or NODE_NONE */
};

struct node *tree_new(void); /* a root; NULL if out of memory */
void tree_free(struct node *root); /* accepts NULL */

/*
 * Enters the path of a request. ST_USAGE for a name that FAT can't hold, a
 * path that is there already or the root, or one that leads through another
 * request's file.
 */
enum status tree_add(struct node *root, const char *path, size_t request,
		     struct error *err);

/* The child whose key this is; NULL if there is none. */
struct node *tree_child(const struct node *dir, const char *key);

/* "/A/B" into buf, always terminated; returns buf. */
char *tree_path(const struct node *node, char *buf, size_t cap);

#endif
