/*
 * recorder.c - a struct blk over an array
 *
 * Invariant: before + all writes of the log = image, as long as nothing was
 * made to fail.
 */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "recorder: out of memory\n");
		exit(99);
	}
	return p;
}

static struct recorder *of(struct blk *b)
{
	return (struct recorder *)b;
}

/* Counts a call; is it the one that fails? */
static bool fails(struct recorder *r, enum op_kind kind)
{
	bool now = ++r->done[kind] == r->fail_at && kind == r->fail_kind;

	if (r->failed && kind == OP_WRITE)
		r->after_failure++;
	r->failed |= now;
	return now;
}

static void append(struct recorder *r, enum op_kind kind, enum region region,
		   size_t at, const void *bytes, size_t len)
{
	struct log *log = &r->log;

	if (log->n == log->cap) {
		log->cap = log->cap ? log->cap * 2 : 16;
		log->v = must(realloc(log->v, log->cap * sizeof(*log->v)));
	}
	log->v[log->n++] = (struct op){ kind, region, at, len,
					must(calloc(1, len + 1)) };
	if (bytes)
		memcpy(log->v[log->n - 1].bytes, bytes, len);
}

static enum status mem_read(struct blk *b, uint64_t offset, void *buf,
			    size_t len, struct error *err)
{
	struct recorder *r = of(b);

	if (fails(r, OP_READ))
		return error_set(err, ST_IO, "injected: read fails");
	memcpy(buf, r->image + offset, len);
	return ST_OK;
}

/* buf NULL = zeros. */
static enum status put(struct recorder *r, uint64_t offset, const void *buf,
		       size_t len, enum region region, struct error *err)
{
	bool failed = fails(r, OP_WRITE);

	if (failed && r->torn == TORN_NOTHING)
		len = 0;
	if (failed && r->torn == TORN_HALF)
		len = len / 2 / r->sector * r->sector;
	if (buf)
		memcpy(r->image + offset, buf, len);
	else
		memset(r->image + offset, 0, len);
	append(r, OP_WRITE, region, offset, buf, len);
	return failed ? error_set(err, ST_IO, "injected: write fails") : ST_OK;
}

static enum status mem_write(struct blk *b, uint64_t offset, const void *buf,
			     size_t len, enum region region, struct error *err)
{
	return put(of(b), offset, buf, len, region, err);
}

static enum status mem_zero(struct blk *b, uint64_t offset, uint64_t len,
			    enum region region, struct error *err)
{
	return put(of(b), offset, NULL, len, region, err);
}

static enum status mem_sync(struct blk *b, struct error *err)
{
	struct recorder *r = of(b);

	if (fails(r, OP_SYNC))
		return error_set(err, ST_IO, "injected: sync fails");
	append(r, OP_SYNC, REGION_BOOT, 0, NULL, 0);
	return ST_OK;
}

static void mem_drop_cache(struct blk *b)
{
	(void)b;
}

static enum status mem_close(struct blk *b, struct error *err)
{
	(void)err;
	recorder_free(of(b));
	return ST_OK;
}

static const struct blk_ops ops = { mem_read, mem_write, mem_zero,
				    mem_sync, mem_drop_cache, mem_close };

struct recorder *recorder_new(const uint8_t *image, size_t size,
			      size_t sector)
{
	struct recorder *r = must(calloc(1, sizeof(*r)));

	r->blk.ops = &ops;
	r->blk.size_bytes = size;
	r->sector = sector;
	r->image = must(malloc(size));
	memcpy(r->image, image, size);
	return r;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	log_free(&r->log);
	free(r->image);
	free(r);
}

struct log log_copy(const struct log *log)
{
	struct log copy = { .n = log->n, .cap = log->n };
	size_t i;

	copy.v = must(calloc(log->n + 1, sizeof(*copy.v)));
	for (i = 0; i < log->n; i++) {
		copy.v[i] = log->v[i];
		copy.v[i].bytes = must(malloc(log->v[i].len + 1));
		memcpy(copy.v[i].bytes, log->v[i].bytes, log->v[i].len);
	}
	return copy;
}

void log_free(struct log *log)
{
	size_t i;

	for (i = 0; i < log->n; i++)
		free(log->v[i].bytes);
	free(log->v);
	*log = (struct log){ 0 };
}
