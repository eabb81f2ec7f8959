/*
 * cut.c - what a cut may leave of a repair, and what becomes of it; for
 * cuts.py
 *
 * cut IMAGE UNDO repairs IMAGE as fatfsck -y --undo UNDO does, on a device in
 * memory, and prints the log of it. The log falls into intervals, which end
 * with a barrier. Each line of standard input then names a state: all
 * intervals before one, and of that one some writes:
 *
 *	INTERVAL WRITES TORN SECTORS FAIL
 *
 * WRITES and SECTORS are a 0 or 1 each ("-" = none); of write number TORN
 * (-1 = none) only these sectors are done. UNDO becomes what it was when the
 * interval began. The state is rolled back (write number FAIL of that fails,
 * and another rollback follows; 0 = none does), and by itself repaired again.
 * The answer: a line "bad ..." for each fault, and the log of the repair.
 *
 * A log: "log N", then N times "write AT LEN" and the bytes, or "sync".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change/rollback.h"
#include "check/repair.h"
#include "recorder.h"

#define SECTOR	     512
#define BACKUP_BYTES (6 * SECTOR)
#define WRITES_MAX   4096

struct bytes {
	uint8_t *p; /* owned */
	size_t n;
};

struct cut {
	struct bytes before;
	const char *undo_path;
	struct codepage *cp;
	struct log log;
	struct bytes undo[WRITES_MAX]; /* as each interval begins */
	/* Its image has all intervals before this one; its log is empty. */
	struct recorder *now;
	size_t interval, from; /* and where it begins in the log */
};

struct request {
	size_t interval, fail;
	int torn;
	char on[WRITES_MAX + 1], sectors[WRITES_MAX + 1];
};

static void die(const char *what)
{
	fprintf(stderr, "cut: %s\n", what);
	exit(99);
}

static struct bytes load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct bytes b = { NULL, 0 };
	long n = -1;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0)
		die(path);
	rewind(f);
	b.p = malloc((size_t)n + 1);
	b.n = (size_t)n;
	if (!b.p || fread(b.p, 1, b.n, f) != b.n)
		die(path);
	fclose(f);
	return b;
}

static void store(const char *path, const struct bytes *b)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f))
		die(path);
}

/* As the program does: the backup speaks where the boot sector can't. */
static bool read_backup(struct volume *vol)
{
	uint8_t sector[SECTOR];

	return bpb_read(vol->blk, &vol->bpb, NULL) &&
	       !blk_read(vol->blk, BACKUP_BYTES, sector, SECTOR, NULL) &&
	       !bpb_decode(sector, vol->blk->size_bytes, &vol->bpb, NULL);
}

/* undo NULL = none. *left: errors that stay. */
static enum status repair(struct cut *c, struct recorder *rec,
			  const char *undo, uint64_t *left, struct error *err)
{
	struct volume vol = { .blk = &rec->blk, .window_bytes = 1u << 16 };
	const struct check_options check = { .max_findings = 100 };
	struct repair_options opt = { .mode = REPAIR_ALL,
				      .commit = { .verify = true } };
	struct repair_outcome outcome = { 0 };
	struct check_result result = { 0 };
	const struct findings *fs = &result.findings;
	enum status st = ST_OK;

	opt.boot_backup = read_backup(&vol);
	if (undo)
		st = undo_create(&opt.commit.undo, undo, &vol, err);
	if (!st)
		st = repair_volume(&vol, c->cp, &check, &opt, &result,
				   &outcome, err);
	st = undo_end(opt.commit.undo, &vol, outcome.wrote, st, err);
	*left = fs->count[SEVERITY_ERROR] - fs->planned[SEVERITY_ERROR];
	check_result_free(&result);
	return st;
}

/* What the undo file is when write number `fail` is tried (0: at the end). */
static struct bytes undo_at(struct cut *c, size_t fail, struct log *log)
{
	struct recorder *rec = recorder_new(c->before.p, c->before.n, SECTOR);
	struct bytes undo = { NULL, 0 };
	struct error err = { 0 };
	uint64_t left;

	remove(c->undo_path);
	rec->fail_kind = OP_WRITE;
	rec->fail_at = fail;
	if (repair(c, rec, c->undo_path, &left, &err) && !rec->failed)
		die(err.text);
	if (rec->done[OP_WRITE])
		undo = load(c->undo_path);
	if (log)
		*log = log_copy(&rec->log);
	recorder_free(rec);
	return undo;
}

static void record(struct cut *c)
{
	size_t i, writes = 0, k = 0;
	struct bytes end = undo_at(c, 0, &c->log);
	bool first = true;

	if (c->log.n >= WRITES_MAX)
		die("too many writes");
	for (i = 0; i < c->log.n; i++) {
		if (c->log.v[i].kind == OP_SYNC) {
			k++;
			first = true;
			continue;
		}
		writes++;
		if (first)
			c->undo[k] = undo_at(c, writes, NULL);
		first = false;
	}
	c->undo[k] = end;
}

static void print_log(const struct log *log, size_t n)
{
	const struct op *op;
	size_t i;

	printf("log %zu\n", n);
	for (i = 0; i < n; i++) {
		op = &log->v[i];
		if (op->kind == OP_SYNC) {
			puts("sync");
			continue;
		}
		printf("write %zu %zu\n", op->at, op->len);
		fwrite(op->bytes, 1, op->len, stdout);
	}
	fflush(stdout);
}

