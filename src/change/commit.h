/* commit.h - the only writer */
#ifndef CHANGE_COMMIT_H
#define CHANGE_COMMIT_H

#include "change/edit.h"
#include "change/undo.h"

struct commit_options {
	bool verify; /* read back from the device after the last barrier */
	bool no_copies; /* of contents: a preview needs none */
	/* Asked until the first write; true = stop, ST_CANCELLED. */
	bool (*cancelled)(void *arg);
	/* done and total in bytes, of all phases; may be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *arg;
	/* What is overwritten is kept there first; NULL = nowhere. */
	struct undo *undo;
};

struct commit_result {
	bool wrote;    /* the first write was attempted */
	bool verified; /* read back and equal */
};

/*
 * Applies e in the order of its phases. First everything is read and held
 * against what the edits expect: ST_REFUSED and nothing written if it
 * differs. A failure with result->wrote set leaves at worst lost clusters,
 * differing copies, a stale FSInfo or a dirty mark. An empty e does nothing.
 */
enum status commit_apply(const struct volume *vol, struct edits *e,
			 const struct commit_options *opt,
			 struct commit_result *result, struct error *err);

#endif
