/* fsck.h - what fatfsck found, for people and for programs */
#ifndef REPORT_FSCK_H
#define REPORT_FSCK_H

#include <stdio.h>

#include "check/repair.h"

struct fsck_report {
	const char *image;     /* as the caller named it, */
	const char *options;   /* and what else the next call needs, each with
				  a blank behind it */
	uint64_t offset_bytes; /* of the volume */
	const struct bpb *bpb;
	const struct check_result *result;
	const struct repair_outcome *outcome;
	const struct ledger *ledger;
	enum repair_mode mode;
	int exit_status;
	bool strict;	       /* warnings count as errors */
	bool quiet;	       /* findings only, and no infos */
	bool verbose;	       /* infos, reservations, statistics too */
};

/* How many of them stay as they are. */
static inline uint64_t fsck_left(const struct fsck_report *r,
				 enum severity severity)
{
	const struct findings *fs = &r->result->findings;
	uint64_t n = fs->count[severity];

	return r->mode == REPAIR_PREVIEW ? n : n - fs->planned[severity];
}

static inline uint64_t fsck_planned(const struct fsck_report *r)
{
	const uint64_t *n = r->result->findings.planned;

	return n[SEVERITY_ERROR] + n[SEVERITY_WARNING] + n[SEVERITY_INFO];
}

/* Names are escaped. Errors of f are for the caller to find at its close. */
void fsck_print_text(FILE *f, const struct fsck_report *r);

/* One JSON object and a newline (cli.md). ST_IO if it can't be written. */
enum status fsck_print_json(FILE *f, const struct fsck_report *r,
			    struct error *err);

#endif
