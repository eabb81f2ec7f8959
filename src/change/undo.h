/*
 * undo.h - a file that keeps what a job overwrites
 *
 * Two headers and a log of blocks: where, how long, a checksum, the old
 * bytes. A block may be in it more than once (each round of a repair keeps
 * what it overwrites); the first one has the oldest bytes, so the log is
 * played back from its end. All numbers are little-endian, checksums are
 * CRC-32 as in zlib:
 *
 *	header (128 bytes, at 0 and at 4096): 0 "FATUNDO1", 8 UUID of the
 *	file, 24 size of the device in bytes, 32 offset of the volume on it,
 *	40 serial number, 44 state, 48 bytes of the log that count, 56 blocks
 *	that count, 64 checksum of what a finished job left in the places of
 *	these blocks, 68 number of this header, 72 bytes of the volume's
 *	beginning, at most 8 MiB, 76 their checksum before the job, 124
 *	checksum of the header
 *	block (from 8192): 0 offset in the volume, 8 length, 12 checksum of
 *	offset, length and bytes, 16 the bytes, and the length again, so that
 *	the log can be walked from either end without an index in memory
 *
 * Cuts. The committer keeps all that it is going to overwrite, makes the log
 * durable, then a header that counts it, and only then writes to the volume.
 * Headers are written in turn, so one that is torn leaves the one before. The
 * blocks that it did not count are whole then, and hold what the volume still
 * has: they are played back, too, so a spoilt header loses nothing.
 *
 * Whose it is. What the volume's beginning would be after the rollback is
 * worked out first, and held against the checksum: only a job that had kept
 * all that it wrote, and nobody else, can have left a volume that passes.
 * That is so after a cut as well, in the job or in a rollback. It sees
 * another volume, and one in use since (FSInfo, the first FAT sectors, the
 * root of a small volume), not a change behind the first 8 MiB. After a
 * finished job, or a finished rollback, each place that was kept is held
 * against what was left there, too.
 */
#ifndef CHANGE_UNDO_H
#define CHANGE_UNDO_H

#include "fat/volume.h"

struct undo;

/*
 * A new file, durable, for a job on vol. ST_IO if it exists already or can't
 * be made; no file is left then. undo_end() after the job.
 */
enum status undo_create(struct undo **out, const char *path,
			const struct volume *vol, struct error *err);
/* The volume holds these bytes now, and may not for much longer. */
enum status undo_keep(struct undo *u, uint64_t offset_bytes, const void *old,
		      size_t len, struct error *err);
/* What was kept is durable. */
enum status undo_sync(struct undo *u, struct error *err);
/*
 * Ends a job that had status st, which is returned, and closes. The file is
 * removed if the job wrote nothing; else it notes what vol holds now, if st
 * is ST_OK, so that a later change by somebody else is noticed. Accepts u
 * NULL.
 */
enum status undo_end(struct undo *u, const struct volume *vol, bool wrote,
		     enum status st, struct error *err);

/*
 * An existing file for the device of vol (whose BPB may be none: vol->blk is
 * what counts). ST_REFUSED if the file is damaged, belongs to another
 * volume, or the volume has changed since. undo_close() after it.
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
/* There is no block before the one that was given last. */
bool undo_at_first(const struct undo *u);
/* Where the first block of the log belongs; *len 0 if there is none. */
enum status undo_first(struct undo *u, uint64_t *offset_bytes, uint32_t *len,
		       struct error *err);
/* All blocks are written back: a later change is noticed again. */
enum status undo_end_rollback(struct undo *u, const struct volume *vol,
			      struct error *err);
/* Blocks in the log. */
uint64_t undo_blocks(const struct undo *u);
enum status undo_close(struct undo *u, struct error *err); /* accepts NULL */

#endif
