/* manifest.h - lines of "LENGTH PATH", as users write them */
#ifndef BASE_MANIFEST_H
#define BASE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct manifest_line {
	char *path;	    /* owned */
	uint64_t length_bytes;
	bool max;	    /* the length is the word "max" */
	unsigned line;	    /* number in the file, from 1 */
};

struct manifest {
	struct manifest_line *v;
	size_t n, cap;
};

/*
 * "LENGTH" or "max": ST_USAGE for 0, a negative number, a bad suffix, or
 * more than 64 bits hold; the sentence quotes the text.
 */
enum status manifest_parse_length(const char *text, uint64_t *length_bytes,
				  bool *max, struct error *err);

/*
 * Reads all lines: LENGTH, blanks, PATH to the end of the line (trailing CR
 * and nothing else removed). Empty lines and lines whose first non-blank is
 * '#' are skipped. A bad line (length, no path, NUL byte, not UTF-8) is
 * ST_USAGE with "name:line: ". m is zero-initialised by the caller and freed
 * by manifest_free(), also after an error.
 */
enum status manifest_read(struct manifest *m, FILE *f, const char *name,
			  struct error *err);
enum status manifest_add(struct manifest *m, const char *path,
			 uint64_t length_bytes, bool max, unsigned line,
			 struct error *err);
void manifest_free(struct manifest *m);

#endif
