/*
 * rollback.c - writes back what an undo file has kept
 *
 * Invariants: blocks go to the volume from the last to the first, and of two
 * that overlap the later one is durable before the earlier one is written,
 * so that the oldest bytes of a place win. The first of all is alone, and
 * last: it has the boot sector with its mark, if the job marked the volume
 * as dirty, and until then the volume is marked so again.
 */
#include "change/rollback.h"

#define SECTOR_BYTES 512u /* blocks are whole sectors of any volume */
#define EDIT_BYTES   (64 * SECTOR_BYTES)
#define BATCH_BYTES  (1u << 20)
#define BATCH_EDITS  2048

struct rollback {
	struct volume *vol;
	struct undo *undo;
	struct commit_options opt;
	struct edits batch;
	uint64_t batch_bytes;
	bool wrote;
};

static enum status flush(struct rollback *r, struct error *err)
{
	struct commit_result result = { 0 };
	enum status st;

	st = commit_apply(r->vol, &r->batch, &r->opt, &result, err);
	r->wrote |= result.wrote;
	edits_free(&r->batch);
	r->batch_bytes = 0;
	return st;
}

/* May it go along with what is in the batch? */
static bool fits(const struct rollback *r, uint64_t offset, uint32_t len)
{
	const struct byte_edit *b = r->batch.bytes;
	size_t i;

	if (undo_at_first(r->undo) || r->batch_bytes + len > BATCH_BYTES ||
	    r->batch.n_bytes + 1 > BATCH_EDITS)
		return false;
	for (i = 0; i < r->batch.n_bytes; i++)
		if (offset < b[i].offset_bytes + b[i].len &&
		    b[i].offset_bytes < offset + len)
			return false;
	return true;
}

/* An edit is no larger than the smallest window. */
static enum status add(struct rollback *r, uint64_t offset,
		       const uint8_t *old, uint32_t len, struct error *err)
{
	enum status st = ST_OK;
	uint32_t n, done;

	for (done = 0; done < len && !st; done += n) {
		n = len - done < EDIT_BYTES ? len - done : EDIT_BYTES;
		st = edits_add_bytes(&r->batch, PHASE_ENTRIES, REGION_DATA,
				     offset + done, NULL, old + done, n, err);
	}
	r->batch_bytes += len;
	return st;
}

static enum status play_back(struct rollback *r, struct error *err)
{
	const uint8_t *old;
	uint64_t offset;
	uint32_t len;
	bool more;
	enum status st;

	for (;;) {
		st = undo_previous(r->undo, &offset, &old, &len, &more, err);
		if (st || !more)
			break;
		if (!fits(r, offset, len))
			st = flush(r, err);
		if (!st)
			st = add(r, offset, old, len, err);
		if (st)
			break;
	}
	return st ? st : flush(r, err);
}

/* If the block that is written last covers the state byte. */
static enum status mark_dirty(struct rollback *r, struct error *err)
{
	const struct bpb *bpb = &r->vol->bpb;
	uint8_t dirty = bpb->state | BPB_STATE_DIRTY;
	uint64_t offset;
	enum status st;
	uint32_t len;

	if (!bpb->has_ext || bpb->state == dirty)
		return ST_OK;
	st = undo_first(r->undo, &offset, &len, err);
	if (st || offset > bpb->state_offset ||
	    bpb->state_offset - offset >= len)
		return st;
	st = edits_add_bytes(&r->batch, PHASE_MARK, REGION_BOOT,
			     bpb->state_offset, &bpb->state, &dirty, 1, err);
	return st ? st : flush(r, err);
}

enum status rollback_apply(struct volume *vol, struct undo *u,
			   const struct commit_options *opt, bool *wrote,
			   struct error *err)
{
	struct rollback r = { .vol = vol, .undo = u,
			      .opt = { .verify = opt->verify } };
	enum status st;

	st = undo_begin_rollback(u, err);
	if (!st)
		st = mark_dirty(&r, err);
	/* Whatever the boot sector says: it may be what is to come back. */
	vol->bpb = (struct bpb){ .sector_bytes = SECTOR_BYTES,
				 .fat_copies = 1 };
	if (!st)
		st = play_back(&r, err);
	if (!st)
		st = undo_end_rollback(u, vol, err);
	edits_free(&r.batch);
	*wrote = r.wrote;
	return st;
}
