/*
 * rollback.c - writes back what an undo file has kept
 *
 * Invariant: the blocks go to the volume from the last to the first, each
 * durable before the next, so that the oldest bytes of a place win.
 */
#include "change/rollback.h"

#define SECTOR_BYTES 512u /* blocks are whole sectors of any volume */
#define EDIT_BYTES   (64 * SECTOR_BYTES)

/* A block is a commit of its own: the same bytes may be in several. */
static enum status write_block(struct volume *vol, uint64_t offset,
			       const uint8_t *old, uint32_t len,
			       const struct commit_options *opt, bool *wrote,
			       struct error *err)
{
	struct edits e = { 0 };
	struct commit_result result = { 0 };
	enum status st = ST_OK;
	uint32_t n, done;

	for (done = 0; done < len && !st; done += n) {
		n = len - done < EDIT_BYTES ? len - done : EDIT_BYTES;
		st = edits_add_bytes(&e, PHASE_ENTRIES, REGION_DATA,
				     offset + done, NULL, old + done, n, err);
	}
	if (!st)
		st = commit_apply(vol, &e, opt, &result, err);
	*wrote |= result.wrote;
	edits_free(&e);
	return st;
}

enum status rollback_apply(struct volume *vol, struct undo *u,
			   const struct commit_options *opt, bool *wrote,
			   struct error *err)
{
	const struct commit_options plain = { .verify = opt->verify };
	const uint8_t *old;
	uint64_t offset;
	uint32_t len;
	bool more;
	enum status st;

	*wrote = false;
	/* Whatever the boot sector says: it may be what is to come back. */
	vol->bpb = (struct bpb){ .sector_bytes = SECTOR_BYTES,
				 .fat_copies = 1 };
	st = undo_begin_rollback(u, err);
	while (!st) {
		st = undo_previous(u, &offset, &old, &len, &more, err);
		if (st || !more)
			break;
		st = write_block(vol, offset, old, len, &plain, wrote, err);
	}
	return st;
}
