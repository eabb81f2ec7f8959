/*
 * fatprealloc_requests.c - the files that fatprealloc(8) is asked for
 *
 * LENGTH:PATH operands, or paths with --length, or the lines of a manifest.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatprealloc_options.h"

static enum status add_pair(struct manifest *m, const char *operand,
			    struct error *err)
{
	const char *colon = strchr(operand, ':');
	struct manifest_line line = { 0 };
	char *length;
	enum status st;

	if (!colon)
		return error_set(err, ST_USAGE,
				 "\"%s\" is not LENGTH:PATH; for plain paths "
				 "give --length", operand);
	length = strndup(operand, (size_t)(colon - operand));
	if (!length)
		return error_set_nomem(err);
	st = manifest_parse_length(length, &line.length_bytes, &line.max, err);
	free(length);
	return st ? st : manifest_add(m, colon + 1, line.length_bytes,
				      line.max, 0, err);
}

static enum status add_paths(struct manifest *m, const struct options *o,
			     int argc, char **argv, struct error *err)
{
	struct manifest_line line = { 0 };
	enum status st = ST_OK;

	if (o->length)
		st = manifest_parse_length(o->length, &line.length_bytes,
					   &line.max, err);
	for (; !st && optind < argc; optind++)
		st = manifest_add(m, argv[optind], line.length_bytes, line.max,
				  0, err);
	return st;
}

static enum status add_manifest(struct manifest *m, const char *name,
				struct error *err)
{
	bool is_stdin = !strcmp(name, "-");
	FILE *f = is_stdin ? stdin : fopen(name, "r");
	enum status st;

	if (!f)
		return error_set_sys(err, ST_IO, errno, "%s: cannot open",
				     name);
	st = manifest_read(m, f, is_stdin ? "standard input" : name, err);
	if (!is_stdin)
		fclose(f);
	return st;
}

enum status fatprealloc_requests(struct manifest *m, const struct options *o,
				 int argc, char **argv, struct error *err)
{
	enum status st = ST_OK;

	if (o->manifest && optind < argc)
		return error_set(err, ST_USAGE,
				 "with --manifest no paths are named; "
				 "\"%s\" is too much", argv[optind]);
	if (o->manifest)
		st = add_manifest(m, o->manifest, err);
	else if (o->mode != MODE_RESERVE || o->length)
		st = add_paths(m, o, argc, argv, err);
	else
		for (; !st && optind < argc; optind++)
			st = add_pair(m, argv[optind], err);
	if (st || m->n || o->mode == MODE_LIST)
		return st;
	return error_set(err, ST_USAGE, "no file is asked for; see --help");
}
