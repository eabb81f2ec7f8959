/*
 * check.h - everything that is wrong with a volume, and what it holds
 *
 * Reads only. Time is linear in clusters and directory entries; memory is
 * one bit per cluster, three on a damaged volume, the window, and the
 * findings that are kept.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/manifest.h"
#include "check/finding.h"
#include "fat/codepage.h"
#include "fat/volume.h"

/* Zero-initialise, then set. */
struct check_options {
	size_t max_findings;	   /* kept; also of the reservations */
	bool reservations_error;   /* space beyond the size is damage */
	const struct manifest *expect; /* each line must hold; may be NULL */
	const char *const *contiguous; /* paths that must be one run */
	size_t n_contiguous;
	/* Asked now and then; true = stop, ST_CANCELLED. May be NULL. */
	bool (*cancelled)(void *arg);
	/* Pass 1 to 3 (the FAT, the tree, the rest); may be NULL. */
	void (*progress)(void *arg, unsigned pass, uint64_t done,
			 uint64_t total);
	void *arg;
};

/* A file with clusters beyond what its size needs. */
struct reservation {
	char *path; /* owned */
	uint64_t size_bytes, allocated_bytes, reserved_bytes;
	bool contiguous;
};

struct check_summary {
	uint64_t files, directories; /* the root is not counted */
	uint64_t clusters_used, clusters_free, clusters_bad;
	uint64_t clusters_reserved; /* beyond the ends of files */
	uint64_t fragmented_files;
	uint64_t reservations;	    /* all of them, kept or not */
};

struct check_result {
	struct findings findings;
	struct check_summary summary;
	bool fat_read;	/* the summary says something */
	/* The first max_findings, or fewer with long paths. */
	struct reservation *reservations;
	size_t n_reservations, cap_reservations;
	uint64_t reservation_bytes; /* of their paths */
};

/*
 * ST_OK whatever is found. ST_IO, ST_NOMEM or ST_CANCELLED if it could not be
 * finished. result is zero-initialised by the caller and freed by
 * check_result_free() in all cases.
 */
enum status check_volume(const struct volume *vol, struct codepage *cp,
			 const struct check_options *opt,
			 struct check_result *result, struct error *err);
void check_result_free(struct check_result *result);

#endif
