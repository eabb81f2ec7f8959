/* fatfsck_options.h - what the command line of fatfsck(8) asks for */
#ifndef FATFSCK_OPTIONS_H
#define FATFSCK_OPTIONS_H

#include "base/manifest.h"
#include "check/repair.h"
#include "report/progress.h"

#define FATFSCK_MAX_FINDINGS 10000 /* by default */

struct config {
	struct volume_spec spec;
	struct check_options check;
	struct repair_options repair;
	const char *operand;
	char *image; /* without @@OFFSET */
	const char *expect;
	struct manifest manifest;
	const char **contiguous;
	size_t contiguous_cap;
	unsigned codepage;
	const char *undo, *rollback;
	struct progress progress; /* on a terminal */
	int progress_fd;	  /* -C; 0 = none */
	bool has_offset, has_mode;
	bool strict, json, verbose, quiet;
	bool shown; /* --help or --version did all there is to do */
};

/*
 * Fills *c, whose defaults are set. ST_USAGE for what makes no sense. The
 * strings are argv's; fatfsck_options_free() in any case.
 */
enum status fatfsck_options_parse(struct config *c, int argc,
				  char **argv, struct error *err);
void fatfsck_options_free(struct config *c);

#endif
