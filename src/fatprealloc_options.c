/*
 * fatprealloc_options.c - the options of fatprealloc(8), and which go together
 *
 * No option is ignored: one that makes no sense in a mode is a usage error.
 */
#include "fatprealloc_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "arg.h"
#include "base/text.h"
#include "dev/locate.h"

enum {
	OPT_NO_ZERO = 256,
	OPT_NO_CREATE,
	OPT_ALIGN,
	OPT_MAX_EXTENTS,
	OPT_DRY_RUN,
	OPT_LIST,
	OPT_RELEASE,
	OPT_UNDO,
	OPT_BUFFER,
	OPT_IMAGE_OFFSET,
	OPT_CODEPAGE,
	OPT_FORCE,
	OPT_NO_VERIFY,
	OPT_JSON,
	OPT_STATS,
	OPT_PROGRESS,
};

static const char SHORT_OPTIONS[] = ":nxl:f:pvqhV";
static const struct option long_options[] = {
	{ "keep-size", no_argument, NULL, 'n' },
	{ "extend", no_argument, NULL, 'x' },
	{ "no-zero", no_argument, NULL, OPT_NO_ZERO },
	{ "length", required_argument, NULL, 'l' },
	{ "manifest", required_argument, NULL, 'f' },
	{ "parents", no_argument, NULL, 'p' },
	{ "no-create", no_argument, NULL, OPT_NO_CREATE },
	{ "align", required_argument, NULL, OPT_ALIGN },
	{ "max-extents", required_argument, NULL, OPT_MAX_EXTENTS },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "release", no_argument, NULL, OPT_RELEASE },
	{ "undo", required_argument, NULL, OPT_UNDO },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "image-offset", required_argument, NULL, OPT_IMAGE_OFFSET },
	{ "codepage", required_argument, NULL, OPT_CODEPAGE },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "no-verify", no_argument, NULL, OPT_NO_VERIFY },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "stats", no_argument, NULL, OPT_STATS },
	{ "progress", no_argument, NULL, OPT_PROGRESS },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char help_text[] =
	"Usage: fatprealloc [options] IMAGE LENGTH:PATH...\n"
	"       fatprealloc [options] -l LENGTH IMAGE PATH...\n"
	"       fatprealloc [options] -f MANIFEST IMAGE\n"
	"       fatprealloc --list [options] IMAGE [PATH...]\n"
	"       fatprealloc --release [options] IMAGE PATH...\n"
	"\n"
	"Reserves contiguous clusters for files on the FAT12, FAT16 or\n"
	"FAT32 volume in IMAGE, a regular file or a block device that is\n"
	"not mounted. LENGTH counts from the start of the file: 16M, 100MB\n"
	"or max.\n"
	"\n"
	"  -n, --keep-size         reserve beyond the end of file (default)\n"
	"  -x, --extend            the size becomes LENGTH, new space is 0\n"
	"      --no-zero           with --extend: leave what clusters hold\n"
	"  -l, --length=LENGTH     for operands that are plain paths\n"
	"  -f, --manifest=FILE     lines LENGTH PATH; - is standard input\n"
	"  -p, --parents           make missing directories\n"
	"      --no-create         a missing file is an error\n"
	"      --align=SIZE        the first reserved byte lies on a multiple\n"
	"                          of SIZE from the start of the device\n"
	"      --max-extents=N     reserve in up to N runs (default 1)\n"
	"      --dry-run           plan and print, write nothing\n"
	"      --list              show size, space and place of files\n"
	"      --release           give back what lies beyond the size\n"
	"      --undo=FILE         keep what is overwritten in FILE, a\n"
	"                          new one, for fatfsck --rollback\n"
	"      --buffer=SIZE       window on the FAT (default 1M, least 64K)\n"
	"      --image-offset=BYTES\n"
	"                          the volume starts there; IMAGE@@BYTES\n"
	"      --codepage=N        DOS code page of short names (437)\n"
	"      --force             go on on a volume that is marked dirty\n"
	"      --no-verify         do not read back what was written\n"
	"      --json              one JSON object instead of text\n"
	"      --stats             what the job needed and what it did\n"
	"      --progress          show progress on stderr from the start\n"
	"  -v, --verbose           show the runs of each file\n"
	"  -q, --quiet             errors only\n"
	"  -h, --help              this text\n"
	"  -V, --version           the version\n"
	"\n"
	"Exit status: 0 met; 1 refused; 4 failed after the first write, run\n"
	"fatfsck; 8 operational error; 16 usage; 32 cancelled. With 1, 8, 16\n"
	"and 32 nothing was written.\n";

