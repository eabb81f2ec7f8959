/*
 * fatfsck.c - options, phases and exit status of fatfsck(8)
 *
 * Results go to stdout, which is closed with a check; everything else to
 * stderr. The exit status follows fsck(8) and judges the state that the
 * volume is left in. An option that this version can't honour is refused.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "check/check.h"
#include "dev/locate.h"
#include "report/fsck.h"
#include "report/progress.h"


#define EXIT_CLEAN	 0
#define EXIT_CORRECTED	 1
#define EXIT_UNCORRECTED 4
#define EXIT_OPERATIONAL 8
#define EXIT_USAGE	 16
#define EXIT_CANCELLED	 32

#define MAX_FINDINGS_DEFAULT 10000
#define CODEPAGE_DEFAULT     437
#define BACKUP_SECTOR	     6u /* fatgen103 allows no other */

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
	"Exit status, added up: 0 no errors, 1 errors were repaired, 4 errors\n"
	"are left, 8 the image can't be checked, 16 usage, 32 cancelled.\n";

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
				 "%s: \"%s\" is no number that will do",
				 option, arg);
	return ST_OK;
}

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

/* What belongs to repairs, and so to a later version. */
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
		st = parse_number("--use-fat", arg, 255, &n, err);
		if (!st && !n)
			st = error_set(err, ST_USAGE, "--use-fat: FAT copies "
				       "are counted from 1");
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
		st = parse_number("-C", arg, INT_MAX, &n, err);
		c->progress_fd = (int)n;
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
		st = parse_number("--max-findings", arg, 100000000, &n, err);
		c->check.max_findings = (size_t)n;
		return st;
	case OPT_IMAGE_OFFSET:
		return parse_offset(c, arg, err);
	case OPT_CODEPAGE:
		st = parse_number("--codepage", arg, 99999, &n, err);
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
	if (!st)
		st = check_combination(c, err);
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

static enum status ask(void *arg, const struct finding *f, bool *yes,
		       struct error *err)
{
	const struct problem *p = problem_get(f->id);
	char text[FINDING_TEXT_MAX], shown[4 * FINDING_TEXT_MAX + 1];
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	(void)arg;
	if (f->path)
		fprintf(stderr, "%s: ",
			text_escape(shown, sizeof(shown), f->path));
	finding_text(text, sizeof(text), f);
	fprintf(stderr, "%s\n  %s? [%s] ",
		text_escape(shown, sizeof(shown), text), p->repair,
		p->answer_yes ? "Y/n" : "y/N");
	fflush(stderr);
	len = getline(&line, &cap, stdin);
	*yes = p->answer_yes;
	if (len > 0 && (*line == 'y' || *line == 'Y'))
		*yes = true;
	else if (len > 0 && *line != '\n')
		*yes = false;
	free(line);
	if (len < 0 || signalled)
		return error_set(err, ST_CANCELLED, "cancelled");
	return ST_OK;
}

static void tell(void *arg, unsigned pass, uint64_t done, uint64_t total)
{
	struct config *c = arg;

	if (c->progress_fd)
		dprintf(c->progress_fd, "%u %" PRIu64 " %" PRIu64 " %s\n",
			pass, done, total, c->operand);
	else
		progress_update(&c->progress, done, total);
}

static void tell_commit(void *arg, uint64_t done, uint64_t total)
{
	tell(arg, 4, done, total);
}

static int judge(const struct fsck_report *r)
{
	int exit = EXIT_CLEAN;

	if (r->outcome->wrote)
		exit |= EXIT_CORRECTED;
	if (fsck_left(r, SEVERITY_ERROR) ||
	    (r->strict && fsck_left(r, SEVERITY_WARNING)))
		exit |= EXIT_UNCORRECTED;
	return exit;
}

static enum status report(const struct config *c, const struct volume *vol,
			  const struct check_result *result,
			  const struct repair_outcome *outcome, int *exit,
			  struct error *err)
{
	struct fsck_report r = {
		.image = c->operand,
		.offset_bytes = c->spec.offset_bytes,
		.bpb = &vol->bpb,
		.result = result,
		.outcome = outcome,
		.ledger = c->spec.ledger,
		.mode = c->repair.mode,
		.strict = c->strict,
		.quiet = c->quiet,
		.verbose = c->verbose,
	};

	*exit = r.exit_status = judge(&r);
	if (c->json)
		return fsck_print_json(stdout, &r, err);
	fsck_print_text(stdout, &r);
	return ST_OK;
}

/*
 * The boot sector is no BPB, but where its backup should be is one that says
 * so, and nothing else is known to be there: that describes the volume.
 */
static bool find_backup(const struct config *c, struct volume *vol)
{
	uint8_t sector[512];
	uint32_t bytes;
	char what[256];
	struct bpb bpb;

	locate_describe(c->image, c->spec.offset_bytes, what, sizeof(what));
	if (strncmp(what, "only zeros", 10) && strncmp(what, "nothing", 7))
		return false;
	for (bytes = 512; bytes <= 4096; bytes *= 2) {
		if (blk_read(vol->blk, BACKUP_SECTOR * bytes, sector,
			     sizeof(sector), NULL) ||
		    bpb_decode(sector, vol->blk->size_bytes, &bpb, NULL))
			continue;
		if (bpb.type != FAT32 || bpb.sector_bytes != bytes ||
		    bpb.backup_sec != BACKUP_SECTOR)
			continue;
		vol->bpb = bpb;
		return true;
	}
	return false;
}

