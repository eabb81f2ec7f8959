/*
 * commit_data.c - ranges that become zero, and copies of contents
 *
 * Invariant: a window at a time, however long they are.
 */
#include "base/ckd.h"
#include "change/commit_in.h"

/* Verifies a range of zeros or, in the check, keeps what is there. */
static enum status read_zero(struct commit *c, const struct zero_edit *z,
			     struct error *err)
{
	uint64_t done;
	size_t len, i;
	enum status st;

	for (done = 0; done < z->len; done += len) {
		len = (size_t)MIN(z->len - done, c->buf_bytes);
		st = blk_read(c->vol->blk, z->offset_bytes + done, c->buf, len,
			      err);
		if (!st)
			st = commit_keep(c, 0, z->offset_bytes + done, len,
					 err);
		if (st)
			return st;
		for (i = 0; c->pass == PASS_VERIFY && i < len; i++)
			if (c->buf[i])
				return commit_differs(
					c, z->offset_bytes + done + i, err);
		commit_step(c, len);
	}
	return ST_OK;
}

enum status commit_zeros(struct commit *c, struct error *err)
{
	const struct zero_edit *z;
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < c->e->n_zeros; i++) {
		z = &c->e->zeros[i];
		if (c->pass != PASS_WRITE) {
			st = read_zero(c, z, err);
			continue;
		}
		st = commit_zero(c, z, err);
		commit_step(c, z->len);
	}
	return st;
}

/* FNV-1a, over the pieces of a copy one after the other. */
static uint64_t sum_add(uint64_t sum, const uint8_t *p, size_t len)
{
	while (len--)
		sum = (sum ^ *p++) * 0x100000001B3u;
	return sum;
}

/* The len bytes from done on; *sum goes on over what to holds or shall. */
static enum status copy_piece(struct commit *c, const struct copy_edit *k,
			      uint64_t done, size_t len, uint64_t *sum,
			      struct error *err)
{
	struct ledger *lg = c->vol->blk->ledger;
	uint64_t to = k->to + done;
	enum status st;

	st = blk_read(c->vol->blk,
		      c->pass == PASS_WRITE ? k->from + done : to, c->buf,
		      len, err);
	if (!st)
		st = commit_keep(c, 0, to, len, err);
	if (st)
		return st;
	*sum = sum_add(*sum, c->buf, len);
	commit_step(c, len);
	if (c->pass != PASS_WRITE)
		return ST_OK;
	if (lg)
		lg->data_bytes_moved += len;
	return commit_write(c, c->buf, to, len, REGION_DATA, err);
}

/*
 * The pieces of one copy. What it came from may have other contents by the
 * time it is verified, so the sum of what was written is held against it.
 */
static enum status copy_edit(struct commit *c, struct copy_edit *k,
			     struct error *err)
{
	uint64_t done, sum = 0;
	enum status st = ST_OK;
	size_t len;

	for (done = 0; done < k->len && !st; done += len) {
		len = (size_t)MIN(k->len - done, c->buf_bytes);
		st = commit_cancelled(c, err);
		if (!st)
			st = copy_piece(c, k, done, len, &sum, err);
	}
	if (!st && c->pass == PASS_VERIFY && sum != k->sum)
		return commit_differs(c, k->to, err);
	k->sum = sum;
	return st;
}

enum status commit_copies(struct commit *c, struct error *err)
{
	enum status st = ST_OK;
	size_t i;

	if (c->opt->no_copies)
		return ST_OK;
	for (i = 0; !st && i < c->e->n_copies; i++)
		st = copy_edit(c, &c->e->copies[i], err);
	return st;
}
