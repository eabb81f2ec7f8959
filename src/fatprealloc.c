/*
 * fatprealloc.c - options, phases and exit status of fatprealloc(8)
 *
 * Results go to stdout, which is closed with a check; everything else to
 * stderr. No option is ignored: one that makes no sense in a mode is a usage
 * error.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/manifest.h"
#include "base/text.h"
#include "dev/locate.h"
#include "report/progress.h"
#include "report/report.h"

#define EXIT_MET	 0
#define EXIT_REFUSED	 1
#define EXIT_FAILED	 4
#define EXIT_OPERATIONAL 8
#define EXIT_USAGE	 16
#define EXIT_CANCELLED	 32

#define CODEPAGE_DEFAULT 437

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

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	signalled = number;
}

static bool is_cancelled(void *arg)
{
	(void)arg;
	return signalled;
}

/*
 * The committer asks until its first write; from then on the job completes.
 * A reader of our output that goes away must not kill a commit either.
 */
static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal }, old;
	size_t i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		/* What nohup(1) ignores stays ignored. */
		if (!sigaction(numbers[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &sa, NULL);
	}
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

static int exit_status(enum status st, bool wrote)
{
	if (st && wrote)
		return EXIT_FAILED;
	switch (st) {
	case ST_OK:
		return EXIT_MET;
	case ST_REFUSED:
		return EXIT_REFUSED;
	case ST_USAGE:
		return EXIT_USAGE;
	case ST_CANCELLED:
		return EXIT_CANCELLED;
	default:
		return EXIT_OPERATIONAL;
	}
}

/* The image and the place, where the sentence has not named them. */
static void complain(const struct error *err, const char *image)
{
	char text[4 * sizeof(err->text) + 1], place[64] = "";

	if (err->has_offset)
		snprintf(place, sizeof(place), "%llu",
			 (unsigned long long)err->offset_bytes);
	text_escape(text, sizeof(text), err->text);
	fputs("fatprealloc: ", stderr);
	if (err->code != ST_USAGE && image && !strstr(text, image))
		fprintf(stderr, "%s: ", image);
	fputs(text, stderr);
	if (*place && !strstr(text, place))
		fprintf(stderr, " (at byte %s of the device)", place);
	fputc('\n', stderr);
}

static enum status parse_number(const char *option, const char *text,
				unsigned long most, unsigned long *out,
				struct error *err)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || !*out ||
	    *out > most)
		return error_set(err, ST_USAGE,
				 "--%s: \"%s\" is not a number from 1 to %lu",
				 option, text, most);
	return ST_OK;
}

static enum status parse_bytes(const char *option, const char *text,
			       uint64_t least, uint64_t *out,
			       struct error *err)
{
	if (!text_parse_size(text, out))
		return error_set(err, ST_USAGE, "--%s: \"%s\" is no size",
				 option, text);
	if (*out < least)
		return error_set(err, ST_USAGE,
				 "--%s: %s is too small; at least %llu",
				 option, text, (unsigned long long)least);
	return ST_OK;
}

static enum status parse_buffer(const char *text, size_t *out,
				struct error *err)
{
	uint64_t bytes;
	enum status st;

	st = parse_bytes("buffer", text, VOLUME_WINDOW_MIN, &bytes, err);
	if (st)
		return st;
	if (bytes > 1u << 30)
		return error_set(err, ST_USAGE,
				 "--buffer: %s is too large; at most 1G", text);
	*out = (size_t)(bytes & ~(uint64_t)4095);
	return ST_OK;
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
	unsigned long n = 0;
	enum status st;