static void put_op(uint8_t *image, const struct op *op, const char *sectors)
{
	size_t done, n;

	for (done = 0; done < op->len; done += n) {
		n = SECTOR - (op->at + done) % SECTOR;
		n = n < op->len - done ? n : op->len - done;
		if (!sectors || *sectors++ == '1')
			memcpy(image + op->at + done, op->bytes + done, n);
	}
}

/* now becomes what it is when the interval begins. */
static void advance(struct cut *c, size_t interval)
{
	const struct op *op;

	if (interval < c->interval)
		die("intervals must not go back");
	while (c->interval < interval && c->from < c->log.n) {
		op = &c->log.v[c->from++];
		if (op->kind == OP_SYNC)
			c->interval++;
		else
			put_op(c->now->image, op, NULL);
	}
}

/* The writes of the state; from here on the recorder logs. */
static void enter(struct cut *c, const struct request *q)
{
	size_t i;

	for (i = 0; q->on[i] == '0' || q->on[i] == '1'; i++)
		if (q->on[i] == '1')
			put_op(c->now->image, &c->log.v[c->from + i],
			       (int)i == q->torn ? q->sectors : NULL);
}

/* What these writes have changed is as it was before the first one. */
static void take_back(struct cut *c, const struct log *log, size_t from,
		      size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		memcpy(c->now->image + log->v[i].at,
		       c->before.p + log->v[i].at, log->v[i].len);
}

/* Back to the beginning of the interval. */
static void leave(struct cut *c)
{
	size_t i;

	take_back(c, &c->now->log, 0, c->now->log.n);
	take_back(c, &c->log, 0, c->log.n);
	for (i = 0; i < c->from; i++)
		put_op(c->now->image, &c->log.v[i], NULL);
	log_free(&c->now->log);
	memset(c->now->done, 0, sizeof(c->now->done));
	c->now->failed = false;
	c->now->fail_at = 0;
}

/* Where nobody has written it is the same without a look. */
static bool is_before(const struct cut *c, const struct log *log)
{
	const struct op *op;
	size_t i;

	for (i = 0; i < log->n; i++) {
		op = &log->v[i];
		if (memcmp(c->now->image + op->at, c->before.p + op->at,
			   op->len))
			return false;
	}
	return true;
}

static enum status roll_back(struct cut *c, struct recorder *rec,
			     struct error *err)
{
	struct volume vol = { .blk = &rec->blk, .window_bytes = 1u << 16 };
	const struct commit_options opt = { .verify = true };
	struct undo *u = NULL;
	bool wrote;
	enum status st;

	bpb_read(vol.blk, &vol.bpb, NULL);
	st = undo_open(&u, c->undo_path, &vol, err);
	if (!st)
		st = rollback_apply(&vol, u, &opt, &wrote, err);
	undo_close(u, NULL);
	return st;
}

static void check_rollback(struct cut *c, const struct request *q)
{
	struct recorder *rec = c->now;
	struct error err = { 0 };
	enum status st;

	enter(c, q);

	store(c->undo_path, &c->undo[q->interval]);
	rec->fail_kind = OP_WRITE;
	rec->fail_at = q->fail;
	rec->torn = TORN_HALF;
	st = roll_back(c, rec, &err);
	if (rec->failed)
		st = roll_back(c, rec, &err);
	if (st)
		printf("bad rollback: %s\n", err.text);
	else if (!is_before(c, &c->log) || !is_before(c, &rec->log))
		puts("bad rollback does not give back the image");
	leave(c);
}

static void check_repair(struct cut *c, const struct request *q)
{
	struct recorder *rec = c->now;
	struct error err = { 0 };
	uint64_t left;
	size_t n;

	enter(c, q);

	if (repair(c, rec, NULL, &left, &err))
		printf("bad repair: %s\n", err.text);
	else if (left)
		puts("bad repair leaves errors");
	n = rec->log.n;
	if (repair(c, rec, NULL, &left, &err) || rec->log.n > n)
		puts("bad repair does not end: another one writes");
	print_log(&rec->log, n);
	leave(c);
}

static void serve(struct cut *c)
{
	static struct request q;

	while (scanf("%zu %4096s %d %4096s %zu", &q.interval, q.on, &q.torn,
		     q.sectors, &q.fail) == 5) {
		advance(c, q.interval);
		if (c->undo[q.interval].p)
			check_rollback(c, &q);
		check_repair(c, &q);
	}
}

int main(int argc, char **argv)
{
	static struct cut c;
	struct error err = { 0 };
	size_t i;

	if (argc != 3)
		die("usage: cut IMAGE UNDO");
	c.before = load(argv[1]);
	c.undo_path = argv[2];
	if (codepage_open(&c.cp, 437, &err))
		die(err.text);
	record(&c);
	c.now = recorder_new(c.before.p, c.before.n, SECTOR);
	print_log(&c.log, c.log.n);
	serve(&c);
	for (i = 0; i < WRITES_MAX; i++)
		free(c.undo[i].p);
	log_free(&c.log);
	codepage_close(c.cp);
	free(c.before.p);
	recorder_free(c.now);
	return 0;
}
