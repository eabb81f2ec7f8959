/*
 * undo.c - the log of what a job overwrites, written and read
 *
 * Invariants: a block counts only once the header says so, and the header is
 * written only when the block is durable; nothing that counts is ever
 * written again. This file writes to its own file, never to the volume.
 */
#include "change/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/ckd.h"

#define HEADER_BYTES 128
#define BLOCK_HEAD   16
#define BLOCK_MAX    (1u << 20)
#define AT_UUID	     8
#define AT_DEVICE    24
#define AT_OFFSET    32
#define AT_SERIAL    40
#define AT_STATE     44
#define AT_LOG	     48
#define AT_BLOCKS    56
#define AT_LEFT	     64
#define AT_CHECK     124

static const char magic[8] = { 'F', 'A', 'T', 'U', 'N', 'D', 'O', '1' };

enum state { STATE_OPEN, STATE_FINISHED, STATE_ROLLBACK };

struct undo {
	int fd;
	char *path;
	uint8_t header[HEADER_BYTES];
	uint64_t log_bytes;  /* written so far, durable or not */
	uint64_t n;	     /* blocks likewise */
	/* Reading: where each block begins in the file. */
	uint64_t *at;
	size_t cap, left;
	uint8_t *buf;	     /* BLOCK_HEAD + BLOCK_MAX */
};

/* CRC-32 as in zlib; continues crc. */
static uint32_t crc32_add(uint32_t crc, const uint8_t *p, size_t len)
{
	unsigned i;

	for (crc = ~crc; len; len--) {
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
	}
	return ~crc;
}

static void put_le64(uint8_t *p, uint64_t v)
{
	put_le32(p, (uint32_t)v);
	put_le32(p + 4, (uint32_t)(v >> 32));
}

