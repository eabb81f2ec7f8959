/*
 * spot.h - where the clusters behind a straddling tail may begin
 *
 * Not every cluster can be linked to a tail whose FAT12 entry lies in two
 * sectors (straddle.h), but a run may be entered anywhere. A FAT12 has so few
 * clusters that every start in every run is tried.
 */
#ifndef PREALLOC_SPOT_H
#define PREALLOC_SPOT_H

#include "prealloc/plan.h"
#include "prealloc/space.h"

/* More free runs than a FAT12 can have. */
#define SPOT_RUNS_MAX 2048

struct spot {
	struct pool *pool;
	size_t index;	/* of a run in it, */
	struct run run; /* and the part of it that the request gets */
	size_t runs;	/* that the request gets in all, if it has this one */
};

/* Can q's tail be linked to r, the first run of a chain? */
bool spot_is_safe(const struct plan_request *q, struct run r);

/*
 * The best place for the first run of q, which has none yet: with the fewest
 * runs in all, in the shortest run that will do; for max the longest, behind
 * the tail among equals. False if there is none.
 */
bool spot_find(struct spot *out, struct space *space,
	       const struct plan_request *q);

#endif
