/*
 * blk_slice.c - shifts offsets and passes on
 *
 * The parent is called through its ops: its ranges were checked against the
 * slice, which lies inside it, and the slice alone counts.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "dev/blk_slice.h"

struct blk_slice {
	struct blk b; /* first: a struct blk * is one of these */
	struct blk *parent;
	uint64_t offset;
};

static struct blk_slice *slice_of(struct blk *b)
{
	return (struct blk_slice *)b;
}

static enum status slice_read(struct blk *b, uint64_t offset, void *buf,
			      size_t len, struct error *err)
{
	struct blk_slice *s = slice_of(b);

	return s->parent->ops->read(s->parent, s->offset + offset, buf, len,
				    err);
}

static enum status slice_write(struct blk *b, uint64_t offset, const void *buf,
			       size_t len, enum region region,
			       struct error *err)
{
	struct blk_slice *s = slice_of(b);

	return s->parent->ops->write(s->parent, s->offset + offset, buf, len,
				     region, err);
}

static enum status slice_zero(struct blk *b, uint64_t offset, uint64_t len,
			      enum region region, struct error *err)
{
	struct blk_slice *s = slice_of(b);

	return s->parent->ops->zero(s->parent, s->offset + offset, len, region,
				    err);
}

static enum status slice_sync(struct blk *b, struct error *err)
{
	struct blk_slice *s = slice_of(b);

	return s->parent->ops->sync(s->parent, err);
}

static void slice_drop_cache(struct blk *b)
{
	struct blk_slice *s = slice_of(b);

	s->parent->ops->drop_cache(s->parent);
}

static enum status slice_close(struct blk *b, struct error *err)
{
	struct blk_slice *s = slice_of(b);
	enum status st = blk_close(s->parent, err);

	free(s);
	return st;
}

static const struct blk_ops slice_ops = {
	.read = slice_read,
	.write = slice_write,
	.zero = slice_zero,
	.sync = slice_sync,
	.drop_cache = slice_drop_cache,
	.close = slice_close,
};

enum status blk_slice_open(struct blk **out, struct blk *parent,
			   uint64_t offset, uint64_t len, struct error *err)
{
	struct blk_slice *s = NULL;
	uint64_t end, base;

	if (ckd_add(&end, offset, len) || end > parent->size_bytes ||
	    ckd_add(&base, parent->base_bytes, offset))
		return error_set(err, ST_IO,
				 "%" PRIu64 " bytes at byte %" PRIu64
				 " go past the end, which is at byte %" PRIu64,
				 len, offset, parent->size_bytes);
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set_nomem(err);
	s->b.ops = &slice_ops;
	s->b.size_bytes = len;
	s->b.base_bytes = base;
	s->b.read_only = parent->read_only;
	s->b.ledger = parent->ledger;
	parent->ledger = NULL;
	s->parent = parent;
	s->offset = offset;
	*out = &s->b;
	return ST_OK;
}
