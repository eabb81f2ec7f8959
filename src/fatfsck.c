/*
 * fatfsck.c - phases and exit status of fatfsck(8)
 *
 * Results go to stdout, which is closed with a check; everything else to
 * stderr. The exit status follows fsck(8) and judges the state that the
 * volume is left in.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "arg.h"
#include "base/text.h"
#include "change/rollback.h"
#include "dev/fd.h"
#include "dev/locate.h"
#include "fatfsck_options.h"
#include "report/fsck.h"

#define EXIT_CLEAN	 0
#define EXIT_CORRECTED	 1
#define EXIT_UNCORRECTED 4
#define EXIT_OPERATIONAL 8
#define EXIT_USAGE	 16
#define EXIT_CANCELLED	 32

#define BACKUP_SECTOR 6u /* fatgen103 allows no other */

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

/* Returns when there is an answer, or a signal has come, now or before. */
static void wait_for_answer(void)
{
	sigset_t block, old;
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(STDIN_FILENO, &fds);
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	sigprocmask(SIG_BLOCK, &block, &old);
	if (!signalled)
		pselect(STDIN_FILENO + 1, &fds, NULL, NULL, NULL, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static enum status ask(void *arg, const struct finding *f, bool *yes,
		       struct error *err)
{
	const struct problem *p = problem_get(f->id);
	struct config *c = arg;
	char text[FINDING_TEXT_MAX], shown[4 * FINDING_TEXT_MAX + 1];
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	progress_end(&c->progress);
	if (f->path)
		fprintf(stderr, "%s: ",
			text_escape(shown, sizeof(shown), f->path));
	finding_text(text, sizeof(text), f);
	fprintf(stderr, "%s\n  %s? [%s] ",
		text_escape(shown, sizeof(shown), text), finding_repair(f),
		p->answer_yes ? "Y/n" : "y/N");
	fflush(stderr);
	wait_for_answer();
	len = signalled ? -1 : getline(&line, &cap, stdin);
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

/* What the next call needs to see the same volume and to do the same. */
static void name_options(const struct config *c, char *out, size_t cap)
{
	static const char *const lost[] = {
		[REPAIR_LOST_DEFAULT] = "",
		[REPAIR_LOST_SAVE] = "--lost=save ",
		[REPAIR_LOST_FREE] = "--lost=free ",
		[REPAIR_LOST_KEEP] = "--lost=keep ",
	};
	char offset[48] = "", copy[32] = "", page[32] = "";

	if (c->has_offset)
		snprintf(offset, sizeof(offset), "--image-offset=%" PRIu64 " ",
			 c->spec.offset_bytes);
	if (c->repair.use_fat)
		snprintf(copy, sizeof(copy), "--use-fat=%u ",
			 c->repair.use_fat);
	if (c->codepage != ARG_CODEPAGE_DEFAULT)
		snprintf(page, sizeof(page), "--codepage=%u ", c->codepage);
	snprintf(out, cap, "%s%s%s%s%s", offset, copy, page,
		 lost[c->repair.lost],
		 c->repair.release ? "--reservations=release " :
		 c->check.reservations_error ? "--reservations=error " : "");
}

static enum status report(const struct config *c, const struct volume *vol,
			  const struct check_result *result,
			  const struct repair_outcome *outcome, int *exit,
			  struct error *err)
{
	char options[192];
	struct fsck_report r = {
		.image = c->operand,
		.options = options,
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
	name_options(c, options, sizeof(options));
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
	st = undo_end(c->repair.commit.undo, vol, outcome.wrote, st, err);
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

static enum status run_rollback(struct config *c, int *exit,
				struct error *err)
{
	struct volume vol = { 0 };
	struct undo *u = NULL;
	bool wrote = false;
	enum status st;

	st = volume_open(&vol, &c->spec, err);
	if (st == ST_NOT_FAT && vol.blk)
		st = ST_OK;
	if (!st)
		st = undo_open(&u, c->rollback, &vol, err);
	if (!st)
		st = rollback_apply(&vol, u, &c->repair.commit, &wrote, err);
	if (st && wrote)
		*exit = EXIT_UNCORRECTED;
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
		.check.max_findings = FATFSCK_MAX_FINDINGS,
		.check.cancelled = is_cancelled,
		.codepage = ARG_CODEPAGE_DEFAULT,
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
	c.progress.out = stderr;
	c.progress.terminal = isatty(STDERR_FILENO);
	catch_signals();
	st = fd_hold_standard(&err);
	if (!st)
		st = fatfsck_options_parse(&c, argc, argv, &err);
	if (!st)
		st = arg_time(&c.repair.now, &err);
	if (!st && !c.shown)
		st = c.rollback ? run_rollback(&c, &exit, &err)
				: run(&c, &exit, &err);
	if (st) {
		complain(&err);
		exit |= exit_of(st);
	}
	fatfsck_options_free(&c);
	if (fclose(stdout)) {
		perror("fatfsck: standard output");
		return EXIT_OPERATIONAL;
	}
	return exit;
}
