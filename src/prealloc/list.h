/* list.h - what files have: --list */
#ifndef PREALLOC_LIST_H
#define PREALLOC_LIST_H

#include "fat/path.h"
#include "prealloc/job.h"

/* file and its path live during the call. */
typedef enum status list_file_fn(void *arg, const struct job_file *file,
				 struct error *err);

/*
 * Calls fn for the file at path, or for every file below it if it is a
 * directory; "" or "/" is the whole volume. Each directory is read once,
 * loops or not. A damaged chain shows its sound part, with *damaged set.
 */
enum status list_path(const struct volume *vol, struct codepage *cp,
		      const char *path, list_file_fn *fn, void *arg,
		      bool *damaged, struct error *err);

/* ST_REFUSED or ST_USAGE, with the reason, if there is nothing at path. */
enum status list_check(const struct volume *vol, struct codepage *cp,
		       const char *path, struct error *err);

/*
 * The runs of a file as the job left it, in file order: first the old chain,
 * then what was added.
 */
enum status list_runs(struct fatwin *win, const struct job_file *file,
		      chain_run_fn *fn, void *arg, struct error *err);

#endif
