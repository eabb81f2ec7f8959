/*
 * cut.c - repairs an image as fatfsck -y does, on a device that fails
 *
 * cut IMAGE UNDO N TORN: the Nth write (from 1) fails, and leaves nothing
 * (0), half (1) or all (2) of its sectors behind. The image becomes what the
 * device then holds. Exit status 0; 3 if there were fewer writes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check/repair.h"
#include "recorder.h"

static void die(const char *what)
{
	fprintf(stderr, "cut: %s\n", what);
	exit(99);
}

static uint8_t *load(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p;
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0)
		die(path);
	rewind(f);
	p = malloc((size_t)n + 1);
	if (!p || fread(p, 1, (size_t)n, f) != (size_t)n)
		die(path);
	fclose(f);
	*size = (size_t)n;
	return p;
}

static void store(const char *path, const uint8_t *p, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(p, 1, size, f) != size || fclose(f))
		die(path);
}

static enum status repair(struct recorder *rec, const char *undo,
			  struct error *err)
{
	struct volume vol = { .blk = &rec->blk, .window_bytes = 1u << 16 };
	const struct check_options check = { .max_findings = 100 };
	struct repair_options opt = { .mode = REPAIR_ALL,
				      .commit = { .verify = true } };
	struct repair_outcome outcome;
	struct check_result result = { 0 };
	struct codepage *cp = NULL;
	enum status st;

	st = codepage_open(&cp, 437, err);
	if (!st)
		st = undo_create(&opt.commit.undo, undo, &vol, err);
	if (!st)
		st = repair_volume(&vol, cp, &check, &opt, &result, &outcome,
				   err);
	undo_close(opt.commit.undo, NULL);
	check_result_free(&result);
	codepage_close(cp);
	return st;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct recorder *rec;
	uint8_t *image;
	size_t size;
	bool failed;

	if (argc != 5)
		die("usage: cut IMAGE UNDO N TORN");
	image = load(argv[1], &size);
	rec = recorder_new(image, size, 512);
	rec->fail_kind = OP_WRITE;
	rec->fail_at = strtoul(argv[3], NULL, 10);
	rec->torn = (enum torn)strtoul(argv[4], NULL, 10);
	if (repair(rec, argv[2], &err) && !rec->failed)
		die(err.text);
	failed = rec->failed;
	store(argv[1], rec->image, size);
	recorder_free(rec);
	free(image);
	return failed ? 0 : 3;
}
