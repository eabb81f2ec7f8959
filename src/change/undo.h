/*
 * undo.h - a file that keeps what a job overwrites
 *
 * A header and a log of blocks: where, how long, a checksum, the old bytes. A
 * block may be in it more than once; the first one has the oldest bytes, so
 * the log is played back from its end. The committer makes the log durable
 * before it writes, and only then does the header count what was added. All
 * numbers are little-endian:
 *
 *	header (128 bytes): 0 "FATUNDO1", 8 UUID, 24 size of the device in
 *	bytes, 32 offset of the volume on it, 40 serial number, 44 state, 48
 *	bytes of the log that count, 56 blocks that count, 64 checksum of what
 *	a finished job left in these blocks, 124 checksum of the header
 *	block: 0 offset in the volume, 8 length, 12 checksum of offset, length
 *	and bytes, 16 the bytes
 */
#ifndef CHANGE_UNDO_H
#define CHANGE_UNDO_H

#include "fat/volume.h"

struct undo;

/* A new file; ST_IO if it exists already. undo_close() after it. */
enum status undo_create(struct undo **out, const char *path,
			const struct volume *vol, struct error *err);
/* The volume holds these bytes now, and may not for much longer. */
enum status undo_keep(struct undo *u, uint64_t offset_bytes, const void *old,
		      size_t len, struct error *err);
/* What was kept is durable. */
enum status undo_sync(struct undo *u, struct error *err);
/* The job is done: notes what the volume holds now, so that a later change
   of it by somebody else is noticed. */
enum status undo_finish(struct undo *u, const struct volume *vol,
			struct error *err);
/* Blocks kept. */
uint64_t undo_blocks(const struct undo *u);
enum status undo_close(struct undo *u, struct error *err); /* accepts NULL */

/*
 * An existing file for the device of vol (whose BPB may be none: vol->blk is
 * what counts). ST_REFUSED if the file is damaged, belongs to another
 * volume, or the volume has changed since the job finished.
 */
enum status undo_open(struct undo **out, const char *path,
		      const struct volume *vol, struct error *err);
/* From here on a change of the volume is expected. Durable. */
enum status undo_begin_rollback(struct undo *u, struct error *err);
/*
 * The blocks from the last one to the first: *buf lives until the next call.
 * *more = false when there are no more.
 */
enum status undo_previous(struct undo *u, uint64_t *offset_bytes,
			  const uint8_t **buf, uint32_t *len, bool *more,
			  struct error *err);

#endif
