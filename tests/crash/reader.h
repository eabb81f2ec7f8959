/*
 * reader.h - reads a FAT volume through one FAT copy, as a consumer does
 *
 * Written from the specification; shares no code with src/ (nor with
 * image.c), so that a mistake there is seen here. It is strict: what a
 * consumer could stumble over is a fault. Clusters that are used in the FAT
 * and in no chain are not: lost clusters are what a cut may leave.
 */
#ifndef TESTS_CRASH_READER_H
#define TESTS_CRASH_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_FILES 512
#define READER_PATH  400
#define READER_NAMES (4 * READER_FILES)

struct reader_file {
	char path[READER_PATH]; /* "DIR/name": the long name, or the short */
	uint64_t hash;		/* of path, case folded */
	uint64_t key, short_key; /* of the folded names in the parent */
	uint8_t raw[32];
	size_t at;		/* of the short entry in the image */
	int parent;		/* index; -1 = the root */
	bool dir, label;
	uint32_t size;
	uint32_t *chain;	/* n clusters in order; the reader's */
	uint32_t n;
};

struct reader {
	/* geometry, from the boot sector */
	unsigned type, sector, cluster, copies, root_slots, media;
	size_t size, fat, fat_bytes, root, data;
	uint32_t last, root_clus, fsinfo, backup;
	bool mirrored;
	unsigned active;
	size_t state; /* offset of the state byte; 0 = none */

	/* read through one copy */
	uint32_t *ent;	  /* last + 1 entries, 28 bits */
	int *owner;	  /* of each cluster: index of a file, -1, or -2 = root */
	uint32_t *chains; /* where all chain[] point to */
	size_t n_chains;
	uint32_t *root_chain;
	uint32_t n_root;
	struct reader_file *f;
	int n;
	uint64_t names[READER_NAMES]; /* hash table of name keys */
	char fault[256];  /* the first; "" = none */
};

/*
 * Allocates for images like this one: geometry is read again from each
 * image by reader_read(), but must stay the same. False, with fault, if it
 * is no sound volume.
 */
bool reader_open(struct reader *r, const uint8_t *image, size_t size);
void reader_close(struct reader *r);

/* Reads the whole tree by copy (from 0). False with fault if it is unsound. */
bool reader_read(struct reader *r, const uint8_t *image, unsigned copy);

/* An entry of a copy, 28 bits; raw: with FAT32's upper four. */
uint32_t reader_entry(const struct reader *r, const uint8_t *image,
		      unsigned copy, uint32_t clus);
bool reader_is_end(const struct reader *r, uint32_t value);
bool reader_is_bad(const struct reader *r, uint32_t value);

/* The file at path, without regard to ASCII case; -1 = none. */
int reader_find(const struct reader *r, const char *path);
size_t reader_clus_at(const struct reader *r, uint32_t clus);

/* By the state byte; without one, by FAT[1] (FAT12 then has no mark). */
bool reader_is_dirty(const struct reader *r, const uint8_t *image);

#endif
