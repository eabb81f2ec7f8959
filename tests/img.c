/* img.c - images for tests: made by mkfs.fat, changed at literal offsets */
#include "img.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "dev/blk_file.h"

static char dir[256]; /* written before the first test forks */

void img_begin(void)
{
	if (!img_have("mkfs.fat")) {
		puts("skipped: mkfs.fat is missing");
		exit(77);
	}
	if (!getcwd(dir, sizeof(dir) - sizeof("/img.XXXXXX"))) {
		perror("current directory");
		exit(EXIT_FAILURE);
	}
	strcat(dir, "/img.XXXXXX");
	if (!mkdtemp(dir)) {
		perror(dir);
		exit(EXIT_FAILURE);
	}
}

void img_end(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	if (system(command) != 0)
		perror(dir);
}

bool img_have(const char *program)
{
	char command[100];

	snprintf(command, sizeof(command),
		 "PATH=$PATH:/usr/sbin:/sbin; command -v %s >/dev/null",
		 program);
	return system(command) == 0;
}

static void read_geometry(struct img *im)
{
	uint8_t b[512];
	uint32_t fat_sec;

	img_read(im, 0, b, sizeof(b));
	im->sector = get_le16(b + 11);
	im->cluster = im->sector * b[13];
	im->fat = (uint64_t)get_le16(b + 14) * im->sector;
	im->root_entries = get_le16(b + 17);
	fat_sec = get_le16(b + 22);
	if (im->bits == 32) {
		fat_sec = get_le32(b + 36);
		im->root_clus = get_le32(b + 44);
	}
	im->root = im->fat + (uint64_t)b[16] * fat_sec * im->sector;
	im->data = im->root + im->root_entries * 32;
	if (im->bits == 32)
		im->root = img_clus(im, im->root_clus);
}

void img_make(struct img *im, unsigned bits, const char *options,
	      unsigned kib)
{
	char command[300];

	memset(im, 0, sizeof(*im));
	im->bits = bits;
	snprintf(im->path, sizeof(im->path), "%s/XXXXXX", dir);
	im->fd = mkstemp(im->path);
	ck_assert_int_ge(im->fd, 0);
	ck_assert_int_eq(ftruncate(im->fd, (off_t)kib * 1024), 0);
	snprintf(command, sizeof(command), "PATH=$PATH:/usr/sbin:/sbin; "
		 "mkfs.fat -F %u %s \"$IMG\" >/dev/null 2>&1", bits, options);
	img_run(im, command);
	read_geometry(im);
}

void img_free(struct img *im)
{
	close(im->fd);
	unlink(im->path);
}

void img_run(const struct img *im, const char *command)
{
	setenv("IMG", im->path, 1);
	setenv("MTOOLS_SKIP_CHECK", "1", 1);
	setenv("MTOOLSRC", "/dev/null", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	fflush(NULL);
	ck_assert_msg(system(command) == 0, "%s", command);
}

void img_write(const struct img *im, uint64_t offset, const void *buf,
	       size_t len)
{
	ck_assert_int_eq(pwrite(im->fd, buf, len, (off_t)offset),
			 (ssize_t)len);
}

void img_read(const struct img *im, uint64_t offset, void *buf, size_t len)
{
	ck_assert_int_eq(pread(im->fd, buf, len, (off_t)offset),
			 (ssize_t)len);
}

void img_set_fat(const struct img *im, uint32_t clus, uint32_t value)
{
	uint8_t b[4];

	put_le32(b, value);
	ck_assert(im->bits == 16 || im->bits == 32);
	img_write(im, im->fat + (uint64_t)clus * (im->bits / 8), b,
		  im->bits / 8);
}

uint64_t img_clus(const struct img *im, uint32_t clus)
{
	return im->data + (uint64_t)(clus - 2) * im->cluster;
}

void img_entry(const struct img *im, uint64_t offset, const char *name,
	       uint8_t attr, uint32_t clus, uint32_t size)
{
	uint8_t b[32] = { 0 };

	memcpy(b, name, 11);
	b[11] = attr;
	put_le16(b + 20, (uint16_t)(clus >> 16));
	put_le16(b + 26, (uint16_t)clus);
	put_le32(b + 28, size);
	img_write(im, offset, b, sizeof(b));
}

void img_open(struct img_open *o, const struct img *im, unsigned codepage)
{
	struct error err = { 0 };

	memset(o, 0, sizeof(*o));
	ck_assert_msg(!blk_file_open(&o->vol.blk, im->path, false, &o->ledger,
				     &err), "%s", err.text);
	ck_assert_msg(!bpb_read(o->vol.blk, &o->vol.bpb, &err), "%s",
		      err.text);
	ck_assert_int_eq(o->vol.bpb.type, im->bits);
	o->vol.window_bytes = VOLUME_WINDOW_MIN;
	ck_assert_msg(!fatwin_open(&o->win, &o->vol, 0, &err), "%s",
		      err.text);
	ck_assert_msg(!codepage_open(&o->cp, codepage, &err), "%s", err.text);
}

void img_close(struct img_open *o)
{
	codepage_close(o->cp);
	fatwin_close(&o->win);
	ck_assert_uint_eq(o->ledger.buffer_bytes, 0);
	ck_assert_int_eq(blk_close(o->vol.blk, NULL), ST_OK);
}
