/* repair_in.h - what the parts of a repair share; for src/check only */
#ifndef CHECK_REPAIR_IN_H
#define CHECK_REPAIR_IN_H

#include "check/repair.h"
#include "check/work.h"

struct repair {
	struct volume *vol;
	const struct repair_options *opt;
	struct repair_outcome *outcome;

	/* Of this round. */
	struct edits edits;
	bool boot_changes; /* the boot sector; its backup waits */
	bool geometry_changes; /* what the rest of a round goes by */
	bool tree_changes; /* clusters, or an entry's claim to them */
	bool tree_left;	   /* damage in the tree that stays */
	bool locked;	   /* the copies differ, and stay so */
	uint64_t freed, taken; /* clusters, net */
	uint64_t errors_left;  /* what the caller asked for by name aside */

	/* Of all rounds. */
	bool fat_touched;  /* so FSInfo is ours to correct */
	bool postponed;	   /* something had to wait, so it does not follow */
	bool marked;	   /* we marked the volume dirty */
	bool clear_dirty, clear_error;
	bool keep_dirty, keep_error; /* found, and not to be cleared */
	/*
	 * A preview tells how the volume is, not how it would be: the numbers
	 * of the first round that got to the end.
	 */
	bool counted;
	struct check_summary summary;
	uint64_t *declined; /* hashes of findings that were answered no */
	size_t n_declined, cap_declined;
};

/* repair_plan.c: is another object still welcome in the plan? */
bool repair_is_full(const struct repair *rep);

/* repair_mark.c: MARK before the first commit, the end after the last. */
enum status repair_mark_dirty(struct repair *rep, struct error *err);
/* What clears the marks; nothing else is in e. */
enum status repair_clear_marks(struct repair *rep, struct edits *e,
			       struct error *err);

#endif
