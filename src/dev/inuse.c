/*
 * inuse.c - is somebody using this image or device already?
 *
 * Mounts and swap come from libmount; which loop device a file backs, how a
 * disk and its partitions hang together and what is stacked on a device, from
 * sysfs. Files are compared by device and inode, devices by number, never by
 * name. Without sysfs or /proc/swaps there is nothing of the kind; without a
 * mount table nobody can tell, which is an error.
 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "dev/inuse.h"

#define DELETED " (deleted)" /* the kernel's mark on an unlinked name */

/* What is asked about: a file, or a block device by its number. */
struct object {
	bool device;
	dev_t dev; /* of a device its own, of a file its file system's */
	ino_t ino; /* of a file */
};

/* One check: what to look in, and what was found. */
struct inuse {
	struct libmnt_table *mounts, *swaps;
	const char *sysfs;
	char use[PATH_MAX];	     /* "is mounted on /mnt"; "" = not in use */
	char through[NAME_MAX + 64]; /* " (through /dev/loop3)" or "" */
	char remedy[NAME_MAX + 64];  /* "unmount it first" */
};

static bool object_is(const struct object *o, const char *path)
{
	struct stat sb;

	if (!path || path[0] != '/' || stat(path, &sb))
		return false;
	if (o->device)
		return S_ISBLK(sb.st_mode) && sb.st_rdev == o->dev;
	return S_ISREG(sb.st_mode) && sb.st_dev == o->dev &&
	       sb.st_ino == o->ino;
}

/* The entry whose source is the object; NULL if there is none. */
static struct libmnt_fs *find_source(struct libmnt_table *table,
				     const struct object *o)
{
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (it && !found && !mnt_table_next_fs(table, it, &fs))
		if ((o->device && mnt_fs_get_devno(fs) == o->dev) ||
		    object_is(o, mnt_fs_get_source(fs)))
			found = fs;
	mnt_free_iter(it);
	return found;
}

/* Opens a folder, by its name in another one; NULL if there is none. */
static DIR *open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

/* The folder of a device; NULL without sysfs. */
static DIR *open_device_dir(const struct inuse *iu, dev_t dev)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u", iu->sysfs,
		 major(dev), minor(dev));
	return open_dir(AT_FDCWD, path);
}

static void close_dir(DIR *dir)
{
	if (dir)
		closedir(dir);
}

/* Next entry that is not hidden; NULL at the end or if dir is NULL. */
static const char *next_name(DIR *dir)
{
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			return d->d_name;
	return NULL;
}

/* Reads a small file below dir, without its final newline. */
static bool read_attr(DIR *dir, const char *sub, const char *name, char *buf,
		      size_t cap)
{
	char path[NAME_MAX + 64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sub, name);
	fd = openat(dirfd(dir), path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, cap - 1);
		close(fd);
	}
	if (n <= 0)
		return false;
	buf[buf[n - 1] == '\n' ? n - 1 : n] = '\0';
	return true;
}

static bool read_devno(DIR *dir, const char *sub, dev_t *dev)
{
	unsigned maj, min;
	char buf[64];

	if (!read_attr(dir, sub, "dev", buf, sizeof(buf)) ||
	    sscanf(buf, "%u:%u", &maj, &min) != 2)
		return false;
	*dev = makedev(maj, min);
	return true;
}

/* The kernel writes '!' for the '/' in a device's name. */
static void set_through(struct inuse *iu, const char *whose, const char *name)
{
	char *p;

	snprintf(iu->through, sizeof(iu->through), " (through %s/dev/%s)",
		 whose, name);
	while ((p = strchr(iu->through, '!')))
		*p = '/';
}

/* The object itself, without its partitions or disk. */
static bool object_used(struct inuse *iu, const struct object *o)
{
	struct libmnt_fs *fs = find_source(iu->mounts, o);
	char target[PATH_MAX / 2];
	const char *holder;
	DIR *dir, *holders;

	if (fs) {
		text_escape(target, sizeof(target), mnt_fs_get_target(fs));
		snprintf(iu->use, sizeof(iu->use), "is mounted on %s", target);
		strcpy(iu->remedy, "unmount it first");
		return true;
	}
	if (find_source(iu->swaps, o)) {
		strcpy(iu->use, "is in use as swap space");
		strcpy(iu->remedy, "turn that off first (swapoff)");
		return true;
	}
	if (!o->device)
		return false;
	dir = open_device_dir(iu, o->dev);
	holders = dir ? open_dir(dirfd(dir), "holders") : NULL;
	holder = next_name(holders);
	if (holder) {
		snprintf(iu->use, sizeof(iu->use), "is part of /dev/%s",
			 holder);
		strcpy(iu->remedy, "take that down first");
	}
	close_dir(holders);
	close_dir(dir);
	return iu->use[0];
}

static bool device_used(struct inuse *iu, dev_t dev)
{
	return object_used(iu, &(struct object){.device = true, .dev = dev});
}