static enum status open_volume(struct config *c, struct volume *vol,
			       struct error *err)
{
	enum status st = volume_open(vol, &c->spec, err);

	if (st != ST_NOT_FAT || !vol->blk)
		return st;
	c->repair.boot_backup = find_backup(c, vol);
	if (!c->repair.boot_backup)
		return st;
	*err = (struct error){ 0 };
	return ST_OK;
}

/* A job that wrote nothing leaves no file. */
static enum status end_undo(struct config *c, const struct volume *vol,
			    enum status st, struct error *err)
{
	struct undo *u = c->repair.commit.undo;
	bool empty;

	if (!u)
		return st;
	empty = !undo_blocks(u);
	if (!st && !empty)
		st = undo_finish(u, vol, err);
	if (!st)
		st = undo_close(u, err);
	else
		undo_close(u, NULL);
	if (empty)
		unlink(c->undo);
	return st;
}

static enum status check_and_repair(struct config *c, struct volume *vol,
				    struct codepage *cp, int *exit,
				    struct error *err)
{
	struct check_result result = { 0 };
	struct repair_outcome outcome = { 0 };
	enum status st = ST_OK;

	if (c->undo)
		st = undo_create(&c->repair.commit.undo, c->undo, vol, err);
	if (!st)
		st = repair_volume(vol, cp, &c->check, &c->repair, &result,
				   &outcome, err);
	st = end_undo(c, vol, st, err);
	progress_end(&c->progress);
	if (!st)
		st = report(c, vol, &result, &outcome, exit, err);
	else if (outcome.wrote)
		*exit = EXIT_UNCORRECTED;
	check_result_free(&result);
	return st;
}

static enum status run(struct config *c, int *exit, struct error *err)
{
	struct codepage *cp = NULL;
	struct volume vol = { 0 };
	enum status st;

	st = codepage_open(&cp, c->codepage, err);
	if (!st)
		st = read_manifest(c, err);
	if (!st)
		st = open_volume(c, &vol, err);
	if (!st)
		st = check_and_repair(c, &vol, cp, exit, err);
	if (!st)
		st = volume_close(&vol, err);
	else
		volume_close(&vol, NULL);
	codepage_close(cp);
	return st;
}

/* A block is an edit of its own: the same bytes may be in several. */
static enum status roll_back_block(struct config *c, struct volume *vol,
				   uint64_t offset, const uint8_t *old,
				   uint32_t len, struct error *err)
{
	uint32_t step = vol->bpb.sector_bytes * 64, n, done;
	struct edits e = { 0 };
	struct commit_result result;
	enum status st = ST_OK;

	for (done = 0; done < len && !st; done += n) {
		n = len - done < step ? len - done : step;
		st = edits_add_bytes(&e, PHASE_ENTRIES, REGION_DATA,
				     offset + done, NULL, old + done, n, err);
	}
	if (!st)
		st = commit_apply(vol, &e, &c->repair.commit, &result, err);
	edits_free(&e);
	return st;
}

static enum status roll_back(struct config *c, struct volume *vol,
			     struct undo *u, struct error *err)
{
	const uint8_t *old;
	uint64_t offset;
	uint32_t len;
	bool more;
	enum status st;

	/* Whatever the boot sector says: the blocks are whole sectors. */
	vol->bpb = (struct bpb){ .sector_bytes = 512, .fat_copies = 1 };
	c->repair.commit.cancelled = NULL;
	c->repair.commit.progress = NULL;
	st = undo_begin_rollback(u, err);
	while (!st) {
		st = undo_previous(u, &offset, &old, &len, &more, err);
		if (st || !more)
			break;
		st = roll_back_block(c, vol, offset, old, len, err);
	}
	return st;
}

static enum status run_rollback(struct config *c, struct error *err)
{
	struct volume vol = { 0 };
	struct undo *u = NULL;
	enum status st;

	st = volume_open(&vol, &c->spec, err);
	if (st == ST_NOT_FAT && vol.blk)
		st = ST_OK;
	if (!st)
		st = undo_open(&u, c->rollback, &vol, err);
	if (!st)
		st = roll_back(c, &vol, u, err);
	if (!st && !c->quiet)
		printf("%s: %" PRIu64 " blocks are as they were\n",
		       c->operand, undo_blocks(u));
	undo_close(u, NULL);
	if (!st)
		return volume_close(&vol, err);
	volume_close(&vol, NULL);
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

	c.check.arg = c.repair.arg = c.repair.commit.arg = &c;
	c.repair.commit.verify = true;
	c.repair.commit.cancelled = is_cancelled;
	c.repair.commit.progress = tell_commit;
	c.check.progress = tell;
	c.repair.ask = ask;
	c.repair.now = time(NULL);
	c.progress.out = stderr;
	c.progress.terminal = isatty(STDERR_FILENO);
	catch_signals();
	st = parse_options(&c, argc, argv, &err);
	if (!st && !c.shown)
		st = c.rollback ? run_rollback(&c, &err)
				: run(&c, &exit, &err);
	if (st) {
		complain(&err);
		exit |= exit_of(st);
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
