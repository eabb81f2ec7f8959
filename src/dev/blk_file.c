/*
 * blk_file.c - an image file or a block device by pread and pwrite
 *
 * Invariants: a transfer is complete or an error; the locks live as long as
 * the descriptor; zeroing tries the cheapest way that has worked so far and
 * ends, whatever the file system can do, in plain writes.
 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ckd.h"
#include "dev/blk_file.h"

#define ZERO_BUF_BYTES (64u << 10)

_Static_assert(sizeof(off_t) == 8, "images are larger than 2 GiB");

/* Ways to zero, best first. One that isn't supported is not tried again. */
enum zero_how {
	ZERO_PUNCH,  /* files: a hole */
	ZERO_RANGE,  /* files: unwritten extents */
	ZERO_DEVICE, /* devices: BLKZEROOUT */
	ZERO_WRITE,  /* anything */
};

struct blk_file {
	struct blk b; /* first: a struct blk * is one of these */
	int fd;
	char *path;
	bool device;
	uint32_t sector_bytes; /* of a device: what BLKZEROOUT aligns to */
	enum zero_how how;
};

static struct blk_file *file_of(struct blk *b)
{
	return (struct blk_file *)b;
}

static enum status io_error(const struct blk_file *f, const char *what,
			    uint64_t offset, uint64_t len, int sys_errno,
			    struct error *err)
{
	if (sys_errno)
		error_set_sys(err, ST_IO, sys_errno,
			      "%s: cannot %s %" PRIu64
			      " bytes at byte %" PRIu64,
			      f->path, what, len, offset);
	else
		error_set(err, ST_IO,
			  "%s: cannot %s %" PRIu64 " bytes at byte %" PRIu64
			  ": the file has become shorter",
			  f->path, what, len, offset);
	error_set_offset(err, offset);
	return ST_IO;
}

