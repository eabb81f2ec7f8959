/* dirent.h - a 32-byte directory entry, and the marks in it */
#ifndef FAT_DIRENT_H
#define FAT_DIRENT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "fat/fatent.h"

#define DIRENT_BYTES	   32
#define DIRENT_NAME_BYTES  11
#define DIRENT_END	   0x00 /* first byte: end of the directory */
#define DIRENT_DELETED	   0xE5
#define DIRENT_KANJI_E5	   0x05 /* stands for a real first byte E5 */

/* Where the fields are that are changed one by one. */
#define DIRENT_AT_ATTR	    11
#define DIRENT_AT_CLUS_HIGH 20 /* FAT32 */
#define DIRENT_AT_CLUS_LOW  26
#define DIRENT_AT_SIZE	    28

#define ATTR_READONLY	0x01
#define ATTR_HIDDEN	0x02
#define ATTR_SYSTEM	0x04
#define ATTR_LABEL	0x08
#define ATTR_DIR	0x10
#define ATTR_ARCHIVE	0x20
#define ATTR_LFN	0x0F
#define ATTR_LFN_MASK	0x3F
#define ATTR_UNKNOWN	0xC0 /* never set by any system */

#define NTRES_LOWER_BASE 0x08 /* Windows, Linux: base shown in lower case */
#define NTRES_LOWER_EXT	 0x10

static inline bool dirent_is_lfn(const uint8_t *slot)
{
	return (slot[DIRENT_AT_ATTR] & ATTR_LFN_MASK) == ATTR_LFN;
}

static inline bool dirent_is_label(const uint8_t *slot)
{
	return !dirent_is_lfn(slot) && (slot[DIRENT_AT_ATTR] & ATTR_LABEL);
}

static inline bool dirent_is_dir(const uint8_t *slot)
{
	return !dirent_is_lfn(slot) &&
	       (slot[DIRENT_AT_ATTR] & (ATTR_LABEL | ATTR_DIR)) == ATTR_DIR;
}

/* "." or "..". */
bool dirent_is_dot(const uint8_t *slot);

/*
 * FAT32: both halves, upper 4 bits masked. FAT12/16: the low half; offset 20
 * is an extended-attribute handle there (format.md 43).
 */
clus_t dirent_clus(enum fat_type type, const uint8_t *slot);
void dirent_set_clus(enum fat_type type, uint8_t *slot, clus_t c);
uint32_t dirent_size(const uint8_t *slot);
void dirent_set_size(uint8_t *slot, uint32_t size);

/* A time as the disk has it: UTC, 2-second units, 1980-2107 (clamped). */
struct dos_time {
	uint16_t date, time;
	uint8_t tenths; /* 10 ms units, 0-199 */
};
struct dos_time dos_time_from_unix(int64_t seconds, int nanoseconds);

/* A new short entry of 32 bytes: cluster 0, size 0, the three times = t. */
void dirent_init(uint8_t *slot, const uint8_t name[DIRENT_NAME_BYTES],
		 uint8_t attr, uint8_t ntres, struct dos_time t);
/* Modification time and access date = t, archive bit set. */
void dirent_touch(uint8_t *slot, struct dos_time t);

#endif