	switch (c) {
	case OPT_ALIGN:
		note(&o->reserve_only, "--align");
		return parse_bytes("align", arg, 1, &o->job.align_bytes, err);
	case OPT_MAX_EXTENTS:
		note(&o->reserve_only, "--max-extents");
		st = parse_number("max-extents", arg, UINT32_MAX, &n, err);
		o->job.max_extents = (uint32_t)n;
		return st;
	case OPT_CODEPAGE:
		st = parse_number("codepage", arg, 65535, &n, err);
		o->codepage = (unsigned)n;
		return st;
	case OPT_BUFFER:
		return parse_buffer(arg, &o->window_bytes, err);
	default:
		o->has_offset = true;
		if (!text_parse_offset(arg, &o->offset_bytes))
			return error_set(err, ST_USAGE,
					 "--image-offset: \"%s\" is no offset",
					 arg);
		return ST_OK;
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
static enum status parse_options(struct options *o, int argc, char **argv,
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

/* SOURCE_DATE_EPOCH, in UTC, or now, in local time, as FAT has it. */
static enum status take_time(struct options *o, struct error *err)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	struct timespec now;
	struct tm tm;
	long long seconds;
	char *end;

	if (!epoch) {
		clock_gettime(CLOCK_REALTIME, &now);
		if (!localtime_r(&now.tv_sec, &tm))
			tm.tm_gmtoff = 0;
		o->job.now = dos_time_from_unix(now.tv_sec + tm.tm_gmtoff,
						(int)now.tv_nsec);
		return ST_OK;
	}
	errno = 0;
	seconds = strtoll(epoch, &end, 10);
	if (!*epoch || *end || errno || seconds < 0)
		return error_set(err, ST_USAGE,
				 "SOURCE_DATE_EPOCH: \"%s\" is no number of "
				 "seconds", epoch);
	o->job.now = dos_time_from_unix(seconds, 0);
	return ST_OK;
}

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
	if (st && signalled)
		st = error_set(err, ST_CANCELLED,
			       "cancelled by a signal; nothing was written");
	return st;
}

static enum status take_requests(struct manifest *m, const struct options *o,
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

static void warn_of_volume(struct report *r, const struct bpb *bpb)
{
	if (bpb->oddities & BPB_FAT32_FEW)
		report_warn(r, "fat32-few-clusters",
			    "a FAT32 with fewer than 65,525 clusters: Linux "
			    "and Windows take it, FatFs and mtools do not");
	if (bpb->oddities & BPB_FAT_SHORT)
		report_warn(r, "fat-short",
			    "the FAT is too short for all clusters of the "
			    "volume; the last ones are not used");
	if (!bpb->mirrored)
		report_warn(r, "mirroring-off",
			    "mirroring is off: only the active FAT copy was "
			    "used");
}

static void warn_of_job(struct report *r, const struct options *o,
			const struct job_result *result)
{
	size_t i;

	if (result->fsinfo_left)
		report_warn(r, "fsinfo-invalid",
			    "FSInfo is not valid and was left alone; fatfsck "
			    "rebuilds it");
	if (o->job.release || !result->changed)
		return;
	for (i = 0; i < result->n_files; i++)
		if (result->files[i].reserved_bytes)
			break;
	if (i < result->n_files && !o->job.extend)
		report_warn(r, "linux-append",
			    "FatFs firmware and Windows append into this "
			    "space; Linux makes the volume read-only when it "
			    "appends past the used clusters, and fsck.fat -a "
			    "cuts it off (see CONSUMERS in fatprealloc(8))");
	if (o->job.no_zero)
		report_warn(r, "old-data",
			    "the new space was not zeroed: readers see what "
			    "its clusters held before");
}

static enum status print_job(struct report *r, const struct report_ops *ops,
			     const struct job_result *result,
			     struct error *err)
{
	size_t i;
	enum status st;

	st = ops->begin(r, err);
	for (i = 0; !st && i < result->n_files; i++)
		st = ops->file(r, &result->files[i], err);
	return st ? st : ops->end(r, err);
}

static void on_progress(void *arg, uint64_t done, uint64_t total)
{
	progress_update(arg, done, total);
}

static enum status run_job(struct options *o, const struct manifest *m,
			   struct codepage *cp, struct report *r,
			   struct job_result *result, struct error *err)
{
	struct job_request *requests = calloc(m->n + 1, sizeof(*requests));
	struct progress progress = { .out = stderr,
				     .forced = o->progress,
				     .terminal = isatty(STDERR_FILENO) };
	size_t i;
	enum status st = ST_OK;

	if (!requests)
		return error_set_nomem(err);
	for (i = 0; i < m->n; i++)
		requests[i] = (struct job_request){
			.path = m->v[i].path,
			.length_bytes = m->v[i].length_bytes,
			.max = m->v[i].max,
			.file = o->manifest,
			.line = m->v[i].line,
		};
	o->job.device_offset_bytes = o->offset_bytes +
				     locate_partition_start(o->path);
	o->job.commit.cancelled = is_cancelled;
	o->job.commit.progress = o->quiet ? NULL : on_progress;
	o->job.commit.arg = &progress;
	if (o->undo)
		st = undo_create(&o->job.commit.undo, o->undo, r->vol, err);
	if (!st)
		st = job_run(r->vol, cp, requests, m->n, &o->job, result, err);
	st = undo_end(o->job.commit.undo, r->vol, result->commit.wrote, st,
		      err);
	progress_end(&progress);
	free(requests);
	return st;
}

static enum status do_job(struct options *o, const struct manifest *m,
			  struct codepage *cp, struct report *r,
			  const struct report_ops *ops,
			  struct job_result *result, struct error *err)
{
	enum status st;

	st = run_job(o, m, cp, r, result, err);
	if (st)
		return st;
	r->free_before = result->space.free;
	r->free_after = (clus_t)result->free_after;
	r->changed = result->changed;
	r->verified = result->commit.verified;
	warn_of_job(r, o, result);
	return print_job(r, ops, result, err);
}

struct listing {
	struct report *r;
	const struct report_ops *ops;
};

static enum status list_file(void *arg, const struct job_file *file,
			     struct error *err)
{
	struct listing *l = arg;

	if (signalled)
		return error_set(err, ST_CANCELLED, "cancelled by a signal");
	return l->ops->file(l->r, file, err);
}

static enum status do_list(const struct manifest *m, struct codepage *cp,
			   struct report *r, const struct report_ops *ops,
			   struct error *err)
{
	struct listing l = { r, ops };
	struct scan_stats space;
	bool damaged = false;
	size_t i;
	enum status st;

	/* Nothing is written, so a dirty volume may be listed. */
	st = job_admit(r->vol, true, err);
	/* A report that has begun should have an end. */
	for (i = 0; !st && i < m->n; i++)
		st = list_check(r->vol, cp, m->v[i].path, err);
	if (!st)
		st = scan_free(r->vol, NULL, NULL, NULL, &space, err);
	if (st)
		return st;
	r->free_before = r->free_after = space.free;
	st = ops->begin(r, err);
	if (!st && !m->n)
		st = list_path(r->vol, cp, "/", list_file, &l, &damaged, err);
	for (i = 0; !st && i < m->n; i++)
		st = list_path(r->vol, cp, m->v[i].path, list_file, &l,
			       &damaged, err);
	if (damaged)
		report_warn(r, "damaged",
			    "some chains are damaged; run fatfsck");
	return st ? st : ops->end(r, err);
}

static enum status work(struct options *o, const struct manifest *m,
			struct volume *vol, struct job_result *result,
			struct error *err)
{
	const struct report_ops *ops = o->json ? &report_json : &report_text;
	struct codepage *cp = NULL;
	struct fatwin win = { 0 };
	struct report r = { .out = stdout,
			    .image = o->image,
			    .vol = vol,
			    .win = &win,
			    .offset_bytes = o->offset_bytes,
			    .list = o->mode == MODE_LIST,
			    .release = o->job.release,
			    .dry_run = o->job.dry_run,
			    .quiet = o->quiet,
			    .verbose = o->verbose,
			    .stats = o->stats };
	enum status st;

	st = codepage_open(&cp, o->codepage, err);
	if (!st)
		st = fatwin_open(&win, vol, vol->bpb.active_fat, err);
	if (!st) {
		warn_of_volume(&r, &vol->bpb);
		st = r.list ? do_list(m, cp, &r, ops, err)
			    : do_job(o, m, cp, &r, ops, result, err);
	}
	fatwin_close(&win);
	codepage_close(cp);
	return st;
}

/* result and bpb are for what is left to say when the volume is closed. */
static enum status run(struct options *o, const struct manifest *m,
		       struct job_result *result, struct bpb *bpb,
		       struct error *err)
{
	struct ledger ledger = { 0 };
	struct volume vol = { 0 };
	struct volume_spec spec = { .path = o->path,
				    .offset_bytes = o->offset_bytes,
				    .writable = o->mode != MODE_LIST &&
						!o->job.dry_run,
				    .window_bytes = o->window_bytes,
				    .ledger = &ledger };
	enum status st, closed;

	st = volume_open(&vol, &spec, err);
	if (!st)
		st = work(o, m, &vol, result, err);
	*bpb = vol.bpb;
	closed = volume_close(&vol, st ? NULL : err);
	if (closed)
		result->done = false;
	return st ? st : closed;
}

/* A full disk must not pass for success. */
static enum status close_stdout(struct error *err)
{
	bool failed = ferror(stdout);

	if (fclose(stdout) || failed)
		return error_set(err, ST_IO, "standard output can't be "
					     "written");
	return ST_OK;
}

int main(int argc, char **argv)
{
	struct options o = { .codepage = CODEPAGE_DEFAULT,
			     .job.commit.verify = true };
	struct manifest m = { 0 };
	struct error err = { 0 };
	struct job_result result = { 0 };
	struct bpb bpb = { 0 };
	bool done = false, wrote;
	enum status st, closed;

	catch_signals();
	st = parse_options(&o, argc, argv, &done, &err);
	if (!st && !done)
		st = take_image(&o, argc, argv, &err);
	if (!st && !done)
		st = take_requests(&m, &o, argc, argv, &err);
	if (!st && !done)
		st = take_time(&o, &err);
	if (!st && !done)
		st = run(&o, &m, &result, &bpb, &err);
	if (st)
		complain(&err, o.path);
	if (result.no_space && !o.quiet)
		report_no_space(stderr, &bpb, &result.space,
				result.wanted_clusters);
	closed = close_stdout(&err);
	if (!st && closed) {
		st = closed;
		complain(&err, NULL);
	}
	wrote = result.commit.wrote;
	if (st && wrote && result.done)
		fputs("fatprealloc: the volume was written and is in order; "
		      "the report is not complete\n", stderr);
	else if (st && wrote)
		fprintf(stderr, "fatprealloc: the volume was being written; "
			"run fatfsck on it%s\n",
			o.undo ? ", or fatfsck --rollback" : "");
	manifest_free(&m);
	job_result_free(&result);
	free(o.path);
	return exit_status(st, wrote);
}
