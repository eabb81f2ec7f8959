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

#include "base/run.h"

struct plan_request {
	clus_t clusters;    /* wanted; max: at most so many */
	bool max;	    /* the largest free run */
	clus_t at_least;    /* max: a run shorter than this is not worth it */
	clus_t behind;	    /* last cluster of the chain; 0 = none */
	uint32_t max_runs;  /* at least 1 */
	bool unaligned;	    /* directories: anywhere will do */
	struct runs runs;   /* out */
	struct run after;   /* the free run directly behind, from the scan */
};

/* Clusters with (c - remainder) divisible by step are aligned. */
struct plan_align {
	uint64_t step;	    /* 1 = every cluster */
	uint64_t remainder; /* < step */
};

/*
 * Which clusters start on a multiple of align_bytes, where cluster 2 starts
 * at data_bytes of the device. False if none does.
 */
bool plan_align_init(struct plan_align *a, uint64_t align_bytes,
		     uint64_t data_bytes, uint32_t cluster_bytes);

struct plan;

/*
 * The requests stay the caller's and are written to; their order is the
 * order of preference among equals. They must outlive the plan.
 */
enum status plan_open(struct plan **out, struct plan_request *req, size_t n,
		      struct plan_align align, struct error *err);
void plan_close(struct plan *p); /* accepts NULL; not the requests' runs */

/* A scan_run_fn: offers a free run. Runs come in cluster order. */
enum status plan_offer(void *plan, struct run run, struct error *err);

/*
 * Fills the runs of every request, or says ST_REFUSED and *failed: the index
 * of a request for which there is no room. A max request may come out empty.
 */
enum status plan_requests(struct plan *p, size_t *failed, struct error *err);

/* A free cluster that is left, the lowest known; 0 = none known. */
clus_t plan_first_left(const struct plan *p);

#endif
