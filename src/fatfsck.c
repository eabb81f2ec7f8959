/*
 * fatfsck.c - options, phases and exit status of fatfsck(8)
 *
 * Results go to stdout, which is closed with a check; everything else to
 * stderr. The exit status follows fsck(8) and judges the state that the
 * volume is left in. An option that this version can't honour is refused.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "check/check.h"
#include "dev/locate.h"
#include "report/fsck.h"


#define EXIT_CLEAN	 0
#define EXIT_UNCORRECTED 4
#define EXIT_OPERATIONAL 8
#define EXIT_USAGE	 16
#define EXIT_CANCELLED	 32

#define MAX_FINDINGS_DEFAULT 10000
#define CODEPAGE_DEFAULT     437

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
};

static const char SHORT_OPTIONS[] = ":nvqhV";
static const struct option long_options[] = {
	{ "reservations", required_argument, NULL, OPT_RESERVATIONS },
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
	"Usage: fatfsck [-n] [options] IMAGE\n"
	"\n"
	"Checks the FAT12, FAT16 or FAT32 volume in IMAGE, a regular file or\n"
	"a block device that is not mounted. This version never writes.\n"
	"\n"
	"  -n                      check only (what happens anyway)\n"
	"      --reservations=keep|error\n"
	"                          clusters beyond a file's size are fine\n"
	"                          (default), or an error\n"
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
	"  -v, --verbose           infos, reservations and statistics too\n"
	"  -q, --quiet             errors and warnings only\n"
	"  -h, --help              this text\n"
	"  -V, --version           the version\n"
	"\n"
	"Exit status: 0 no errors, 4 errors found, 8 the image can't be\n"
	"checked, 16 usage, 32 cancelled.\n";

struct config {
	struct volume_spec spec;
	struct check_options check;
	const char *operand;
	char *image; /* without @@OFFSET */
	const char *expect;
	struct manifest manifest;
	const char **contiguous;
	size_t contiguous_cap;
	unsigned codepage;
	bool has_offset;
	bool strict, json, verbose, quiet;
	bool shown; /* --help or --version did all there is to do */
};

static volatile sig_atomic_t signalled;

static void note_signal(int number)
{
	(void)number;
	signalled = 1;
}

static bool is_cancelled(void *arg)
{
	(void)arg;
	return signalled;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = note_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

static enum status parse_offset(struct config *c, const char *arg,
				struct error *err)
{
	if (!text_parse_offset(arg, &c->spec.offset_bytes))
		return error_set(err, ST_USAGE,
				 "--image-offset: \"%s\" is no offset", arg);
	c->has_offset = true;
	return ST_OK;
}

static enum status parse_buffer(struct config *c, const char *arg,
				struct error *err)
{
	uint64_t bytes;

	if (!text_parse_size(arg, &bytes) || bytes < VOLUME_WINDOW_MIN ||
	    bytes > SSIZE_MAX / 4)
		return error_set(err, ST_USAGE,
				 "--buffer: \"%s\" is no size of 64K or more",
				 arg);
	c->spec.window_bytes = (size_t)bytes;
	return ST_OK;
}

static enum status parse_number(const char *option, const char *arg,
				uint64_t max, uint64_t *n, struct error *err)
{
	char *end;

	errno = 0;
	*n = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || *n > max)
		return error_set(err, ST_USAGE,
				 "--%s: \"%s\" is no number that will do",
				 option, arg);
	return ST_OK;
}

static enum status parse_reservations(struct config *c, const char *arg,
				      struct error *err)
{
	if (!strcmp(arg, "release"))
		return error_set(err, ST_USAGE,
				 "--reservations=release: this version only "
				 "checks; fatprealloc --release gives space "
				 "back");
	c->check.reservations_error = !strcmp(arg, "error");
	if (strcmp(arg, "keep") && strcmp(arg, "error"))
		return error_set(err, ST_USAGE,
				 "--reservations: \"%s\" is neither keep nor "
				 "error", arg);
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

/* What belongs to repairs, and so to a later version. */
static bool is_repair_option(int letter, const char *arg)
{
	static const char *const names[] = { "--lost", "--use-fat", "--undo",
					     "--rollback", "--map",
					     "--partition" };
	size_t i, len;

	if (letter)
		return strchr("payrC", letter) != NULL;
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
	if (is_repair_option(letter, arg))
		return error_set(err, ST_USAGE,
				 "%s is not available in this version, which "
				 "checks and does not repair", arg);
	return error_set(err, ST_USAGE, "there is no option %s", arg);
}

static enum status take_option(struct config *c, int option, const char *arg,
			       struct error *err)
{
	uint64_t n = 0;
	enum status st = ST_OK;

