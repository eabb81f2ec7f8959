/*
 * blk.c - checks and counts, then calls the implementation
 *
 * What reaches an implementation lies inside its size and is not empty, and
 * a write never reaches one that is read-only. Only what succeeded counts.
 */
#include <inttypes.h>

#include "base/ckd.h"
#include "dev/blk.h"

static enum status check_range(const struct blk *b, const char *what,
			       uint64_t offset, uint64_t len, struct error *err)
{
	uint64_t end, place;

	if (!ckd_add(&end, offset, len) && end <= b->size_bytes)
		return ST_OK;
	error_set(err, ST_IO,
		  "cannot %s %" PRIu64 " bytes at byte %" PRIu64
		  ": past the end, which is at byte %" PRIu64,
		  what, len, offset, b->size_bytes);
	if (!ckd_add(&place, b->base_bytes, offset))
		error_set_offset(err, place);
	return ST_IO;
}

static enum status check_change(const struct blk *b, const char *what,
				uint64_t offset, uint64_t len,
				struct error *err)
{
	if (b->read_only)
		return error_set(err, ST_IO,
				 "cannot %s: opened for reading only", what);
	return check_range(b, what, offset, len, err);
}

enum status blk_read(struct blk *b, uint64_t offset, void *buf, size_t len,
		     struct error *err)
{
	enum status st = check_range(b, "read", offset, len, err);

	if (st || !len)
		return st;
	st = b->ops->read(b, offset, buf, len, err);
	if (!st && b->ledger)
		b->ledger->bytes_read += len;
	return st;
}

enum status blk_write(struct blk *b, uint64_t offset, const void *buf,
		      size_t len, enum region region, struct error *err)
{
	enum status st = check_change(b, "write", offset, len, err);

	if (st || !len)
		return st;
	st = b->ops->write(b, offset, buf, len, region, err);
	if (!st && b->ledger) {
		b->ledger->writes[region]++;
		b->ledger->bytes_written[region] += len;
	}
	return st;
}

enum status blk_zero(struct blk *b, uint64_t offset, uint64_t len,
		     enum region region, struct error *err)
{
	enum status st = check_change(b, "zero", offset, len, err);

	if (st || !len)
		return st;
	st = b->ops->zero(b, offset, len, region, err);
	if (!st && b->ledger) {
		b->ledger->writes[region]++;
		b->ledger->bytes_written[region] += len;
		if (region == REGION_DATA)
			b->ledger->data_bytes_zeroed += len;
	}
	return st;
}

enum status blk_sync(struct blk *b, struct error *err)
{
	enum status st = check_change(b, "sync", 0, 0, err);

	if (!st)
		st = b->ops->sync(b, err);
	if (!st && b->ledger)
		b->ledger->syncs++;
	return st;
}

void blk_drop_cache(struct blk *b)
{
	b->ops->drop_cache(b);
}

enum status blk_close(struct blk *b, struct error *err)
{
	return b ? b->ops->close(b, err) : ST_OK;
}
