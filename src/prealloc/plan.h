/*
 * plan.h - free runs and requests in, runs out; no I/O
 *
 * Memory is bounded by the number of runs that the requests can need, not by
 * the free runs of the volume: a pool keeps the largest runs (with them any
 * feasible job is feasible) and, for each size asked for, the smallest that
 * fit (best fit). Which runs are kept does not depend on the window.
 */
#ifndef PREALLOC_PLAN_H
#define PREALLOC_PLAN_H

#include "prealloc/align.h"

struct plan_request {
	clus_t clusters;    /* wanted; max: at most so many */
	bool max;	    /* the largest free run */
	clus_t at_least;    /* max: a run shorter than this is not worth it */
	clus_t behind;	    /* last cluster of the chain; 0 = none */
	uint32_t max_runs;  /* at least 1 */
	bool directory;	    /* any place will do; no part of it may show */
	bool straddles;	    /* the FAT entry of behind lies in two sectors, */
	uint32_t end_value; /* and this end mark is in it */
	struct runs runs;   /* out */
	bool no_step;	    /* out: it would fit if it did not straddle */
	struct run after;   /* the free run directly behind, from the scan */
};

struct plan;

/*
 * The requests stay the caller's and are written to; their order is the
 * order of preference among equals. They must outlive the plan.
 */
enum status plan_open(struct plan **out, struct plan_request *req, size_t n,
		      struct align align, struct error *err);
void plan_close(struct plan *p); /* accepts NULL; not the requests' runs */

/* A scan_run_fn: offers a free run. Runs come in cluster order. */
enum status plan_offer(void *plan, struct run run, struct error *err);

/*
 * Fills the runs of every request, or says ST_REFUSED and *failed: the index
 * of a request for which there is no room. A max request may come out empty.
 * What straddles gets clusters to which its tail can be linked safely
 * (straddle.h); no_step says that this alone was in the way.
 */
enum status plan_requests(struct plan *p, size_t *failed, struct error *err);

/* A free cluster that is left, the lowest known; 0 = none known. */
clus_t plan_first_left(const struct plan *p);

#endif
