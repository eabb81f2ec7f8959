/*
 * spare.h - free clusters to copy contents to; for src/check only
 *
 * What the round has given away already, and free clusters that a link or an
 * entry leads to, are none: whoever comes to them by damage would get hold
 * of somebody's contents.
 */
#ifndef CHECK_SPARE_H
#define CHECK_SPARE_H

#include "check/work.h"

/* Pieces that are known at a time, and so of one copy. */
#define SPARE_RUNS_MAX 4096u

/* Zero-initialise with ck and banned, then spare_open(). */
struct spare {
	struct check *ck;
	struct bitmap *banned;	/* clusters that are none; grows */
	struct run *v;		/* the longest free runs */
	size_t n;
	uint64_t clusters;	/* in them */
	clus_t least;		/* shorter ones were left out; 0 = none */
	unsigned scans;		/* of the FAT */
};

/* A link that is to lead to the first of the clusters: straddle.h. */
struct spare_tail {
	clus_t clus;   /* 0 = none */
	uint32_t link; /* where it leads now */
};

/* Looks for what is free. spare_close() after it, also if it fails. */
enum status spare_open(struct spare *s, struct error *err);
void spare_close(struct spare *s);

/*
 * Takes n clusters: one run if there is one, else as few as will do; where
 * the tail's FAT entry lies in two sectors, a run that it can be linked to
 * safely if there is one. runs stays empty if there are not so many.
 */
enum status spare_take(struct spare *s, uint64_t n,
		       const struct spare_tail *tail, struct runs *runs,
		       struct error *err);

#endif
