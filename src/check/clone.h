/*
 * clone.h - a copy of shared clusters for one of those who have them; for
 * src/check only
 */
#ifndef CHECK_CLONE_H
#define CHECK_CLONE_H

#include "check/repair_in.h"
#include "check/spare.h"

/* Zero-initialise with ck; clone_close() when done. */
struct clone {
	struct check *ck;
	struct spare spare;
	bool open;	 /* spare is */
	uint64_t budget; /* clusters that may be followed in vain */
};

/* Whose copy. */
struct clone_for {
	clus_t from;	   /* the first cluster to copy */
	uint64_t clusters; /* the file needs from there on */
	clus_t before;	   /* links to from; 0 = the entry does */
	const struct dir_entry *e;
};

enum clone_outcome {
	CLONE_DONE, /* it is planned */
	CLONE_NOT,  /* there is no room, or nothing that can be copied */
	CLONE_WAIT, /* the next round can do it, and this one does something */
};

/* Do repairs leave what was shared to everybody who had it? */
bool clone_is_wanted(const struct check *ck);
/*
 * banned: a bit for each cluster that some link or entry leads to; what is
 * taken is added.
 */
enum status clone_plan(struct clone *cl, struct bitmap *banned,
		       const struct clone_for *f, enum clone_outcome *outcome,
		       struct error *err);
void clone_close(struct clone *cl);

#endif
