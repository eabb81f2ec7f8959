/*
 * fatprealloc.c - phases and exit status of fatprealloc(8)
 *
 * Results go to stdout, which is closed with a check; everything else to
 * stderr.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arg.h"
#include "base/text.h"
#include "dev/fd.h"
#include "dev/locate.h"
#include "fatprealloc_options.h"
#include "report/progress.h"
#include "report/report.h"

#define EXIT_MET	 0
#define EXIT_REFUSED	 1
#define EXIT_FAILED	 4
#define EXIT_OPERATIONAL 8
#define EXIT_USAGE	 16
#define EXIT_CANCELLED	 32

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
	struct options o = { .codepage = ARG_CODEPAGE_DEFAULT,
			     .job.commit.verify = true };
	struct manifest m = { 0 };
	struct error err = { 0 };
	struct job_result result = { 0 };
	struct bpb bpb = { 0 };
	bool done = false, wrote;
	enum status st, closed;

	catch_signals();
	st = fd_hold_standard(&err);
	if (!st)
		st = fatprealloc_options_parse(&o, argc, argv, &done, &err);
	if (!st && !done)
		st = fatprealloc_requests(&m, &o, argc, argv, &err);
	if (st && signalled)
		st = error_set(&err, ST_CANCELLED,
			       "cancelled by a signal; nothing was written");
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
