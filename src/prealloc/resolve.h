/* resolve.h - from paths to directory entries, old and new */
#ifndef PREALLOC_RESOLVE_H
#define PREALLOC_RESOLVE_H

#include "fat/codepage.h"
#include "prealloc/tree.h"

struct resolve_options {
	bool create;	/* a missing file is created */
	bool parents;	/* a missing directory as well */
	struct dos_time now;
};

/*
 * Visits each directory of the tree once: finds what exists and walks its
 * chain, finds names and slots for what does not. ST_REFUSED, with the path,
 * for what is missing and may not be created, a file where a directory
 * should be or the other way, a full directory, and damage in the way.
 */
enum status resolve_tree(struct node *root, const struct volume *vol,
			 struct fatwin *win, struct codepage *cp,
			 const struct resolve_options *opt,
			 struct error *err);

#endif
