/*
 * fatfsck_options.c - the options of fatfsck(8), and which go together
 *
 * No option is ignored: what can't be honoured is a usage error.
 */
#include "fatfsck_options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "base/array.h"
#include "dev/fd.h"
#include "dev/locate.h"

enum {
	OPT_RESERVATIONS = 256,
	OPT_EXPECT,
	OPT_CONTIGUOUS,
	OPT_STRICT,
	OPT_MAX_FINDINGS,
	OPT_IMAGE_OFFSET,
	OPT_CODEPAGE,
	OPT_BUFFER,
	OPT_JSON,
	OPT_LOST,
	OPT_USE_FAT,
	OPT_UNDO,
	OPT_ROLLBACK,
};

static const char SHORT_OPTIONS[] = ":npayrC:vqhV";
static const struct option long_options[] = {
	{ "reservations", required_argument, NULL, OPT_RESERVATIONS },
	{ "lost", required_argument, NULL, OPT_LOST },
	{ "use-fat", required_argument, NULL, OPT_USE_FAT },
	{ "undo", required_argument, NULL, OPT_UNDO },
	{ "rollback", required_argument, NULL, OPT_ROLLBACK },
	{ "expect", required_argument, NULL, OPT_EXPECT },
	{ "contiguous", required_argument, NULL, OPT_CONTIGUOUS },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "max-findings", required_argument, NULL, OPT_MAX_FINDINGS },
	{ "image-offset", required_argument, NULL, OPT_IMAGE_OFFSET },
	{ "codepage", required_argument, NULL, OPT_CODEPAGE },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char help_text[] =
	"Usage: fatfsck [-n | -p | -y | -r] [options] IMAGE\n"
	"       fatfsck --rollback=FILE IMAGE\n"
	"\n"
	"Checks the FAT12, FAT16 or FAT32 volume in IMAGE, a regular file or\n"
	"a block device that is not mounted, and repairs it. Without a mode\n"
	"it asks on a terminal, and writes nothing elsewhere.\n"
	"\n"
	"  -n                      write nothing, tell what -y would do\n"
	"  -p                      repair what is safe without a question\n"
	"  -a                      the same\n"
	"  -y                      repair everything\n"
	"  -r                      ask for each repair\n"
	"      --lost=save|free|keep\n"
	"                          lost chains become files in the root (the\n"
	"                          default), are freed, or stay (-p)\n"
	"      --use-fat=N         FAT copy N is right where copies differ;\n"
	"                          else each file says which one is\n"
	"      --reservations=keep|release|error\n"
	"                          clusters beyond a file's size are fine\n"
	"                          (default), given back, or an error\n"
	"      --undo=FILE         keep what is overwritten in FILE\n"
	"      --rollback=FILE     write back what FILE has kept\n"
	"      --expect=MANIFEST   each line LENGTH PATH must hold: so much\n"
	"                          is allocated, in one run; - is stdin\n"
	"      --contiguous=PATH   this file must be one run (repeatable)\n"
	"      --strict            warnings count as errors\n"
	"      --max-findings=N    list so many, count the rest (10000)\n"
	"      --image-offset=BYTES\n"
	"                          where the volume starts; also\n"
	"                          IMAGE@@OFFSET; suffixes K, M, G, S\n"
	"      --codepage=N        DOS code page of short names (437)\n"
	"      --buffer=SIZE       memory for each window (1M, at least 64K)\n"
	"      --json              the result as one JSON object\n"
	"  -C FD                   progress as in e2fsck to this descriptor\n"
	"  -v, --verbose           infos, reservations and statistics too\n"
	"  -q, --quiet             errors and warnings only\n"
	"  -h, --help              this text\n"
	"  -V, --version           the version\n"
	"\n"
	"Exit status, added up: 0 no errors, 1 it was repaired, 4 errors\n"
	"are left, 8 the image can't be checked, 16 usage, 32 cancelled.\n";

static enum status parse_reservations(struct config *c, const char *arg,
				      struct error *err)
{
	c->check.reservations_error = !strcmp(arg, "error");
	c->repair.release = !strcmp(arg, "release");
	if (!c->check.reservations_error && !c->repair.release &&
	    strcmp(arg, "keep"))
		return error_set(err, ST_USAGE,
				 "--reservations: \"%s\" is neither keep, "
				 "release nor error", arg);
	return ST_OK;
}

