/* walk.h - a walk over all directories; for src/check only */
#ifndef CHECK_WALK_H
#define CHECK_WALK_H

#include "check/dirread.h"
#include "check/work.h"

struct walk;

/* What a walk is for. */
struct walk_visitor {
	bool judge; /* count, and make findings */
	/*
	 * Before and after the chain of an entry (NULL = the root's) is
	 * taken. Either may be NULL.
	 */
	enum status (*before)(void *arg, const struct dir_entry *e,
			      clus_t first, struct error *err);
	enum status (*after)(void *arg, const struct walk *w,
			     const struct dir_entry *e,
			     const struct claim *claim, struct error *err);
	/*
	 * Each cluster that is taken, in order; name as for walk_path(). May
	 * be NULL.
	 */
	enum status (*cluster)(void *arg, const struct walk *w,
			       const char *name, clus_t c, struct error *err);
	void *arg;
};

/*
 * Takes every chain that an entry of the tree begins, in an order that
 * depends on the volume only: the files of a directory, then its
 * subdirectories one by one. ck->used is empty before.
 */
enum status walk_tree(struct check *ck, const struct walk_visitor *visitor,
		      struct error *err);

/*
 * The path of the entry called name in the directory where the walk is; NULL
 * = of the directory itself. malloc'ed, at most FINDING_PATH_MAX bytes; NULL
 * if out of memory.
 */
char *walk_path(const struct walk *w, const char *name);
/* Of the directory that is depth levels below the root. */
char *walk_path_at(const struct walk *w, size_t depth);

/* Adds f, with the path of name. */
enum status walk_add(const struct walk *w, const char *name, struct finding f,
		     struct error *err);
/* Likewise, and answers as check_offer(): repair.h. */
enum status walk_offer(const struct walk *w, const char *name,
		       struct finding f, bool *fix, struct error *err);

/* check_file.c: what a file's chain is, and any chain; e NULL = the root. */
enum status check_file(const struct walk *w, const struct dir_entry *e,
		       const struct claim *claim, struct error *err);
enum status check_chain(const struct walk *w, const struct dir_entry *e,
			const struct claim *claim, struct error *err);

struct walk_frame {
	struct dirpos pos;
	clus_t clus;	 /* first cluster; 0 = the root */
	size_t path_len; /* of the tree's path */
	uint32_t moved;	 /* entries before this slot get other ones */
	bool elided;	 /* the path is too long: this name is not in it */
};

struct walk {
	struct check *ck;
	const struct walk_visitor *visitor;
	struct dirread reader;
	struct walk_frame *frames; /* from the root to where the walk is */
	size_t depth, cap;
	char *path; /* of the innermost; "" = the root; not terminated */
	size_t path_cap;
	bool label_seen;
	uint8_t label[DIRENT_NAME_BYTES];
};

#endif
