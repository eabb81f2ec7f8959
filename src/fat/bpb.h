/* bpb.h - the boot sector: the volume's geometry, validated */
#ifndef FAT_BPB_H
#define FAT_BPB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/run.h"
#include "base/status.h"
#include "dev/blk.h"
#include "fat/fatent.h"

/* Not wrong enough to make the volume unreadable; who reads decides. */
enum bpb_oddity {
	BPB_FAT_SHORT = 1u << 0,      /* clusters that the FAT can't hold */
	BPB_FAT32_FEW = 1u << 1,      /* FAT32 with fewer than 65,525 */
	BPB_FAT16_MANY = 1u << 2,     /* FATSz16 and 65,525 or more */
	BPB_THRESHOLD = 1u << 3,      /* 4,085-4,086, 65,525: who reads what */
	BPB_MEDIA = 1u << 4,	      /* neither F0 nor F8-FF */
	BPB_NO_SIGNATURE = 1u << 5,   /* no 55 AA */
	BPB_NO_JUMP = 1u << 6,
	BPB_ROOT_UNALIGNED = 1u << 7, /* root entries do not fill sectors */
	BPB_ROOT_CLUSTER = 1u << 8,   /* FAT32 root cluster out of range */
	BPB_TRUNCATED = 1u << 9,      /* the device is shorter */
	BPB_LABEL_TYPE = 1u << 10,    /* "FAT12   " on a FAT16, ... */
	BPB_VERSION = 1u << 11,	      /* FAT32 FSVer is not 0 */
	BPB_ACTIVE_FAT = 1u << 12,    /* active copy >= number of copies */
	BPB_FSINFO_PLACE = 1u << 13,  /* FSInfo sector number is unusable */
	BPB_BACKUP_PLACE = 1u << 14,  /* backup boot sector, likewise */
	BPB_TOTSEC_BOTH = 1u << 15,   /* 16 and 32-bit totals set and unequal */
};

/* Offsets count from the start of the volume. */
struct bpb {
	enum fat_type type;
	uint32_t sector_bytes;	   /* 512 to 4096 */
	uint32_t cluster_sec;
	uint32_t cluster_bytes;
	uint32_t reserved_sec;
	uint32_t fat_copies;
	uint32_t fat_sec;	   /* of one copy */
	bool mirrored;
	uint32_t active_fat;	   /* from 0; the one to read */
	uint32_t root_entries;	   /* FAT12/16; of FAT32 should be 0 */
	clus_t root_clus;	   /* FAT32; 0 for FAT12/16 */
	uint64_t total_sec;
	uint64_t fat_offset_bytes; /* of copy 0 */
	uint64_t fat_bytes;	   /* of one copy */
	uint64_t root_offset_bytes;
	uint64_t root_bytes;
	uint64_t data_offset_bytes;
	clus_t clusters;	   /* usable; clamped to what the FAT holds */
	clus_t clusters_declared;  /* by the total of sectors */
	clus_t last_clus;	   /* clusters + 1 */
	uint32_t fsinfo_sec;	   /* 0 = none (format.md 14) */
	uint32_t backup_sec;	   /* backup boot sector, 0 = none */
	uint32_t fsinfo_backup_sec; /* 0 = none */
	uint8_t media;
	bool has_ext;		   /* extended signature: state, serial, ... */
	uint32_t state_offset;	   /* of the state byte; 0 if !has_ext */
	uint8_t state;		   /* bit 0 dirty, bit 1 surface test */
	uint32_t serial;	   /* 0 if !has_ext */
	uint8_t label[11];	   /* blanks if !has_ext */
	unsigned oddities;	   /* enum bpb_oddity */
};

#define BPB_STATE_DIRTY 0x01
#define BPB_STATE_ERROR 0x02

/*
 * Decodes a boot sector of at least 512 bytes. ST_NOT_FAT with what is wrong
 * if no volume can be made of it; sizes are checked among themselves, and
 * against device_bytes only for BPB_TRUNCATED. *out is written on success
 * only. Sources: fatgen103 "Boot Sector and BPB"; format.md 1-30.
 */
enum status bpb_decode(const uint8_t *sector, uint64_t device_bytes,
		       struct bpb *out, struct error *err);

/* Reads the start of b and decodes it. */
enum status bpb_read(struct blk *b, struct bpb *out, struct error *err);

static inline bool bpb_has_clus(const struct bpb *bpb, uint32_t c)
{
	return c >= 2 && c <= bpb->last_clus;
}

/* The clusters that a FAT as long as this one has entries for. */
clus_t bpb_fat_clusters(const struct bpb *bpb);

/* c is a valid cluster. */
static inline uint64_t bpb_clus_offset(const struct bpb *bpb, clus_t c)
{
	return bpb->data_offset_bytes +
	       (uint64_t)(c - 2) * bpb->cluster_bytes;
}

/* copy counts from 0. */
static inline uint64_t bpb_fat_copy_offset(const struct bpb *bpb,
					   unsigned copy)
{
	return bpb->fat_offset_bytes + copy * bpb->fat_bytes;
}

/* Clusters that hold bytes; 64 bits because sizes come from the disk. */
static inline uint64_t bpb_clusters_for(const struct bpb *bpb, uint64_t bytes)
{
	return bytes / bpb->cluster_bytes + (bytes % bpb->cluster_bytes != 0);
}

/* "FAT12", "FAT16", "FAT32". */
const char *bpb_type_name(enum fat_type type);

#endif
