/*
 * job.h - one call of fatprealloc: resolve, scan, plan, commit
 *
 * Every request is resolved and planned before the first write (law 5).
 */
#ifndef PREALLOC_JOB_H
#define PREALLOC_JOB_H

#include "change/commit.h"
#include "fat/codepage.h"
#include "fat/dirent.h"
#include "prealloc/scan.h"

/* The largest size of a file, and so of a length: 4 GiB - 1. */
#define JOB_LENGTH_MAX 0xFFFFFFFFu

struct job_request {
	const char *path;      /* in the volume, UTF-8; not owned */
	uint64_t length_bytes; /* of the allocation, from offset 0 */
	bool max;	       /* the largest free run instead */
	const char *file;      /* manifest it stands in, for messages; not */
	unsigned line;	       /* owned; NULL = none */
};

/* Zero-initialise, then set. */
struct job_options {
	bool release;	  /* give back what lies beyond the size, instead */
	bool extend;	  /* the size becomes the length */
	bool no_zero;	  /* with extend: leave what the clusters hold */
	bool parents;	  /* make missing directories */
	bool no_create;	  /* a missing file is an error */
	bool dry_run;
	bool force;	  /* go on on a volume marked dirty */
	uint64_t align_bytes;	      /* 0 = none */
	uint64_t device_offset_bytes; /* of the volume, for align */
	uint32_t max_extents;	      /* new runs for a file; 0 means 1 */
	struct dos_time now;
	struct commit_options commit;
};

/* A file as the job left it, or would leave it (dry run). */
struct job_file {
	char *path;	 /* as asked for; owned */
	uint64_t size_bytes, allocated_bytes;
	uint64_t reserved_bytes; /* allocated beyond the clusters of size */
	bool created, changed, contiguous;
	clus_t first_clus;	 /* 0 = none */
	clus_t old_clusters;	 /* of the chain that was there and stays */
	struct runs added;	 /* the new runs, in file order */
};

struct job_result {
	struct job_file *files;	 /* one per request, in their order */
	size_t n_files;
	struct scan_stats space; /* before the job */
	bool no_space;		 /* refused for want of a run */
	uint64_t wanted_clusters;/* if no_space: by the request that failed */
	uint64_t free_after;	 /* clusters */
	bool done;		 /* job_run() succeeded */
	bool changed;		 /* anything to write (dry run: would be) */
	bool fsinfo_left;	 /* an invalid FSInfo was left alone */
	struct commit_result commit;
};

/*
 * ST_REFUSED, ST_USAGE, ST_IO, ST_CANCELLED or ST_NOMEM with
 * !result->commit.wrote: nothing was written. With wrote: it failed after
 * the first write. result is zero-initialised by the caller and freed by
 * job_result_free() in all cases. vol->blk->ledger, if any, counts.
 */
enum status job_run(const struct volume *vol, struct codepage *cp,
		    const struct job_request *requests, size_t n,
		    const struct job_options *opt, struct job_result *result,
		    struct error *err);
void job_result_free(struct job_result *result);

/*
 * Whether fatprealloc may work on this volume at all (format.md, the lines
 * marked (a)): ST_REFUSED with the reason. Reads FAT[1] for the dirty mark.
 */
enum status job_admit(const struct volume *vol, bool force,
		      struct error *err);

#endif
