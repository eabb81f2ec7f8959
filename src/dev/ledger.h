/* ledger.h - counters of what a job needed and what it did */
#ifndef DEV_LEDGER_H
#define DEV_LEDGER_H

#include <stddef.h>
#include <stdint.h>

/* What a write is for. */
enum region {
	REGION_BOOT,   /* boot sector, its backup */
	REGION_FSINFO, /* FSInfo, its backup */
	REGION_FAT,
	REGION_DIR,    /* directory sectors, the FAT12/16 root included */
	REGION_DATA,
	REGION_COUNT
};

/*
 * Zero-initialise. The blk layer counts calls and bytes, the committer what
 * only it knows (sectors changed), whoever owns a buffer its size.
 */
struct ledger {
	uint64_t writes[REGION_COUNT];	   /* calls */
	uint64_t bytes_written[REGION_COUNT];
	uint64_t data_bytes_zeroed;	   /* REGION_DATA, by any means */
	uint64_t data_bytes_moved;
	uint64_t bytes_read;
	uint64_t syncs;
	uint64_t fat_sectors_changed;	   /* in one copy */
	uint64_t fat_copies;		   /* written */
	uint64_t sector_bytes;		   /* to turn bytes into sectors */
	uint64_t clusters_allocated;
	uint64_t buffer_bytes;		   /* in use now */
	uint64_t peak_buffer_bytes;
};

/* Buffers that hold volume data are entered and left here; lg may be NULL. */
void ledger_buffer_add(struct ledger *lg, size_t bytes);
void ledger_buffer_sub(struct ledger *lg, size_t bytes);

/* Sectors written to a region, rounded up; 0 while sector_bytes is. */
uint64_t ledger_sectors(const struct ledger *lg, enum region region);

#endif
