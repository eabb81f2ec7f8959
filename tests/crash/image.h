/*
 * image.h - builds small FAT volumes in memory, for tests
 *
 * Written from the specification with literal offsets; shares no code with
 * src/, so that a mistake there is not repeated here. What nobody may look
 * at is hostile on purpose: free clusters, the slack of files and the slots
 * after a directory's end mark hold stale directory entries that point at
 * clusters in use, and the FAT's slack holds garbage.
 *
 * Out of memory or a caller's mistake ends the test program.
 */
#ifndef TESTS_CRASH_IMAGE_H
#define TESTS_CRASH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_spec {
	unsigned type;	       /* 12, 16, 32 */
	unsigned clusters;
	unsigned sector_bytes; /* 0 = 512 */
	unsigned cluster_sec;  /* 0 = 1 */
	unsigned copies;       /* 0 = 2 */
	unsigned root_slots;   /* FAT12/16; 0 = 64, or one sector if more */
	unsigned root_clus;    /* FAT32; 0 = 2 */
	bool no_mirror;	       /* FAT32: only copy active counts */
	unsigned active;
	bool no_ext;	       /* FAT12/16: boot code where the state byte is */
	bool clean_end;	       /* nothing stale after the end marks */
	bool no_fsinfo;	       /* FAT32 without FSInfo and backup sectors */
	uint32_t hint;	       /* FAT32: next-free in FSInfo; 0 = unknown */
};

struct image {
	struct image_spec spec;
	uint8_t *bytes;
	size_t size;
	size_t fat, fat_bytes, root, root_bytes, data; /* offsets, sizes */
	unsigned cluster_bytes;
};

/* An open end of a directory: where the next entry goes. */
struct image_dir {
	uint32_t clus; /* 0 = the root */
	unsigned slots;
};

struct image *image_new(const struct image_spec *spec);
void image_free(struct image *im); /* accepts NULL */

/* The entry of a cluster in every copy that counts. */
void image_set_fat(struct image *im, uint32_t clus, uint32_t value);

/*
 * "10-14,20" becomes one chain, closed by an end mark. Returns its first
 * cluster, 0 for an empty text.
 */
uint32_t image_chain(struct image *im, const char *runs);
void image_bad(struct image *im, const char *runs);

/* The root, whose FAT32 chain beyond its first cluster is runs (or NULL). */
struct image_dir image_root(struct image *im, const char *runs);

/*
 * Adds a file with a size, its chain (may be longer), and contents that no
 * other file has. name11 as on the disk; long_name in ASCII or NULL.
 */
void image_file(struct image *im, struct image_dir *d, const char *name11,
		const char *long_name, const char *runs, uint32_t size);
struct image_dir image_mkdir(struct image *im, struct image_dir *parent,
			     const char *name11, const char *long_name,
			     const char *runs);
void image_label(struct image *im, struct image_dir *d, const char *name11);
/* n slots that were deleted. */
void image_deleted(struct image *im, struct image_dir *d, unsigned n);

/*
 * Ends the directory: a slot that begins with 0, and stale entries to the
 * end of its space. A full one gets none.
 */
void image_end(struct image *im, const struct image_dir *d);
/* FSInfo, backups: last, when the FAT is complete. */
void image_finish(struct image *im);

#endif