	switch (option) {
	case 'n':
		return ST_OK;
	case OPT_RESERVATIONS:
		return parse_reservations(c, arg, err);
	case OPT_EXPECT:
		c->expect = arg;
		return ST_OK;
	case OPT_CONTIGUOUS:
		return add_contiguous(c, arg, err);
	case OPT_STRICT:
		c->strict = true;
		return ST_OK;
	case OPT_MAX_FINDINGS:
		st = parse_number("max-findings", arg, 100000000, &n, err);
		c->check.max_findings = (size_t)n;
		return st;
	case OPT_IMAGE_OFFSET:
		return parse_offset(c, arg, err);
	case OPT_CODEPAGE:
		st = parse_number("codepage", arg, 99999, &n, err);
		c->codepage = (unsigned)n;
		return st;
	case OPT_BUFFER:
		return parse_buffer(c, arg, err);
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

static enum status parse_options(struct config *c, int argc, char **argv,
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
	if (!st && c->verbose && c->quiet)
		st = error_set(err, ST_USAGE, "-v and -q exclude each other");
	return st ? st : parse_operand(c, argc - optind, argv + optind, err);
}

static enum status read_manifest(struct config *c, struct error *err)
{
	bool standard = c->expect && !strcmp(c->expect, "-");
	enum status st;
	FILE *f;

	if (!c->expect)
		return ST_OK;
	f = standard ? stdin : fopen(c->expect, "re");
	if (!f)
		return error_set_sys(err, ST_IO, errno, "%s", c->expect);
	st = manifest_read(&c->manifest, f, standard ? "-" : c->expect, err);
	if (!standard)
		fclose(f);
	c->check.expect = &c->manifest;
	return st;
}

static int judge(const struct config *c, const struct check_result *r)
{
	const uint64_t *count = r->findings.count;

	if (count[SEVERITY_ERROR] || (c->strict && count[SEVERITY_WARNING]))
		return EXIT_UNCORRECTED;
	return EXIT_CLEAN;
}

static enum status print_report(const struct config *c,
				const struct volume *vol,
				const struct check_result *result, int exit,
				struct error *err)
{
	const struct fsck_report report = {
		.image = c->operand,
		.offset_bytes = c->spec.offset_bytes,
		.bpb = &vol->bpb,
		.result = result,
		.ledger = c->spec.ledger,
		.exit_status = exit,
		.strict = c->strict,
		.quiet = c->quiet,
		.verbose = c->verbose,
	};

	if (c->json)
		return fsck_print_json(stdout, &report, err);
	fsck_print_text(stdout, &report);
	return ST_OK;
}

static enum status run(struct config *c, int *exit, struct error *err)
{
	struct check_result result = { 0 };
	struct codepage *cp = NULL;
	struct volume vol = { 0 };
	enum status st;

	st = codepage_open(&cp, c->codepage, err);
	if (!st)
		st = read_manifest(c, err);
	if (!st)
		st = volume_open(&vol, &c->spec, err);
	if (!st)
		st = check_volume(&vol, cp, &c->check, &result, err);
	if (!st) {
		*exit = judge(c, &result);
		st = print_report(c, &vol, &result, *exit, err);
	}
	check_result_free(&result);
	if (!st)
		st = volume_close(&vol, err);
	else
		volume_close(&vol, NULL);
	codepage_close(cp);
	return st;
}

static int exit_of(enum status st)
{
	switch (st) {
	case ST_USAGE:
		return EXIT_USAGE;
	case ST_CANCELLED:
		return EXIT_CANCELLED;
	default:
		return EXIT_OPERATIONAL;
	}
}

static void complain(const struct error *err)
{
	fprintf(stderr, "fatfsck: %s\n", err->text);
	if (err->code == ST_USAGE)
		fputs("Try 'fatfsck --help'.\n", stderr);
}

int main(int argc, char **argv)
{
	struct ledger ledger = { 0 };
	struct config c = {
		.spec.ledger = &ledger,
		.check.max_findings = MAX_FINDINGS_DEFAULT,
		.check.cancelled = is_cancelled,
		.codepage = CODEPAGE_DEFAULT,
	};
	struct error err = { 0 };
	int exit = EXIT_CLEAN;
	enum status st;

	catch_signals();
	st = parse_options(&c, argc, argv, &err);
	if (!st && !c.shown)
		st = run(&c, &exit, &err);
	if (st) {
		complain(&err);
		exit = exit_of(st);
	}
	manifest_free(&c.manifest);
	free(c.contiguous);
	free(c.image);
	if (fclose(stdout)) {
		perror("fatfsck: standard output");
		return EXIT_OPERATIONAL;
	}
	return exit;
}
