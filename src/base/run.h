/* run.h - a run: clusters that follow each other on the volume */
#ifndef BASE_RUN_H
#define BASE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef uint32_t clus_t; /* a cluster number, or a count of clusters */

struct run {
	clus_t first;
	clus_t count;
};

/* First cluster after the run. 64 bits: a hostile run may end past 2^32. */
static inline uint64_t run_end(struct run r)
{
	return (uint64_t)r.first + r.count;
}

/* A list of runs in file order. Zero-initialise; runs_free() when done. */
struct runs {
	struct run *v;
	size_t n, cap;
};

/* Appends; a run that begins where the last one ends is merged into it. */
enum status runs_push(struct runs *rs, struct run r, struct error *err);
uint64_t runs_clusters(const struct runs *rs);
/* The cluster at position index (from 0) of the list; 0 if past its end. */
clus_t runs_at(const struct runs *rs, uint64_t index);
void runs_free(struct runs *rs);

#endif
