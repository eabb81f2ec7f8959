/*
 * scan.h - one pass over the FAT: free runs, free count, copies compared
 */
#ifndef PREALLOC_SCAN_H
#define PREALLOC_SCAN_H

#include "base/bitmap.h"
#include "fat/volume.h"

#define SCAN_BUCKETS 32

struct scan_stats {
	clus_t free;	    /* clusters */
	clus_t free_runs;
	struct run largest; /* the first of the longest; count 0 = none */
	/* Free runs of 2^i to 2^(i+1) - 1 clusters. */
	clus_t histogram[SCAN_BUCKETS];
	uint64_t links_watched; /* entries that link into `watch` */
};

/* Called for each maximal run of free clusters, in cluster order. */
typedef enum status scan_run_fn(void *arg, struct run run, struct error *err);

/*
 * watch: clusters to which links are counted; may be NULL.
 *
 * Reads each copy once, window by window, and holds the copies against each
 * other (reserved bits masked, slack ignored, only the active copy if
 * mirroring is off): ST_REFUSED at the first difference, with the cluster.
 */
enum status scan_free(const struct volume *vol, const struct bitmap *watch,
		      scan_run_fn *fn, void *arg, struct scan_stats *stats,
		      struct error *err);

#endif