static uint64_t get_le64(const uint8_t *p)
{
	return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

static enum status failed(const struct undo *u, const char *what,
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
			return failed(u, "write", err);
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return ST_OK;
}

/* False at the end of the file and on an error. */
static bool get(struct undo *u, uint64_t at, uint8_t *p, size_t len)
{
	ssize_t n;

	while (len) {
		n = pread(u->fd, p, len, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static enum status put_header(struct undo *u, enum state state,
			      struct error *err)
{
	enum status st;

	put_le32(u->header + AT_STATE, state);
	put_le32(u->header + AT_CHECK,
		 crc32_add(0, u->header, AT_CHECK));
	st = put(u, 0, u->header, HEADER_BYTES, err);
	if (!st && fsync(u->fd))
		st = failed(u, "sync", err);
	return st;
}

static struct undo *undo_new(const char *path)
{
	struct undo *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->fd = -1;
	u->path = strdup(path);
	u->buf = malloc(BLOCK_HEAD + BLOCK_MAX);
	if (u->path && u->buf)
		return u;
	undo_close(u, NULL);
	return NULL;
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
		st = failed(u, "sync", err);
	if (fd >= 0)
		close(fd);
	return st;
}

enum status undo_create(struct undo **out, const char *path,
			const struct volume *vol, struct error *err)
{
	struct undo *u = undo_new(path);
	enum status st;

	if (!u)
		return error_set_nomem(err);
	u->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (u->fd < 0) {
		st = failed(u, "create", err);
		undo_close(u, NULL);
		return st;
	}
	memcpy(u->header, magic, sizeof(magic));
	uuid_generate(u->header + AT_UUID);
	put_le64(u->header + AT_DEVICE, vol->blk->size_bytes);
	put_le64(u->header + AT_OFFSET, vol->blk->base_bytes);
	put_le32(u->header + AT_SERIAL, vol->bpb.serial);
	st = put_header(u, STATE_OPEN, err);
	if (!st)
		st = sync_directory(u, err);
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
	enum status st;
	uint32_t crc;

	put_le64(u->buf, offset);
	put_le32(u->buf + 8, len);
	crc = crc32_add(0, u->buf, 12);
	put_le32(u->buf + 12, crc32_add(crc, old, len));
	memcpy(u->buf + BLOCK_HEAD, old, len);
	st = put(u, HEADER_BYTES + u->log_bytes, u->buf, BLOCK_HEAD + len,
		 err);
	if (st)
		return st;
	u->log_bytes += BLOCK_HEAD + len;
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
		n = (uint32_t)MIN(len, BLOCK_MAX);
		st = keep_block(u, offset_bytes, p, n, err);
	}
	return st;
}

enum status undo_sync(struct undo *u, struct error *err)
{
	if (get_le64(u->header + AT_LOG) == u->log_bytes)
		return ST_OK;
	if (fsync(u->fd))
		return failed(u, "sync", err);
	put_le64(u->header + AT_LOG, u->log_bytes);
	put_le64(u->header + AT_BLOCKS, u->n);
	return put_header(u, STATE_OPEN, err);
}

static enum status damaged(const struct undo *u, struct error *err)
{
	return error_set(err, ST_REFUSED, "%s: the undo file is damaged",
			 u->path);
}

/* Block i into buf, checked. */
static enum status load(struct undo *u, size_t i, uint64_t *offset,
			uint32_t *len, struct error *err)
{
	uint32_t crc;

	if (!get(u, u->at[i], u->buf, BLOCK_HEAD))
		return damaged(u, err);
	*offset = get_le64(u->buf);
	*len = get_le32(u->buf + 8);
	if (!*len || *len > BLOCK_MAX ||
	    !get(u, u->at[i] + BLOCK_HEAD, u->buf + BLOCK_HEAD, *len))
		return damaged(u, err);
	crc = crc32_add(0, u->buf, 12);
	if (crc32_add(crc, u->buf + BLOCK_HEAD, *len) !=
	    get_le32(u->buf + 12))
		return damaged(u, err);
	return ST_OK;
}

/* Finds and checks all blocks that count. */
static enum status index_blocks(struct undo *u, struct error *err)
{
	uint64_t at = HEADER_BYTES, end, offset;
	enum status st = ST_OK;
	uint32_t len;

	u->log_bytes = get_le64(u->header + AT_LOG);
	end = at + u->log_bytes;
	while (!st && at < end) {
		st = array_reserve(&u->at, &u->cap, u->n + 1, sizeof(*u->at),
				   err);
		if (st)
			return st;
		u->at[u->n] = at;
		st = load(u, u->n, &offset, &len, err);
		at += BLOCK_HEAD + len;
		u->n++;
	}
	if (!st && (at != end || u->n != get_le64(u->header + AT_BLOCKS)))
		st = damaged(u, err);
	u->left = u->n;
	return st;
}

/* Of what the volume holds in all blocks, in the order of the log. */
static enum status checksum(struct undo *u, const struct volume *vol,
			    uint32_t *crc, struct error *err)
{
	enum status st = ST_OK;
	uint64_t offset;
	uint32_t len;
	size_t i;

	*crc = 0;
	for (i = 0; i < u->n && !st; i++) {
		st = load(u, i, &offset, &len, err);
		if (!st)
			st = blk_read(vol->blk, offset, u->buf, len, err);
		if (!st)
			*crc = crc32_add(*crc, u->buf, len);
	}
	return st;
}

enum status undo_finish(struct undo *u, const struct volume *vol,
			struct error *err)
{
	enum status st;
	uint32_t crc;

	u->n = 0;
	st = index_blocks(u, err);
	if (!st)
		st = checksum(u, vol, &crc, err);
	if (st)
		return st;
	put_le32(u->header + AT_LEFT, crc);
	return put_header(u, STATE_FINISHED, err);
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
		st = failed(u, "close", err);
	free(u->path);
	free(u->at);
	free(u->buf);
	free(u);
	return st;
}

static enum status read_header(struct undo *u, const struct volume *vol,
			       struct error *err)
{
	const uint8_t *h = u->header;

	if (!get(u, 0, u->header, HEADER_BYTES) ||
	    memcmp(h, magic, sizeof(magic)))
		return error_set(err, ST_REFUSED, "%s: this is no undo file",
				 u->path);
	if (get_le32(h + AT_CHECK) != crc32_add(0, h, AT_CHECK) ||
	    get_le64(h + AT_LOG) > UINT64_MAX / 2)
		return damaged(u, err);
	if (get_le64(h + AT_DEVICE) != vol->blk->size_bytes ||
	    get_le64(h + AT_OFFSET) != vol->blk->base_bytes ||
	    (vol->bpb.serial && get_le32(h + AT_SERIAL) &&
	     get_le32(h + AT_SERIAL) != vol->bpb.serial))
		return error_set(err, ST_REFUSED,
				 "%s: the undo file belongs to another volume",
				 u->path);
	return ST_OK;
}

static enum status check_unchanged(struct undo *u, const struct volume *vol,
				   struct error *err)
{
	enum status st;
	uint32_t crc;

	if (get_le32(u->header + AT_STATE) != STATE_FINISHED)
		return ST_OK;
	st = checksum(u, vol, &crc, err);
	if (!st && crc != get_le32(u->header + AT_LEFT))
		st = error_set(err, ST_REFUSED,
			       "%s: the volume has changed since this undo "
			       "file was finished", u->path);
	return st;
}

enum status undo_open(struct undo **out, const char *path,
		      const struct volume *vol, struct error *err)
{
	struct undo *u = undo_new(path);
	enum status st;

	if (!u)
		return error_set_nomem(err);
	u->fd = open(path, O_RDWR | O_CLOEXEC);
	if (u->fd < 0)
		st = failed(u, "open", err);
	else
		st = read_header(u, vol, err);
	if (!st)
		st = index_blocks(u, err);
	if (!st)
		st = check_unchanged(u, vol, err);
	if (st)
		undo_close(u, NULL);
	else
		*out = u;
	return st;
}

enum status undo_begin_rollback(struct undo *u, struct error *err)
{
	return put_header(u, STATE_ROLLBACK, err);
}

enum status undo_previous(struct undo *u, uint64_t *offset_bytes,
			  const uint8_t **buf, uint32_t *len, bool *more,
			  struct error *err)
{
	*more = u->left > 0;
	if (!*more)
		return ST_OK;
	*buf = u->buf + BLOCK_HEAD;
	return load(u, --u->left, offset_bytes, len, err);
}