static enum status parse_align(const char *text, uint64_t *out,
			       struct error *err)
{
	if (text_parse_size(text, out) && *out)
		return ST_OK;
	return error_set(err, ST_USAGE,
			 "--align: \"%s\" is no size of 1 or more", text);
}

static enum status set_mode(struct options *o, enum mode mode,
			    struct error *err)
{
	if (o->mode != MODE_RESERVE && o->mode != mode)
		return error_set(err, ST_USAGE,
				 "--list and --release exclude each other");
	o->mode = mode;
	o->job.release = mode == MODE_RELEASE;
	return ST_OK;
}

/* Remembers an option that must not be used in other modes. */
static void note(const char **slot, const char *option)
{
	if (!*slot)
		*slot = option;
}

static enum status take_number(struct options *o, int c, const char *arg,
			       struct error *err)
{
	uint64_t n = 0;
	enum status st;

	switch (c) {
	case OPT_ALIGN:
		note(&o->reserve_only, "--align");
		return parse_align(arg, &o->job.align_bytes, err);
	case OPT_MAX_EXTENTS:
		note(&o->reserve_only, "--max-extents");
		st = arg_number("--max-extents", arg, 1, UINT32_MAX, &n, err);
		o->job.max_extents = (uint32_t)n;
		return st;
	case OPT_CODEPAGE:
		st = arg_number("--codepage", arg, 1, ARG_CODEPAGE_MAX, &n,
				err);
		o->codepage = (unsigned)n;
		return st;
	case OPT_BUFFER:
		return arg_buffer(arg, &o->window_bytes, err);
	default:
		o->has_offset = true;
		return arg_offset(arg, &o->offset_bytes, err);
	}
}

static void take_reserve_flag(struct options *o, int c, const char *arg)
{
	switch (c) {
	case 'n':
		note(&o->reserve_only, "--keep-size");
		o->keep_size = true;
		break;
	case 'x':
		note(&o->reserve_only, "--extend");
		o->job.extend = true;
		break;
	case OPT_NO_ZERO:
		note(&o->reserve_only, "--no-zero");
		o->job.no_zero = true;
		break;
	case 'l':
		note(&o->reserve_only, "--length");
		o->twice |= o->length != NULL;
		o->length = arg;
		break;
	case 'f':
		note(&o->reserve_only, "--manifest");
		o->twice |= o->manifest != NULL;
		o->manifest = arg;
		break;
	case 'p':
		note(&o->reserve_only, "--parents");
		o->job.parents = true;
		break;
	default:
		note(&o->reserve_only, "--no-create");
		o->job.no_create = true;
	}
}

static void take_flag(struct options *o, int c)
{
	switch (c) {
	case OPT_DRY_RUN:
		note(&o->writing_only, "--dry-run");
		o->job.dry_run = true;
		break;
	case OPT_FORCE:
		note(&o->writing_only, "--force");
		o->job.force = true;
		break;
	case OPT_NO_VERIFY:
		note(&o->writing_only, "--no-verify");
		o->job.commit.verify = false;
		break;
	case OPT_PROGRESS:
		note(&o->writing_only, "--progress");
		o->progress = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_STATS:
		o->stats = true;
		break;
	case 'v':
		o->verbose = true;
		break;
	default:
		o->quiet = true;
	}
}

