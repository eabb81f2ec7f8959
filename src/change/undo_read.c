/*
 * undo_read.c - an undo file as it is read back
 *
 * Invariants: the file is hostile; nothing of it is used before its checksum
 * is right, and no length goes beyond a block. The volume is read only.
 */
#include "change/undo_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/ckd.h"

bool undo_get(struct undo *u, uint64_t at, uint8_t *p, size_t len)
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

static enum status damaged(const struct undo *u, struct error *err)
{
	return error_set(err, ST_REFUSED, "%s: the undo file is damaged",
			 u->path);
}

enum status undo_load(struct undo *u, uint64_t at, uint64_t *offset,
		      uint32_t *len, struct error *err)
{
	uint64_t room = u->log_bytes - at;
	uint32_t crc;

	if (room < UNDO_HEAD + UNDO_TAIL ||
	    !undo_get(u, UNDO_LOG_AT + at, u->buf, UNDO_HEAD))
		return damaged(u, err);
	*offset = undo_get64(u->buf);
	*len = get_le32(u->buf + 8);
	if (!*len || *len > UNDO_BLOCK_MAX ||
	    *len > room - UNDO_HEAD - UNDO_TAIL ||
	    !undo_get(u, UNDO_LOG_AT + at + UNDO_HEAD, u->buf + UNDO_HEAD,
		      *len + UNDO_TAIL))
		return damaged(u, err);
	crc = undo_crc(0, u->buf, 12);
	crc = undo_crc(crc, u->buf + UNDO_HEAD, *len);
	if (crc != get_le32(u->buf + 12) ||
	    get_le32(u->buf + UNDO_HEAD + *len) != *len)
		return damaged(u, err);
	return ST_OK;
}

enum status undo_checksum(struct undo *u, const struct volume *vol,
			  uint32_t *crc, struct error *err)
{
	enum status st = ST_OK;
	uint64_t at = 0, offset;
	uint32_t len;

	*crc = 0;
	while (!st && at < u->log_bytes) {
		st = undo_load(u, at, &offset, &len, err);
		if (st)
			return st;
		at += UNDO_HEAD + len + UNDO_TAIL;
		st = blk_read(vol->blk, offset, u->buf, len, err);
		if (!st)
			*crc = undo_crc(*crc, u->buf, len);
	}
	return st;
}

enum slot { SLOT_NONE, SLOT_GOOD, SLOT_BAD };

static enum slot read_slot(struct undo *u, unsigned slot, uint8_t *h)
{
	static const uint8_t none[UNDO_HEADER_BYTES];

	if (!undo_get(u, slot * UNDO_SLOT_BYTES, h, UNDO_HEADER_BYTES) ||
	    !memcmp(h, none, sizeof(none)))
		return SLOT_NONE;
	if (memcmp(h, undo_magic, sizeof(undo_magic)) ||
	    get_le32(h + UNDO_AT_CHECK) != undo_crc(0, h, UNDO_AT_CHECK) ||
	    get_le32(h + UNDO_AT_NUMBER) % 2 != slot)
		return SLOT_BAD;
	return SLOT_GOOD;
}

/* The newer header; *torn: there may have been one that is newer still. */
static enum status read_header(struct undo *u, bool *torn, struct error *err)
{
	uint8_t h[2][UNDO_HEADER_BYTES];
	enum slot s[2] = { read_slot(u, 0, h[0]), read_slot(u, 1, h[1]) };
	unsigned use = s[0] != SLOT_GOOD;

	if (s[0] != SLOT_GOOD && s[1] != SLOT_GOOD)
		return error_set(err, ST_REFUSED, "%s: this is no undo file, "
				 "or no header of it is whole", u->path);
	if (s[0] == SLOT_GOOD && s[1] == SLOT_GOOD)
		use = get_le32(h[1] + UNDO_AT_NUMBER) >
		      get_le32(h[0] + UNDO_AT_NUMBER);
	memcpy(u->header, h[use], UNDO_HEADER_BYTES);
	*torn = s[!use] == SLOT_BAD;
	return ST_OK;
}

static enum status another(const struct undo *u, struct error *err)
{
	return error_set(err, ST_REFUSED,
			 "%s: the undo file belongs to another volume",
			 u->path);
}

static enum status check_device(const struct undo *u, const struct volume *vol,
				struct error *err)
{
	const uint8_t *h = u->header;
	uint64_t size = vol->blk->size_bytes;

	if (undo_get64(h + UNDO_AT_DEVICE) != size ||
	    undo_get64(h + UNDO_AT_OFFSET) != vol->blk->base_bytes)
		return another(u, err);
	if (get_le32(h + UNDO_AT_BEGIN) != MIN(size, UNDO_BEGIN_MAX))
		return damaged(u, err);
	return ST_OK;
}

/*
 * All blocks that count are there and whole; after a torn header all that
 * there are count, since it was to count them, and nothing else can follow.
 */
