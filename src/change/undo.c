/*
 * undo.c - the log of what a job overwrites, as it is written
 *
 * Invariants: a block counts only once a header says so, and that is written
 * only when the block is durable; what counts is never written again, nor is
 * the header that counts it, before the next one is durable. This file
 * writes to its own file, never to the volume.
 */
#include "change/undo_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/ckd.h"

_Static_assert(sizeof(off_t) == 8, "a log is larger than 2 GiB");

const char undo_magic[8] = { 'F', 'A', 'T', 'U', 'N', 'D', 'O', '1' };

uint32_t undo_crc(uint32_t crc, const uint8_t *p, size_t len)
{
	return (uint32_t)crc32_z(crc, p, len);
}

static void put_le64(uint8_t *p, uint64_t v)
{
	put_le32(p, (uint32_t)v);
	put_le32(p + 4, (uint32_t)(v >> 32));
}

uint64_t undo_get64(const uint8_t *p)
{
	return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

enum status undo_failed(const struct undo *u, const char *what,
			struct error *err)
{
	return error_set_sys(err, ST_IO, errno, "%s: cannot %s the undo file",
			     u->path, what);
}

static enum status put(struct undo *u, uint64_t at, const uint8_t *p,
		       size_t len, struct error *err)
{
	ssize_t n;

	while (len) {
		n = pwrite(u->fd, p, len, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return undo_failed(u, "write", err);
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return ST_OK;
}

static enum status put_numbered(struct undo *u, uint32_t number,
				enum undo_state state, struct error *err)
{
	enum status st;

	put_le32(u->header + UNDO_AT_NUMBER, number);
	put_le32(u->header + UNDO_AT_STATE, state);
	put_le32(u->header + UNDO_AT_CHECK,
		 undo_crc(0, u->header, UNDO_AT_CHECK));
	st = put(u, number % 2 * UNDO_SLOT_BYTES, u->header, UNDO_HEADER_BYTES,
		 err);
	if (!st && fsync(u->fd))
		st = undo_failed(u, "sync", err);
	return st;
}

static enum status put_header(struct undo *u, enum undo_state state,
			      struct error *err)
{
	return put_numbered(u, get_le32(u->header + UNDO_AT_NUMBER) + 1, state,
			    err);
}

struct undo *undo_new(const char *path, struct ledger *ledger)
{
	struct undo *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->fd = -1;
	u->path = strdup(path);
	u->buf = malloc(UNDO_HEAD + UNDO_BLOCK_MAX + UNDO_TAIL);
	if (!u->path || !u->buf) {
		undo_close(u, NULL);
		return NULL;
	}
	u->ledger = ledger;
	ledger_buffer_add(ledger, UNDO_BLOCK_MAX);
	return u;
}

/* The directory must know the new file before the volume is written to. */
static enum status sync_directory(const struct undo *u, struct error *err)
{
	char *dir = strdup(u->path), *slash;
	enum status st = ST_OK;
	int fd;

	if (!dir)
		return error_set_nomem(err);
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0 || fsync(fd))
		st = undo_failed(u, "sync", err);
	if (fd >= 0)
		close(fd);
	return st;
}

/* What the volume begins with, before anything of it is written. */
static enum status note_begin(struct undo *u, const struct volume *vol,
			      struct error *err)
{
	uint32_t len = (uint32_t)MIN(vol->blk->size_bytes, UNDO_BEGIN_MAX);
	uint32_t at, n, crc = 0;
	enum status st = ST_OK;

	for (at = 0; !st && at < len; at += n) {
		n = MIN(len - at, UNDO_BLOCK_MAX);
		st = blk_read(vol->blk, at, u->buf, n, err);
		if (!st)
			crc = undo_crc(crc, u->buf, n);
	}
	put_le32(u->header + UNDO_AT_BEGIN, len);
	put_le32(u->header + UNDO_AT_BEGIN_CRC, crc);
	return st;
}

static enum status fill_new(struct undo *u, const struct volume *vol,
			    struct error *err)
{
	enum status st;

	memcpy(u->header, undo_magic, sizeof(undo_magic));
	uuid_generate(u->header + UNDO_AT_UUID);
	put_le64(u->header + UNDO_AT_DEVICE, vol->blk->size_bytes);
	put_le64(u->header + UNDO_AT_OFFSET, vol->blk->base_bytes);
	put_le32(u->header + UNDO_AT_SERIAL, vol->bpb.serial);
	st = note_begin(u, vol, err);
	if (!st)
		st = put_numbered(u, 0, UNDO_OPEN, err);
	return st ? st : sync_directory(u, err);
}

enum status undo_create(struct undo **out, const char *path,
			const struct volume *vol, struct error *err)
{
	struct undo *u = undo_new(path, vol->blk->ledger);
	enum status st;

	if (!u)
		return error_set_nomem(err);
	u->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (u->fd < 0) {
		st = undo_failed(u, "create", err);
	} else {
		st = fill_new(u, vol, err);
		if (st)
			unlink(path);
	}
	if (st)
		undo_close(u, NULL);
	else
		*out = u;
	return st;
}

static enum status keep_block(struct undo *u, uint64_t offset,
			      const uint8_t *old, uint32_t len,
			      struct error *err)
{
	size_t bytes = UNDO_HEAD + len + UNDO_TAIL;
	enum status st;
	uint32_t crc;

	put_le64(u->buf, offset);
	put_le32(u->buf + 8, len);
	crc = undo_crc(0, u->buf, 12);
	put_le32(u->buf + 12, undo_crc(crc, old, len));
	memcpy(u->buf + UNDO_HEAD, old, len);
	put_le32(u->buf + UNDO_HEAD + len, len);
	st = put(u, UNDO_LOG_AT + u->log_bytes, u->buf, bytes, err);
	if (st)
		return st;
	u->log_bytes += bytes;
	u->n++;
	return ST_OK;
}

enum status undo_keep(struct undo *u, uint64_t offset_bytes, const void *old,
		      size_t len, struct error *err)
{
	const uint8_t *p = old;
	enum status st = ST_OK;
	uint32_t n;

	for (; len && !st; p += n, offset_bytes += n, len -= n) {
		n = (uint32_t)MIN(len, UNDO_BLOCK_MAX);
		st = keep_block(u, offset_bytes, p, n, err);
	}
	return st;
}

/* The header counts all blocks that are written. */
static void count_all(struct undo *u)
{
	put_le64(u->header + UNDO_AT_LOG, u->log_bytes);
	put_le64(u->header + UNDO_AT_BLOCKS, u->n);
}

enum status undo_sync(struct undo *u, struct error *err)
{
	if (undo_get64(u->header + UNDO_AT_LOG) == u->log_bytes)
		return ST_OK;
	if (fsync(u->fd))
		return undo_failed(u, "sync", err);
	count_all(u);
	return put_header(u, UNDO_OPEN, err);
}

/* Counts all of the log, and what vol holds in the places of its blocks. */
static enum status finish(struct undo *u, const struct volume *vol,
			  struct error *err)
{
	enum status st;
	uint32_t crc;

	st = undo_checksum(u, vol, &crc, err);
	if (!st && fsync(u->fd))
		st = undo_failed(u, "sync", err);
	if (st)
		return st;
	count_all(u);
	put_le32(u->header + UNDO_AT_LEFT, crc);
	return put_header(u, UNDO_FINISHED, err);
}

enum status undo_end(struct undo *u, const struct volume *vol, bool wrote,
		     enum status st, struct error *err)
{
	enum status closed;

	if (!u)
		return st;
	if (!st && wrote)
		st = finish(u, vol, err);
	if (!wrote && unlink(u->path) && !st)
		st = undo_failed(u, "remove", err);
	closed = undo_close(u, st ? NULL : err);
	return st ? st : closed;
}

enum status undo_begin_rollback(struct undo *u, struct error *err)
{
	/* What a cut left behind the last block that counts. */
	if (ftruncate(u->fd, (off_t)(UNDO_LOG_AT + u->log_bytes)))
		return undo_failed(u, "write", err);
	if (fsync(u->fd))
		return undo_failed(u, "sync", err);
	count_all(u);
	return put_header(u, UNDO_ROLLBACK, err);
}

enum status undo_end_rollback(struct undo *u, const struct volume *vol,
			      struct error *err)
{
	return finish(u, vol, err);
}

uint64_t undo_blocks(const struct undo *u)
{
	return u->n;
}

enum status undo_close(struct undo *u, struct error *err)
{
	enum status st = ST_OK;

	if (!u)
		return ST_OK;
	if (u->fd >= 0 && close(u->fd))
		st = undo_failed(u, "close", err);
	if (u->ledger)
		ledger_buffer_sub(u->ledger, UNDO_BLOCK_MAX);
	free(u->path);
	free(u->buf);
	free(u);
	return st;
}