static enum status take_option(struct options *o, int c, const char *arg,
			       struct error *err)
{
	switch (c) {
	case OPT_LIST:
		return set_mode(o, MODE_LIST, err);
	case OPT_RELEASE:
		return set_mode(o, MODE_RELEASE, err);
	case OPT_UNDO:
		note(&o->writing_only, "--undo");
		if (o->undo)
			return error_set(err, ST_USAGE,
					 "--undo can be given once");
		o->undo = arg;
		return ST_OK;
	case OPT_ALIGN:
	case OPT_MAX_EXTENTS:
	case OPT_CODEPAGE:
	case OPT_BUFFER:
	case OPT_IMAGE_OFFSET:
		return take_number(o, c, arg, err);
	case 'n':
	case 'x':
	case 'l':
	case 'f':
	case 'p':
	case OPT_NO_ZERO:
	case OPT_NO_CREATE:
		take_reserve_flag(o, c, arg);
		return ST_OK;
	default:
		take_flag(o, c);
		return ST_OK;
	}
}

static enum status exclude(const char *a, const char *b, struct error *err)
{
	return error_set(err, ST_USAGE, "%s and %s exclude each other", a, b);
}

static enum status check_together(const struct options *o, struct error *err)
{
	if (o->mode != MODE_RESERVE && o->reserve_only)
		return exclude(o->mode == MODE_LIST ? "--list" : "--release",
			       o->reserve_only, err);
	if (o->mode == MODE_LIST && o->writing_only)
		return exclude("--list", o->writing_only, err);
	if (o->keep_size && o->job.extend)
		return exclude("--keep-size", "--extend", err);
	if (o->job.no_zero && !o->job.extend)
		return error_set(err, ST_USAGE,
				 "--no-zero goes with --extend: keep-size "
				 "never zeroes");
	if (o->job.parents && o->job.no_create)
		return exclude("--parents", "--no-create", err);
	if (o->length && o->manifest)
		return exclude("--length", "--manifest", err);
	if (o->twice)
		return error_set(err, ST_USAGE,
				 "--length and --manifest can be given once");
	if (o->job.dry_run && !o->job.commit.verify)
		return exclude("--dry-run", "--no-verify", err);
	if (o->job.dry_run && o->undo)
		return exclude("--dry-run", "--undo", err);
	if (o->verbose && o->quiet)
		return exclude("--verbose", "--quiet", err);
	if (o->progress && o->quiet)
		return exclude("--progress", "--quiet", err);
	return ST_OK;
}

/* *done: help or version was printed, and that is all. */
static enum status parse_all(struct options *o, int argc, char **argv,
			     bool *done, struct error *err)
{
	enum status st = ST_OK;
	int c;

	opterr = 0;
	while (!st && (c = getopt_long(argc, argv, SHORT_OPTIONS, long_options,
				       NULL)) != -1) {
		switch (c) {
		case 'h':
			fputs(help_text, stdout);
			*done = true;
			return ST_OK;
		case 'V':
			puts("fatprealloc " PACKAGE_VERSION);
			*done = true;
			return ST_OK;
		case ':':
			return error_set(err, ST_USAGE,
					 "%s needs a value; see --help",
					 argv[optind - 1]);
		case '?':
			if (optopt && optopt < 256)
				return error_set(err, ST_USAGE,
						 "-%c is no option; see --help",
						 optopt);
			return error_set(err, ST_USAGE,
					 "%s is no option, is not unique, or "
					 "takes no value; see --help",
					 argv[optind - 1]);
		default:
			st = take_option(o, c, optarg, err);
		}
	}
	return st ? st : check_together(o, err);
}

static enum status take_image(struct options *o, int argc, char **argv,
			      struct error *err)
{
	uint64_t offset = 0;
	bool has_offset = false;
	enum status st;

	if (optind >= argc)
		return error_set(err, ST_USAGE,
				 "no image is named; see --help");
	o->image = argv[optind++];
	st = locate_split(o->image, &o->path, &offset, &has_offset, err);
	if (st)
		return st;
	if (has_offset && o->has_offset)
		return exclude("--image-offset", "IMAGE@@OFFSET", err);
	if (has_offset)
		o->offset_bytes = offset;
	return ST_OK;
}

enum status fatprealloc_options_parse(struct options *o, int argc,
				      char **argv, bool *done,
				      struct error *err)
{
	enum status st = parse_all(o, argc, argv, done, err);

	if (st || *done)
		return st;
	st = take_image(o, argc, argv, err);
	return st ? st : arg_time(&o->job.now, err);
}