/* Any partition of a whole disk. */
static bool partitions_used(struct inuse *iu, dev_t disk, const char *whose)
{
	DIR *dir = open_device_dir(iu, disk);
	const char *name;
	char number[16];
	bool used = false;
	dev_t dev;

	while (!used && (name = next_name(dir))) {
		if (!read_attr(dir, name, "partition", number,
			       sizeof(number)) ||
		    !read_devno(dir, name, &dev))
			continue;
		used = device_used(iu, dev);
		if (used)
			set_through(iu, whose, name);
	}
	close_dir(dir);
	return used;
}

/* The whole disk that a partition lies on. */
static bool disk_used(struct inuse *iu, dev_t partition)
{
	DIR *dir = open_device_dir(iu, partition);
	char number[16], path[PATH_MAX], *real = NULL;
	bool used = false;
	dev_t disk;

	/* The folder of a partition lies in that of its disk. */
	if (dir && read_attr(dir, ".", "partition", number, sizeof(number)) &&
	    read_devno(dir, "..", &disk))
		used = device_used(iu, disk);
	if (used) {
		snprintf(path, sizeof(path), "%s/dev/block/%u:%u/..", iu->sysfs,
			 major(partition), minor(partition));
		real = realpath(path, NULL);
		set_through(iu, "its disk ",
			    real ? strrchr(real, '/') + 1 : "?");
	}
	free(real);
	close_dir(dir);
	return used;
}

/* Is this loop device's backing file the object? */
static bool loop_is_of(DIR *block, const char *loop, const struct object *o)
{
	char file[PATH_MAX + sizeof(DELETED)];
	size_t len, mark = strlen(DELETED);

	if (!read_attr(block, loop, "loop/backing_file", file, sizeof(file)))
		return false;
	if (object_is(o, file))
		return true;
	len = strlen(file);
	if (len <= mark || strcmp(file + len - mark, DELETED))
		return false;
	file[len - mark] = '\0';
	return object_is(o, file);
}

/* What backs a loop device is in use, whatever that does. */
static bool loop_used(struct inuse *iu, const struct object *o)
{
	char path[PATH_MAX];
	const char *name;
	dev_t dev;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/block", iu->sysfs);
	dir = open_dir(AT_FDCWD, path);
	while ((name = next_name(dir)) && !loop_is_of(dir, name, o))
		;
	if (name && read_devno(dir, name, &dev)) {
		if (device_used(iu, dev))
			set_through(iu, "", name);
		else
			partitions_used(iu, dev, "");
	}
	if (name && !iu->use[0]) {
		snprintf(iu->use, sizeof(iu->use), "backs /dev/%s", name);
		snprintf(iu->remedy, sizeof(iu->remedy),
			 "detach it first (losetup -d /dev/%s)", name);
	}
	close_dir(dir);
	return iu->use[0];
}

static enum status tables_read(struct inuse *iu,
			       const struct inuse_sources *src,
			       struct error *err)
{
	int rc;

	iu->mounts = mnt_new_table();
	iu->swaps = mnt_new_table();
	if (!iu->mounts || !iu->swaps)
		return error_set_nomem(err);
	rc = mnt_table_parse_file(iu->mounts, src->mountinfo);
	if (rc)
		return error_set_sys(err, ST_IO, rc < 0 ? -rc : EINVAL,
				     "%s: cannot tell what is mounted",
				     src->mountinfo);
	rc = mnt_table_parse_swaps(iu->swaps, src->swaps);
	if (rc && rc != -ENOENT)
		return error_set_sys(err, ST_IO, rc < 0 ? -rc : EINVAL,
				     "%s: cannot tell what is swap space",
				     src->swaps);
	iu->sysfs = src->sysfs;
	return ST_OK;
}

static enum status check(const char *name, const struct object *o,
			 const struct inuse_sources *sources, struct error *err)
{
	static const struct inuse_sources system = {
		.mountinfo = "/proc/self/mountinfo",
		.swaps = "/proc/swaps",
		.sysfs = "/sys",
	};
	struct inuse iu = {0};
	enum status st = tables_read(&iu, sources ? sources : &system, err);
	bool used = !st && object_used(&iu, o);

	if (!st && !used)
		used = loop_used(&iu, o);
	if (!st && !used && o->device)
		used = partitions_used(&iu, o->dev, "its partition ") ||
		       disk_used(&iu, o->dev);
	if (used)
		st = error_set(err, ST_REFUSED, "%s: %s%s; %s", name, iu.use,
			       iu.through, iu.remedy);
	mnt_unref_table(iu.mounts);
	mnt_unref_table(iu.swaps);
	return st;
}

enum status inuse_check(const char *path, const struct inuse_sources *sources,
			struct error *err)
{
	struct object o = {0};
	struct stat sb;

	if (stat(path, &sb))
		return error_set_sys(err, ST_IO, errno, "%s: cannot open",
				     path);
	o.device = S_ISBLK(sb.st_mode);
	o.dev = o.device ? sb.st_rdev : sb.st_dev;
	o.ino = sb.st_ino;
	return check(path, &o, sources, err);
}

enum status inuse_check_device(const char *name, dev_t dev,
			       const struct inuse_sources *sources,
			       struct error *err)
{
	return check(name, &(struct object){.device = true, .dev = dev},
		     sources, err);
}