static enum status parse_lost(struct config *c, const char *arg,
			      struct error *err)
{
	if (!strcmp(arg, "save"))
		c->repair.lost = REPAIR_LOST_SAVE;
	else if (!strcmp(arg, "free"))
		c->repair.lost = REPAIR_LOST_FREE;
	else if (!strcmp(arg, "keep"))
		c->repair.lost = REPAIR_LOST_KEEP;
	else
		return error_set(err, ST_USAGE,
				 "--lost: \"%s\" is neither save, free nor "
				 "keep", arg);
	return ST_OK;
}

/* -n, -p, -a, -y and -r exclude each other; twice the same is fine. */
static enum status set_mode(struct config *c, int letter, struct error *err)
{
	enum repair_mode mode = REPAIR_PREVIEW;

	if (letter == 'p' || letter == 'a')
		mode = REPAIR_PREEN;
	else if (letter == 'y')
		mode = REPAIR_ALL;
	else if (letter == 'r')
		mode = REPAIR_ASK;
	if (c->has_mode && c->repair.mode != mode)
		return error_set(err, ST_USAGE,
				 "-n, -p, -y and -r exclude each other");
	c->has_mode = true;
	c->repair.mode = mode;
	return ST_OK;
}

static enum status add_contiguous(struct config *c, const char *path,
				  struct error *err)
{
	size_t n = c->check.n_contiguous;
	enum status st;

	st = array_reserve(&c->contiguous, &c->contiguous_cap, n + 1,
			   sizeof(*c->contiguous), err);
	if (st)
		return st;
	c->contiguous[n] = path;
	c->check.contiguous = c->contiguous;
	c->check.n_contiguous = n + 1;
	return ST_OK;
}

/* Known to cli.md, and not there yet. */
static bool is_later(int letter, const char *arg)
{
	static const char *const names[] = { "--map", "--partition" };
	size_t i, len;

	if (letter)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		len = strlen(names[i]);
		if (!strncmp(arg, names[i], len) &&
		    (arg[len] == '=' || !arg[len]))
			return true;
	}
	return false;
}

/*
 * getopt returned code, ? or :. letter is what optopt says: an unknown short
 * option, the value of a known long one, or 0 for an unknown long one, which
 * is in arg then.
 */
static enum status refuse_option(int code, int letter, const char *arg,
				 struct error *err)
{
	const char name[] = { '-', (char)letter, '\0' };
	bool known = letter >= OPT_RESERVATIONS ||
		     (letter && strchr(SHORT_OPTIONS, letter));

	if (code == ':')
		return error_set(err, ST_USAGE, "%s needs an argument", arg);
	if (known)
		return error_set(err, ST_USAGE, "%s: this option takes no "
				 "argument", arg);
	if (letter)
		arg = name;
	if (is_later(letter, arg))
		return error_set(err, ST_USAGE,
				 "%s is not available in this version", arg);
	return error_set(err, ST_USAGE, "there is no option %s", arg);
}

/* What says how to repair; *taken = false: it is about something else. */
static enum status take_repair_option(struct config *c, int option,
				      const char *arg, bool *taken,
				      struct error *err)
{
	uint64_t n = 0;
	enum status st;

	*taken = true;
	switch (option) {
	case 'n':
	case 'p':
	case 'a':
	case 'y':
	case 'r':
		return set_mode(c, option, err);
	case OPT_LOST:
		return parse_lost(c, arg, err);
	case OPT_RESERVATIONS:
		return parse_reservations(c, arg, err);
	case OPT_USE_FAT:
		st = arg_number("--use-fat", arg, 1, 255, &n, err);
		c->repair.use_fat = (unsigned)n;
		return st;
	case OPT_UNDO:
		c->undo = arg;
		return ST_OK;
	case OPT_ROLLBACK:
		c->rollback = arg;
		return ST_OK;
	default:
		*taken = false;
		return ST_OK;
	}
}

static enum status take_option(struct config *c, int option, const char *arg,
			       struct error *err)
{
	uint64_t n = 0;
	enum status st;
	bool taken;