static enum status check_log(struct undo *u, const struct volume *vol,
			     bool torn, struct error *err)
{
	uint64_t at = 0, offset, size;
	enum status st;
	struct stat sb;
	uint32_t len;

	if (fstat(u->fd, &sb))
		return undo_failed(u, "read", err);
	size = MAX((uint64_t)sb.st_size, UNDO_LOG_AT) - UNDO_LOG_AT;
	u->log_bytes = undo_get64(u->header + UNDO_AT_LOG);
	if (u->log_bytes > size)
		return damaged(u, err);
	if (torn)
		u->log_bytes = size;
	for (; at < u->log_bytes; at += UNDO_HEAD + len + UNDO_TAIL, u->n++) {
		st = undo_load(u, at, &offset, &len, err);
		if (st)
			return st;
		if (offset > vol->blk->size_bytes ||
		    len > vol->blk->size_bytes - offset)
			return damaged(u, err);
	}
	if (!torn && u->n != undo_get64(u->header + UNDO_AT_BLOCKS))
		return damaged(u, err);
	u->left = u->log_bytes;
	return ST_OK;
}

/* Lays over begin what the rollback will write there. */
static enum status overlay(struct undo *u, uint8_t *begin, uint32_t size,
			   struct error *err)
{
	const uint8_t *old;
	uint64_t offset;
	enum status st;
	uint32_t len;
	bool more;

	for (;;) {
		st = undo_previous(u, &offset, &old, &len, &more, err);
		if (st || !more)
			break;
		if (offset < size)
			memcpy(begin + offset, old, MIN(len, size - offset));
	}
	u->left = u->log_bytes;
	return st;
}

static enum status changed(const struct undo *u, struct error *err)
{
	return error_set(err, ST_REFUSED,
			 "%s: the volume is not the one that the undo file "
			 "belongs to, or has changed since", u->path);
}

static enum status check_begin(struct undo *u, const struct volume *vol,
			       struct error *err)
{
	uint32_t size = get_le32(u->header + UNDO_AT_BEGIN);
	uint8_t *begin = malloc(size + 1);
	enum status st;

	if (!begin)
		return error_set_nomem(err);
	ledger_buffer_add(vol->blk->ledger, size);
	st = blk_read(vol->blk, 0, begin, size, err);
	if (!st)
		st = overlay(u, begin, size, err);
	if (!st && undo_crc(0, begin, size) !=
			   get_le32(u->header + UNDO_AT_BEGIN_CRC))
		st = vol->bpb.serial && vol->bpb.serial !=
				get_le32(u->header + UNDO_AT_SERIAL) ?
		     another(u, err) : changed(u, err);
	ledger_buffer_sub(vol->blk->ledger, size);
	free(begin);
	return st;
}

static enum status check_left(struct undo *u, const struct volume *vol,
			      struct error *err)
{
	enum status st;
	uint32_t crc;

	if (get_le32(u->header + UNDO_AT_STATE) != UNDO_FINISHED)
		return ST_OK;
	st = undo_checksum(u, vol, &crc, err);
	if (!st && crc != get_le32(u->header + UNDO_AT_LEFT))
		st = changed(u, err);
	return st;
}

enum status undo_open(struct undo **out, const char *path,
		      const struct volume *vol, struct error *err)
{
	struct undo *u = undo_new(path, vol->blk->ledger);
	bool torn = false;
	enum status st;

	if (!u)
		return error_set_nomem(err);
	u->fd = open(path, O_RDWR | O_CLOEXEC);
	if (u->fd < 0)
		st = undo_failed(u, "open", err);
	else
		st = read_header(u, &torn, err);
	if (!st)
		st = check_device(u, vol, err);
	if (!st)
		st = check_log(u, vol, torn, err);
	if (!st)
		st = check_begin(u, vol, err);
	if (!st)
		st = check_left(u, vol, err);
	if (st)
		undo_close(u, NULL);
	else
		*out = u;
	return st;
}

enum status undo_first(struct undo *u, uint64_t *offset_bytes, uint32_t *len,
		       struct error *err)
{
	*offset_bytes = *len = 0;
	return u->n ? undo_load(u, 0, offset_bytes, len, err) : ST_OK;
}

bool undo_at_first(const struct undo *u)
{
	return !u->left;
}

enum status undo_previous(struct undo *u, uint64_t *offset_bytes,
			  const uint8_t **buf, uint32_t *len, bool *more,
			  struct error *err)
{
	uint8_t tail[UNDO_TAIL];
	uint64_t whole;
	enum status st;

	*more = u->left > 0;
	if (!*more)
		return ST_OK;
	if (u->left < UNDO_HEAD + UNDO_TAIL ||
	    !undo_get(u, UNDO_LOG_AT + u->left - UNDO_TAIL, tail, UNDO_TAIL))
		return damaged(u, err);
	whole = (uint64_t)UNDO_HEAD + get_le32(tail) + UNDO_TAIL;
	if (whole > u->left)
		return damaged(u, err);
	u->left -= whole;
	*buf = u->buf + UNDO_HEAD;
	st = undo_load(u, u->left, offset_bytes, len, err);
	if (!st && *len != get_le32(tail))
		st = damaged(u, err);
	return st;
}