static enum status file_read(struct blk *b, uint64_t offset, void *buf,
			     size_t len, struct error *err)
{
	struct blk_file *f = file_of(b);
	uint8_t *p = buf;
	ssize_t n;

	while (len) {
		n = pread(f->fd, p, len, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return io_error(f, "read", offset, len,
					n < 0 ? errno : 0, err);
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return ST_OK;
}

static enum status file_write(struct blk *b, uint64_t offset, const void *buf,
			      size_t len, enum region region, struct error *err)
{
	struct blk_file *f = file_of(b);
	const uint8_t *p = buf;
	ssize_t n;

	(void)region;
	while (len) {
		n = pwrite(f->fd, p, len, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return io_error(f, "write", offset, len,
					n < 0 ? errno : ENOSPC, err);
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return ST_OK;
}

static enum status zero_by_write(struct blk *b, uint64_t offset, uint64_t len,
				 struct error *err)
{
	size_t n = (size_t)MIN(len, (uint64_t)ZERO_BUF_BYTES);
	enum status st = ST_OK;
	uint8_t *zeros = NULL;

	if (!len)
		return ST_OK;
	zeros = calloc(1, n);
	if (!zeros)
		return error_set_nomem(err);
	for (; len && !st; offset += n, len -= n) {
		n = (size_t)MIN(len, (uint64_t)n);
		st = file_write(b, offset, zeros, n, REGION_DATA, err);
	}
	free(zeros);
	return st;
}

static bool fallocated(const struct blk_file *f, int mode, uint64_t offset,
		       uint64_t len)
{
	int rc;

	do {
		rc = fallocate(f->fd, mode | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			       (off_t)len);
	} while (rc && errno == EINTR);
	return !rc;
}

/* BLKZEROOUT of the aligned middle, plain writes for what sticks out. */
static bool zero_by_device(struct blk *b, uint64_t offset, uint64_t len)
{
	struct blk_file *f = file_of(b);
	uint64_t end = offset + len;
	uint64_t range[2];
	uint64_t first =
		div_round_up(offset, f->sector_bytes) * f->sector_bytes;
	uint64_t last = end - end % f->sector_bytes;

	if (first >= last) {
		errno = EINVAL;
		return false;
	}
	range[0] = first;
	range[1] = last - first;
	if (ioctl(f->fd, BLKZEROOUT, range))
		return false;
	return !zero_by_write(b, offset, first - offset, NULL) &&
	       !zero_by_write(b, last, end - last, NULL);
}

/* False with errno if it did not work; the range may then be half zeroed. */
static bool zero_by(struct blk *b, enum zero_how how, uint64_t offset,
		    uint64_t len)
{
	const struct blk_file *f = file_of(b);

	switch (how) {
	case ZERO_PUNCH:
		return fallocated(f, FALLOC_FL_PUNCH_HOLE, offset, len);
	case ZERO_RANGE:
		return fallocated(f, FALLOC_FL_ZERO_RANGE, offset, len);
	case ZERO_DEVICE:
		return zero_by_device(b, offset, len);
	case ZERO_WRITE:
		break;
	}
	return false;
}

static enum zero_how next_way(enum zero_how how)
{
	return how == ZERO_PUNCH ? ZERO_RANGE : ZERO_WRITE;
}

static enum status file_zero(struct blk *b, uint64_t offset, uint64_t len,
			     enum region region, struct error *err)
{
	struct blk_file *f = file_of(b);
	enum zero_how how;

	(void)region;
	for (how = f->how; how != ZERO_WRITE; how = next_way(how)) {
		if (zero_by(b, how, offset, len))
			return ST_OK;
		if (how == f->how &&
		    (errno == EOPNOTSUPP || errno == ENOSYS || errno == ENOTTY))
			f->how = next_way(how);
	}
	/* Whatever was wrong above: this works, or says what is wrong. */
	return zero_by_write(b, offset, len, err);
}

static enum status file_sync(struct blk *b, struct error *err)
{
	struct blk_file *f = file_of(b);

	/* Never retried: after a failure the kernel may drop dirty pages. */
	if (fdatasync(f->fd))
		return error_set_sys(err, ST_IO, errno,
				     "%s: cannot flush to the device", f->path);
	return ST_OK;
}

static void file_drop_cache(struct blk *b)
{
	struct blk_file *f = file_of(b);

	if (f->device)
		(void)ioctl(f->fd, BLKFLSBUF, 0); /* needs CAP_SYS_ADMIN */
	(void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
}

static enum status file_close(struct blk *b, struct error *err)
{
	struct blk_file *f = file_of(b);
	enum status st = ST_OK;

	/* EINTR, too, leaves the descriptor closed on Linux. */
	if (f->fd >= 0 && close(f->fd) && errno != EINTR)
		st = error_set_sys(err, ST_IO, errno, "%s: cannot close",
				   f->path);
	free(f->path);
	free(f);
	return st;
}

static const struct blk_ops file_ops = {
	.read = file_read,
	.write = file_write,
	.zero = file_zero,
	.sync = file_sync,
	.drop_cache = file_drop_cache,
	.close = file_close,
};

/* A file system without locks is no reason to refuse. */
static bool lock_is_missing(int sys_errno)
{
	return sys_errno == ENOLCK || sys_errno == EOPNOTSUPP ||
	       sys_errno == ENOSYS || sys_errno == EINVAL;
}

static enum status lock_file(const struct blk_file *f, bool writable,
			     struct error *err)
{
	struct flock whole = {.l_type = writable ? F_WRLCK : F_RDLCK,
			      .l_whence = SEEK_SET};
	int rc;

	rc = flock(f->fd, (writable ? LOCK_EX : LOCK_SH) | LOCK_NB);
	if (!rc || lock_is_missing(errno))
		rc = fcntl(f->fd, F_OFD_SETLK, &whole);
	if (!rc || lock_is_missing(errno))
		return ST_OK;
	if (errno == EAGAIN || errno == EACCES)
		return error_set(err, ST_REFUSED,
				 "%s: is locked by another program", f->path);
	return error_set_sys(err, ST_IO, errno, "%s: cannot lock", f->path);
}

static enum status take_device(struct blk_file *f, struct error *err)
{
	int sector;

	f->device = true;
	f->how = ZERO_DEVICE;
	if (ioctl(f->fd, BLKGETSIZE64, &f->b.size_bytes) ||
	    ioctl(f->fd, BLKSSZGET, &sector))
		return error_set_sys(err, ST_IO, errno,
				     "%s: cannot ask for its size", f->path);
	f->sector_bytes = sector > 0 ? (uint32_t)sector : 512;
	return ST_OK;
}

static enum status check_type(const char *path, mode_t mode, struct error *err)
{
	if (S_ISREG(mode) || S_ISBLK(mode))
		return ST_OK;
	return error_set(err, ST_IO,
			 "%s: is %s, not an image or a block device", path,
			 S_ISDIR(mode) ? "a directory" : "something else");
}

/* Looks at the type first: to open a pipe would wait for its other end. */
static enum status open_fd(struct blk_file *f, bool writable, struct stat *sb,
			   struct error *err)
{
	int flags = O_CLOEXEC | (writable ? O_RDWR : O_RDONLY);
	enum status st;

	if (stat(f->path, sb))
		return error_set_sys(err, ST_IO, errno, "%s: cannot open",
				     f->path);
	st = check_type(f->path, sb->st_mode, err);
	if (st)
		return st;
	if (S_ISBLK(sb->st_mode) && writable)
		flags |= O_EXCL;
	do {
		f->fd = open(f->path, flags);
	} while (f->fd < 0 && errno == EINTR);
	if (f->fd < 0 && errno == EBUSY)
		return error_set(
			err, ST_REFUSED,
			"%s: is in use by the system or another program",
			f->path);
	if (f->fd < 0)
		return error_set_sys(err, ST_IO, errno, "%s: cannot open%s",
				     f->path, writable ? " for writing" : "");
	if (fstat(f->fd, sb))
		return error_set_sys(err, ST_IO, errno, "%s: cannot open",
				     f->path);
	return check_type(f->path, sb->st_mode, err);
}

enum status blk_file_open(struct blk **out, const char *path, bool writable,
			  struct ledger *ledger, struct error *err)
{
	struct blk_file *f = calloc(1, sizeof(*f));
	enum status st;
	struct stat sb;

	if (!f)
		return error_set_nomem(err);
	f->b.ops = &file_ops;
	f->b.read_only = !writable;
	f->b.ledger = ledger;
	f->fd = -1;
	f->path = strdup(path);
	st = f->path ? open_fd(f, writable, &sb, err) : error_set_nomem(err);
	if (st)
		goto out;
	if (S_ISBLK(sb.st_mode)) {
		st = take_device(f, err);
	} else {
		f->b.size_bytes = (uint64_t)sb.st_size;
		f->how = ZERO_PUNCH;
		st = lock_file(f, writable, err);
	}
out:
	if (st)
		(void)file_close(&f->b, NULL);
	else
		*out = &f->b;
	return st;
}

void blk_file_zero_by_write(struct blk *b)
{
	file_of(b)->how = ZERO_WRITE;
}
