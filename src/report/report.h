/*
 * report.h - what fatprealloc did or found, for people and for programs
 *
 * One vtable, two of them: begin, a file at a time, end. Nothing is stored,
 * so a listing of a whole volume takes no memory.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "prealloc/job.h"
#include "prealloc/list.h"

struct warning {
	const char *code;
	const char *message;
};

#define WARNINGS_MAX 8

struct report {
	FILE *out;
	const char *image;     /* as the caller named it */
	const struct volume *vol;
	struct fatwin *win;    /* to walk the chains */
	uint64_t offset_bytes; /* of the volume on the device */
	clus_t free_before, free_after;
	bool list;	       /* of what is there; else of a job */
	bool release, dry_run, quiet, verbose, stats;
	bool verified;
	bool changed;	       /* the job had something to do */
	bool extents_cut;      /* a list of extents did not hold them all */
	struct warning warnings[WARNINGS_MAX];
	unsigned n_warnings;
	uint64_t n_files, total_reserved_bytes; /* counted by the report */
};

struct report_ops {
	enum status (*begin)(struct report *r, struct error *err);
	enum status (*file)(struct report *r, const struct job_file *file,
			    struct error *err);
	enum status (*end)(struct report *r, struct error *err);
};

extern const struct report_ops report_text, report_json;

/* Both are static strings. Ignored past WARNINGS_MAX. */
void report_warn(struct report *r, const char *code, const char *message);

/* The ledger, name by name in a fixed order, for both. */
typedef void report_stat_fn(void *arg, const char *name, uint64_t value);
void report_stats(const struct ledger *lg, report_stat_fn *fn, void *arg);

/*
 * Why a run of this many clusters is not there: the largest one, how many
 * there are of each length, and what would help.
 */
void report_no_space(FILE *f, const struct bpb *bpb,
		     const struct scan_stats *space, uint64_t wanted_clusters);

#endif
