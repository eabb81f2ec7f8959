/*
 * commit_bytes.c - the edits of single bytes: entries, FSInfo, marks
 *
 * Invariant: those of a phase and a region that share or adjoin sectors are
 * one read and one write, up to a window; no two of them overlap.
 */
#include <string.h>

#include "base/ckd.h"
#include "change/commit_in.h"

/* Of one phase; found in the check, before anything is written. */
static enum status overlap(const struct commit *c, uint64_t offset,
			   struct error *err)
{
	error_set(err, ST_REFUSED,
		  "two directories share their clusters; run fatfsck first");
	return error_set_offset(err, c->vol->blk->base_bytes + offset);
}

static uint64_t first_sec(const struct commit *c, const struct byte_edit *b)
{
	return b->offset_bytes / c->vol->bpb.sector_bytes;
}

static uint64_t end_sec(const struct commit *c, const struct byte_edit *b)
{
	return div_round_up(b->offset_bytes + b->len,
			    c->vol->bpb.sector_bytes);
}

/* Number of edits from i on that share or adjoin sectors, up to a window. */
static size_t group_bytes(const struct commit *c, size_t i, uint64_t *end)
{
	const struct byte_edit *b = c->e->bytes;
	uint64_t start = first_sec(c, &b[i]);
	size_t n = i + 1;

	*end = end_sec(c, &b[i]);
	while (n < c->e->n_bytes && b[n].phase == b[i].phase &&
	       b[n].region == b[i].region && first_sec(c, &b[n]) <= *end &&
	       (end_sec(c, &b[n]) - start) * c->vol->bpb.sector_bytes <=
		       c->buf_bytes) {
		*end = MAX(*end, end_sec(c, &b[n]));
		n++;
	}
	return n - i;
}

static enum status byte_group(struct commit *c, size_t i, size_t n,
			      uint64_t end, struct error *err)
{
	const uint32_t sector = c->vol->bpb.sector_bytes;
	const struct byte_edit *b = &c->e->bytes[i];
	uint64_t start = first_sec(c, b) * sector;
	size_t len = (size_t)(end * sector - start), k;
	const uint8_t *want;
	uint8_t *p;
	enum status st;

	if (len > c->buf_bytes)
		return error_set(err, ST_REFUSED,
				 "an edit of %zu bytes exceeds the buffer",
				 len);
	st = blk_read(c->vol->blk, start, c->buf, len, err);
	if (!st)
		st = commit_keep(c, 0, start, len, err);
	if (st)
		return st;
	for (k = 0; k < n; k++, b++) {
		if (k && b->offset_bytes < b[-1].offset_bytes + b[-1].len)
			return overlap(c, b->offset_bytes, err);
		p = c->buf + (b->offset_bytes - start);
		want = c->pass == PASS_VERIFY ? b->value : b->expect;
		if (want && memcmp(p, want, b->len))
			return commit_differs(c, b->offset_bytes, err);
		if (c->pass == PASS_WRITE)
			memcpy(p, b->value, b->len);
	}
	commit_step(c, len);
	if (c->pass != PASS_WRITE)
		return ST_OK;
	return commit_write(c, c->buf, start, len, b[-1].region, err);
}

enum status commit_bytes(struct commit *c, unsigned phases,
			 struct error *err)
{
	uint64_t end;
	size_t i, n;
	enum status st;

	for (i = 0; i < c->e->n_bytes; i += n) {
		n = group_bytes(c, i, &end);
		if (!(phases & PHASE_BIT(c->e->bytes[i].phase)))
			continue;
		st = commit_cancelled(c, err);
		if (!st)
			st = byte_group(c, i, n, end, err);
		if (st)
			return st;
	}
	return ST_OK;
}
