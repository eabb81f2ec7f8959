/* mirror_in.h - what the judges of FAT copies share; for src/check only */
#ifndef CHECK_MIRROR_IN_H
#define CHECK_MIRROR_IN_H

#include "check/dirlook.h"
#include "check/walk.h"

/* How well a chain goes with its entry, worst first. */
enum mirror_fit {
	FIT_BROKEN, /* free, bad, out of range, stopped, or loops */
	FIT_SHORT,  /* ends before its size does, or is no directory's */
	FIT_LONGER, /* a reservation */
	FIT_EXACT,  /* a directory's that ends properly, too */
};

/* What is settled in a walk: mirror_sound.c. */
enum mirror_pass {
	PASS_EXACT,  /* sound in one copy only, and no longer than needed */
	PASS_LONGER, /* sound in one copy only */
	PASS_BOTH,
};

/* Copy 0 is the one that is believed, 1 the other one. */
struct mirror_judge {
	struct check *ck;
	uint64_t budget; /* entries that may still be looked at in a walk */
	unsigned base;	 /* the copy that ck->win is on */
	/*
	 * Clusters that one copy alone does not explain: a second chain comes
	 * there, or they are in use and nobody's. Once known, both bits mean
	 * that the cluster is settled: a sound chain has it, and the entry is
	 * taken from where take_other says.
	 */
	struct bitmap *odd[2];
	bool known;
	bool partial; /* part of the tree may not have been seen in a copy */
	enum mirror_pass pass;
};

/* One copy's view of a chain. */
struct mirror_view {
	unsigned copy;
	bool stop_used; /* at what the walk has taken; or */
	bool stop_odd;	/* at what this copy does not explain */

	uint64_t needed;   /* clusters; 0 = a directory's */
	uint64_t clusters; /* before it stops, */
	uint64_t alone;    /* before it crosses any other, */
	uint64_t beyond;   /* and of another chain, as far as needed */
	enum mirror_fit fit;
	struct dirlook dir; /* of a directory */
	bool loops;
	bool crosses;  /* comes to what is taken, or this copy can't explain */
	bool explains; /* or to what the other copy can't */
};

/* mirror_view.c; e NULL = the root */
bool mirror_is_dir(const struct dir_entry *e);
/* Another walk: a new budget, and used is empty. */
enum status mirror_begin(struct mirror_judge *j, struct error *err);
bool mirror_is_settled(const struct mirror_judge *j, clus_t c);
enum status mirror_look(struct mirror_judge *j, const struct dir_entry *e,
			clus_t first, struct mirror_view *v,
			struct error *err);
/* Long enough, ends properly, and crosses no other one. */
bool mirror_is_sound(const struct mirror_view *v);
/* Is b better than a? Of two that are no good the one with more of e is. */
bool mirror_is_better(const struct dir_entry *e, const struct mirror_view *a,
		      const struct mirror_view *b);
/* The chain is as v has it; settle: and stays so. */
enum status mirror_take(struct mirror_judge *j, clus_t first,
			const struct mirror_view *v, bool settle,
			struct error *err);

/* mirror_sound.c: decides the chains that are sound in a copy alone. */
enum status mirror_settle_sound(struct mirror_judge *j, struct error *err);

#endif
