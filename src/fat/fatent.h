/* fatent.h - one entry of a file allocation table, 12, 16 or 32 bits wide */
#ifndef FAT_FATENT_H
#define FAT_FATENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/run.h"

enum fat_type { FAT12 = 12, FAT16 = 16, FAT32 = 32 };

/* Offset in bytes of a cluster's entry from the start of its FAT copy. */
uint64_t fatent_offset(enum fat_type type, clus_t c);

/* Bytes that the entry touches: 2, 2 or 4. */
unsigned fatent_bytes(enum fat_type type);

/*
 * p points to the entry's first byte. FAT12: the parity of c says which 12
 * bits. FAT32: the upper 4 bits are masked.
 */
uint32_t fatent_load(enum fat_type type, const uint8_t *p, clus_t c);

/*
 * FAT12: the neighbour's nibble is kept. FAT32: the upper 4 bits are kept
 * (fatgen103, "FAT Data Structure").
 */
void fatent_store(enum fat_type type, uint8_t *p, clus_t c, uint32_t value);

#define FATENT_FREE 0u

/* The value to write at the end of a chain: FFF, FFFF, 0FFFFFFF. */
uint32_t fatent_eoc(enum fat_type type);
uint32_t fatent_bad(enum fat_type type);
bool fatent_is_eoc(enum fat_type type, uint32_t value); /* FF8-FFF, ... */
/* Neither free nor bad: a link, an end mark, or what is meant as one. */
bool fatent_is_used(enum fat_type type, uint32_t value);
bool fatent_is_reserved(enum fat_type type, uint32_t value); /* FF0-FF6 */
/* All value bits of an entry: FFF, FFFF, 0FFFFFFF. */
uint32_t fatent_mask(enum fat_type type);

/*
 * FAT[1]'s marks (FAT16 bits 15/14, FAT32 bits 27/26): 0 for FAT12, which
 * has none. A set bit is good.
 */
uint32_t fatent_clean_bit(enum fat_type type);
uint32_t fatent_noerror_bit(enum fat_type type);

#endif
