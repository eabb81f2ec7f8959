/* fatprealloc_options.h - what the command line of fatprealloc(8) asks for */
#ifndef FATPREALLOC_OPTIONS_H
#define FATPREALLOC_OPTIONS_H

#include "base/manifest.h"
#include "prealloc/job.h"

enum mode { MODE_RESERVE, MODE_RELEASE, MODE_LIST };

struct options {
	enum mode mode;
	struct job_options job;
	bool keep_size;
	const char *length, *manifest, *undo;
	const char *image; /* as typed */
	char *path;	   /* of the image; owned */
	bool has_offset;
	uint64_t offset_bytes;
	size_t window_bytes;
	unsigned codepage;
	bool json, stats, verbose, quiet, progress;
	bool twice; /* --length or --manifest */
	/* First option seen that fits one of these modes only. */
	const char *reserve_only, *writing_only;
};

/*
 * Fills *o, whose defaults are set, from options, the image and the
 * environment, and leaves optind at what follows. ST_USAGE for what makes no
 * sense. *done: help or version was printed, and that is all. The strings are
 * argv's, but for path.
 */
enum status fatprealloc_options_parse(struct options *o, int argc,
				      char **argv, bool *done,
				      struct error *err);

/*
 * fatprealloc_requests.c: adds the requests, from optind on or from the
 * manifest. manifest_free() in any case.
 */
enum status fatprealloc_requests(struct manifest *m, const struct options *o,
				 int argc, char **argv, struct error *err);

#endif
