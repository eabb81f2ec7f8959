/*
 * blk_overlay.c - what was written, as extents in a balanced tree
 *
 * An extent covers pages of 4 KiB: one page with its bytes, or a range of
 * pages that read as zeros. Extents never overlap. The tree (tsearch(3)) holds
 * two extents for equal if they overlap, so a search with a range finds any
 * extent in it; what no extent covers is read from the parent. Every operation
 * costs a logarithm per page or extent that it touches.
 */
#define _GNU_SOURCE 1
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "dev/blk_overlay.h"

#define PAGE_BYTES 4096u

struct extent {
	uint64_t first, end; /* pages; end is the one after */
	uint8_t *data;	     /* PAGE_BYTES and one page; NULL = zeros */
};

struct blk_overlay {
	struct blk b; /* first: a struct blk * is one of these */
	struct blk *parent;
	void *tree;
	uint64_t used_bytes, limit_bytes;
};

static struct blk_overlay *overlay_of(struct blk *b)
{
	return (struct blk_overlay *)b;
}

static int compare(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->end <= y->first ? -1 : x->first >= y->end;
}

static struct extent *find(const struct blk_overlay *o, uint64_t first,
			   uint64_t end)
{
	const struct extent key = {.first = first, .end = end};
	struct extent *const *node = tfind(&key, &o->tree, compare);

	return node ? *node : NULL;
}

static void extent_free(void *p)
{
	struct extent *e = p;

	free(e->data);
	free(e);
}

static uint64_t extent_bytes(const struct extent *e)
{
	return sizeof(*e) + (e->data ? PAGE_BYTES : 0);
}

/* An extent that is not in the tree yet. */
static enum status extent_new(struct extent **out, struct blk_overlay *o,
			      uint64_t first, uint64_t end, bool with_data,
			      struct error *err)
{
	struct extent *e = calloc(1, sizeof(*e));

	if (e && with_data)
		e->data = calloc(1, PAGE_BYTES);
	if (!e || (with_data && !e->data)) {
		free(e);
		return error_set_nomem(err);
	}
	if (o->used_bytes + extent_bytes(e) > o->limit_bytes) {
		extent_free(e);
		return error_set(err, ST_NOMEM,
				 "too many changes to hold in memory");
	}
	e->first = first;
	e->end = end;
	*out = e;
	return ST_OK;
}

/* Takes e over if it succeeds. Nothing in the tree may overlap e. */
static enum status insert(struct blk_overlay *o, struct extent *e,
			  struct error *err)
{
	if (!tsearch(e, &o->tree, compare))
		return error_set_nomem(err);
	o->used_bytes += extent_bytes(e);
	return ST_OK;
}

static void drop(struct blk_overlay *o, struct extent *e)
{
	tdelete(e, &o->tree, compare);
	o->used_bytes -= extent_bytes(e);
	extent_free(e);
}

/*
 * Takes pages [first, end) out of the zero range that covers them all. The
 * range keeps its part before them; what is behind them becomes a new one.
 */
static enum status split(struct blk_overlay *o, struct extent *e,
			 uint64_t first, uint64_t end, struct error *err)
{
	struct extent *rest = NULL;
	enum status st = ST_OK;
	uint64_t old_end = e->end;

	if (e->first == first && old_end == end) {
		drop(o, e);
		return ST_OK;
	}
	if (e->first == first) {
		e->first = end;
		return ST_OK;
	}
	if (end < old_end)
		st = extent_new(&rest, o, end, old_end, false, err);
	if (st)
		return st;
	e->end = first;
	if (rest)
		st = insert(o, rest, err);
	if (st) {
		e->end = old_end; /* as it was */
		extent_free(rest);
	}
	return st;
}

/* What no extent covers. */
static enum status read_parent(struct blk_overlay *o, uint64_t offset,
			       uint8_t *buf, uint64_t len, struct error *err)
{
	if (!len)
		return ST_OK;
	return o->parent->ops->read(o->parent, offset, buf, (size_t)len, err);
}

/* The page to write to: the one there is, or a new one filled from below. */
static enum status page_get(struct blk_overlay *o, uint64_t page,
			    struct extent **out, struct error *err)
{
	struct extent *old = find(o, page, page + 1), *e = NULL;
	uint64_t offset = page * PAGE_BYTES;
	enum status st;

	*out = old;
	if (old && old->data)
		return ST_OK;
	st = extent_new(&e, o, page, page + 1, true, err);
	if (st)
		return st;
	if (old)
		st = split(o, old, page, page + 1, err);
	else
		st = read_parent(
			o, offset, e->data,
			MIN(o->b.size_bytes - offset, (uint64_t)PAGE_BYTES),
			err);
	if (!st)
		st = insert(o, e, err);
	if (st)
		extent_free(e);
	else
		*out = e;
	return st;
}

