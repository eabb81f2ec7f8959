/*
 * img.h - images for tests: made by mkfs.fat, changed at literal offsets
 *
 * Geometry is read here from the bytes of the boot sector, not by the code
 * under test. Everything fails the running test by itself.
 */
#ifndef TESTS_IMG_H
#define TESTS_IMG_H

#include "fat/codepage.h"
#include "fat/fatwin.h"

struct img {
	char path[512];
	int fd;
	unsigned bits;		/* of a FAT entry: as the caller said */
	uint32_t sector, cluster; /* bytes */
	uint64_t fat;		/* first copy */
	uint64_t root;		/* fixed root, or root cluster */
	uint64_t data;		/* of cluster 2 */
	uint32_t root_entries;
	uint32_t root_clus;
};

/* Is there such a program? Looks in /sbin and /usr/sbin, too. */
bool img_have(const char *program);

/*
 * Around all tests, in main(): a directory for the images, below the current
 * one. Without mkfs.fat the program ends with 77, skipped.
 */
void img_begin(void);
void img_end(void);

/* mkfs.fat with these options ("-F 32 -s 1") on a file of so many KiB. */
void img_make(struct img *im, unsigned bits, const char *options,
	      unsigned kib);
void img_free(struct img *im);

/* Runs a shell command in which $IMG is the image; it must succeed. */
void img_run(const struct img *im, const char *command);

void img_write(const struct img *im, uint64_t offset, const void *buf,
	       size_t len);
void img_read(const struct img *im, uint64_t offset, void *buf, size_t len);

/* Writes an entry of the first FAT copy, 16 or 32 bits wide. */
void img_set_fat(const struct img *im, uint32_t clus, uint32_t value);
uint64_t img_clus(const struct img *im, uint32_t clus);

/* A short entry; writes 32 bytes at offset. name is 11 bytes. */
void img_entry(const struct img *im, uint64_t offset, const char *name,
	       uint8_t attr, uint32_t clus, uint32_t size);

/* Opened by the code under test. */
struct img_open {
	struct ledger ledger;
	struct volume vol;
	struct fatwin win;
	struct codepage *cp;
};
void img_open(struct img_open *o, const struct img *im, unsigned codepage);
void img_close(struct img_open *o);

#endif
