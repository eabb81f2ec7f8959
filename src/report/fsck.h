/* fsck.h - what fatfsck found, for people and for programs */
#ifndef REPORT_FSCK_H
#define REPORT_FSCK_H

#include <stdio.h>

#include "check/check.h"

struct fsck_report {
	const char *image;     /* as the caller named it */
	uint64_t offset_bytes; /* of the volume */
	const struct bpb *bpb;
	const struct check_result *result;
	const struct ledger *ledger;
	int exit_status;
	bool strict;	       /* warnings count as errors */
	bool quiet;	       /* findings only, and no infos */
	bool verbose;	       /* infos, reservations, statistics too */
};

/* Names are escaped. Errors of f are for the caller to find at its close. */
void fsck_print_text(FILE *f, const struct fsck_report *r);

/* One JSON object and a newline (cli.md). ST_IO if it can't be written. */
enum status fsck_print_json(FILE *f, const struct fsck_report *r,
			    struct error *err);

#endif