static enum status overlay_read(struct blk *b, uint64_t offset, void *buf,
				size_t len, struct error *err)
{
	struct blk_overlay *o = overlay_of(b);
	uint64_t end = offset + len, from = offset, n;
	uint8_t *p = buf;
	const struct extent *e;
	enum status st;

	/* [from, offset) is what is still to be read from the parent. */
	for (; offset < end; offset += n) {
		n = MIN(end - offset, PAGE_BYTES - offset % PAGE_BYTES);
		e = find(o, offset / PAGE_BYTES, offset / PAGE_BYTES + 1);
		if (!e)
			continue;
		st = read_parent(o, from, p, offset - from, err);
		if (st)
			return st;
		p += offset - from;
		if (e->data)
			memcpy(p, e->data + offset % PAGE_BYTES, (size_t)n);
		else
			memset(p, 0, (size_t)n);
		p += n;
		from = offset + n;
	}
	return read_parent(o, from, p, end - from, err);
}

/* buf NULL = zeros. */
static enum status put(struct blk_overlay *o, uint64_t offset,
		       const uint8_t *buf, uint64_t len, struct error *err)
{
	uint64_t n, end = offset + len;
	struct extent *e = NULL;
	enum status st;
	uint8_t *at;

	for (; offset < end; offset += n) {
		n = MIN(end - offset, PAGE_BYTES - offset % PAGE_BYTES);
		st = page_get(o, offset / PAGE_BYTES, &e, err);
		if (st)
			return st;
		at = e->data + offset % PAGE_BYTES;
		if (buf) {
			memcpy(at, buf, (size_t)n);
			buf += n;
		} else {
			memset(at, 0, (size_t)n);
		}
	}
	return ST_OK;
}

static enum status overlay_write(struct blk *b, uint64_t offset,
				 const void *buf, size_t len,
				 enum region region, struct error *err)
{
	(void)region;
	return put(overlay_of(b), offset, buf, len, err);
}

/* An extent that zeros overlaps or touches gives way to it. */
static void absorb(struct blk_overlay *o, struct extent *zeros,
		   struct extent *e)
{
	if (!e->data) {
		zeros->first = MIN(zeros->first, e->first);
		zeros->end = MAX(zeros->end, e->end);
	}
	drop(o, e);
}

/* Whole pages: one zero range in the place of all extents in it. */
static enum status zero_pages(struct blk_overlay *o, uint64_t first,
			      uint64_t end, struct error *err)
{
	struct extent *zeros = NULL, *e;
	enum status st;

	st = extent_new(&zeros, o, first, end, false, err);
	if (st)
		return st;
	while ((e = find(o, zeros->first, zeros->end)))
		absorb(o, zeros, e);
	e = zeros->first ? find(o, zeros->first - 1, zeros->first) : NULL;
	if (e && !e->data)
		absorb(o, zeros, e);
	e = find(o, zeros->end, zeros->end + 1);
	if (e && !e->data)
		absorb(o, zeros, e);
	st = insert(o, zeros, err);
	if (st)
		extent_free(zeros);
	return st;
}

static enum status overlay_zero(struct blk *b, uint64_t offset, uint64_t len,
				enum region region, struct error *err)
{
	struct blk_overlay *o = overlay_of(b);
	uint64_t end = offset + len;
	uint64_t first = div_round_up(offset, PAGE_BYTES);
	uint64_t last = end / PAGE_BYTES;
	enum status st;

	(void)region;
	if (first >= last)
		return put(o, offset, NULL, len, err);
	st = put(o, offset, NULL, first * PAGE_BYTES - offset, err);
	if (!st)
		st = put(o, last * PAGE_BYTES, NULL, end - last * PAGE_BYTES,
			 err);
	return st ? st : zero_pages(o, first, last, err);
}

static enum status overlay_sync(struct blk *b, struct error *err)
{
	(void)b;
	(void)err;
	return ST_OK;
}

static void overlay_drop_cache(struct blk *b)
{
	struct blk *parent = overlay_of(b)->parent;

	parent->ops->drop_cache(parent);
}

static enum status overlay_close(struct blk *b, struct error *err)
{
	struct blk_overlay *o = overlay_of(b);
	enum status st = blk_close(o->parent, err);

	tdestroy(o->tree, extent_free);
	free(o);
	return st;
}

static const struct blk_ops overlay_ops = {
	.read = overlay_read,
	.write = overlay_write,
	.zero = overlay_zero,
	.sync = overlay_sync,
	.drop_cache = overlay_drop_cache,
	.close = overlay_close,
};

enum status blk_overlay_open(struct blk **out, struct blk *parent,
			     uint64_t limit_bytes, struct error *err)
{
	struct blk_overlay *o = calloc(1, sizeof(*o));

	if (!o)
		return error_set_nomem(err);
	o->b = (struct blk){.ops = &overlay_ops,
			    .size_bytes = parent->size_bytes,
			    .base_bytes = parent->base_bytes,
			    .ledger = parent->ledger};
	parent->ledger = NULL;
	o->parent = parent;
	o->limit_bytes = limit_bytes;
	*out = &o->b;
	return ST_OK;
}