	st = take_repair_option(c, option, arg, &taken, err);
	if (st || taken)
		return st;
	switch (option) {
	case 'C':
		st = arg_number("-C", arg, 0, INT_MAX, &n, err);
		c->progress_fd = (int)n;
		/* The image would get its number. */
		if (!st && !fd_is_open(c->progress_fd))
			return error_set(err, ST_USAGE,
					 "-C %s: this descriptor is not open",
					 arg);
		return st;
	case OPT_EXPECT:
		c->expect = arg;
		return ST_OK;
	case OPT_CONTIGUOUS:
		return add_contiguous(c, arg, err);
	case OPT_STRICT:
		c->strict = true;
		return ST_OK;
	case OPT_MAX_FINDINGS:
		st = arg_number("--max-findings", arg, 0, 100000000, &n,
				err);
		c->check.max_findings = (size_t)n;
		return st;
	case OPT_IMAGE_OFFSET:
		c->has_offset = true;
		return arg_offset(arg, &c->spec.offset_bytes, err);
	case OPT_CODEPAGE:
		st = arg_number("--codepage", arg, 1, ARG_CODEPAGE_MAX, &n,
				err);
		c->codepage = (unsigned)n;
		return st;
	case OPT_BUFFER:
		return arg_buffer(arg, &c->spec.window_bytes, err);
	case OPT_JSON:
		c->json = true;
		return ST_OK;
	case 'v':
		c->verbose = true;
		return ST_OK;
	default:
		c->quiet = true;
		return ST_OK;
	}
}

static enum status parse_operand(struct config *c, int n, char **v,
				 struct error *err)
{
	uint64_t offset = 0;
	bool has_offset = false;
	enum status st;

	if (n != 1)
		return error_set(err, ST_USAGE,
				 n ? "one IMAGE at a time" :
				     "the IMAGE is missing");
	c->operand = v[0];
	st = locate_split(v[0], &c->image, &offset, &has_offset, err);
	if (st)
		return st;
	if (has_offset && c->has_offset)
		return error_set(err, ST_USAGE,
				 "the offset is given twice: by @@ and by "
				 "--image-offset");
	if (has_offset)
		c->spec.offset_bytes = offset;
	c->spec.path = c->image;
	return ST_OK;
}

static enum status check_combination(struct config *c, struct error *err)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);

	if (c->verbose && c->quiet)
		return error_set(err, ST_USAGE,
				 "-v and -q exclude each other");
	if (c->rollback && (c->has_mode || c->undo))
		return error_set(err, ST_USAGE,
				 "--rollback excludes -n, -p, -y, -r and "
				 "--undo");
	if (!c->has_mode && terminal)
		c->repair.mode = REPAIR_ASK;
	if (c->repair.mode == REPAIR_ASK && !terminal)
		c->repair.mode = REPAIR_PREVIEW;
	if (c->undo && c->repair.mode == REPAIR_PREVIEW)
		return error_set(err, ST_USAGE,
				 "--undo needs -p, -y or, on a terminal, -r: "
				 "else nothing is written");
	c->spec.writable = c->rollback || c->repair.mode != REPAIR_PREVIEW;
	return ST_OK;
}

enum status fatfsck_options_parse(struct config *c, int argc, char **argv,
				 struct error *err)
{
	enum status st = ST_OK;
	int option;

	opterr = 0;
	while (!st) {
		option = getopt_long(argc, argv, SHORT_OPTIONS, long_options,
				     NULL);
		if (option == -1)
			break;
		if (option == 'h' || option == 'V') {
			fputs(option == 'h' ? help_text :
					      "fatfsck " PACKAGE_VERSION "\n",
			      stdout);
			c->shown = true;
			return ST_OK;
		}
		if (option == '?' || option == ':')
			st = refuse_option(option, optopt, argv[optind - 1],
					   err);
		else
			st = take_option(c, option, optarg, err);
	}
	if (!st)
		st = check_combination(c, err);
	return st ? st : parse_operand(c, argc - optind, argv + optind, err);
}

void fatfsck_options_free(struct config *c)
{
	manifest_free(&c->manifest);
	free(c->contiguous);
	free(c->image);
}
