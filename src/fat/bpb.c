/*
 * bpb.c - decodes and validates the boot sector
 *
 * Everything in it is hostile. Invariants of a decoded bpb: no product of
 * its fields overflows 64 bits; FATs, root and data lie in this order inside
 * total_sec; last_clus has an entry inside the FAT and is no reserved value;
 * every sector number that is not 0 lies inside the reserved area.
 */
#include "fat/bpb.h"

#include <string.h>

#include "base/bytes.h"
#include "base/ckd.h"
#include "fat/dirent.h"

#define BOOT_BYTES 512

/* fatgen103 "FAT Type Determination" */
#define FAT12_CLUSTERS_MAX 4084u
#define FAT16_CLUSTERS_MAX 65524u
#define FAT32_CLUSTERS_MAX 0x0FFFFFF4u

static enum status not_fat(struct error *err, const char *what, uint64_t value)
{
	return error_set(err, ST_NOT_FAT, "%s is %llu", what,
			 (unsigned long long)value);
}

static bool is_power_of_2(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* The fields that all types share; no sums yet. */
static enum status decode_counts(const uint8_t *s, struct bpb *b,
				 struct error *err)
{
	uint32_t total16 = get_le16(s + 19), total32 = get_le32(s + 32);

	b->sector_bytes = get_le16(s + 11);
	b->cluster_sec = s[13];
	b->reserved_sec = get_le16(s + 14);
	b->fat_copies = s[16];
	b->root_entries = get_le16(s + 17);
	b->media = s[21];
	b->fat_sec = get_le16(s + 22);
	b->total_sec = total16 ? total16 : total32;
	if (total16 && total32 && total16 != total32)
		b->oddities |= BPB_TOTSEC_BOTH;

	if (b->sector_bytes == 128 || b->sector_bytes == 256)
		return error_set(err, ST_NOT_FAT,
				 "sectors of %u bytes are not supported",
				 b->sector_bytes);
	if (!is_power_of_2(b->sector_bytes) || b->sector_bytes < 512 ||
	    b->sector_bytes > 4096)
		return not_fat(err, "the sector size", b->sector_bytes);
	if (!is_power_of_2(b->cluster_sec))
		return not_fat(err, "the number of sectors in a cluster",
			       b->cluster_sec);
	if (!b->reserved_sec)
		return not_fat(err, "the number of reserved sectors", 0);
	if (!b->fat_copies)
		return not_fat(err, "the number of FATs", 0);
	b->cluster_bytes = b->sector_bytes * b->cluster_sec;
	return ST_OK;
}

/*
 * Where FATs, root and data lie. Root entries that do not fill sectors are
 * rounded up, as fatgen103 has it.
 */
static enum status derive_layout(struct bpb *b, struct error *err)
{
	uint64_t root_sec, data_sec, clusters;
	uint64_t root_bytes = (uint64_t)b->root_entries * DIRENT_BYTES;

	if (!b->fat_sec)
		return not_fat(err, "the length of a FAT", 0);
	if (root_bytes % b->sector_bytes)
		b->oddities |= BPB_ROOT_UNALIGNED;
	root_sec = div_round_up(root_bytes, b->sector_bytes);
	b->fat_offset_bytes = (uint64_t)b->reserved_sec * b->sector_bytes;
	b->fat_bytes = (uint64_t)b->fat_sec * b->sector_bytes;
	b->root_offset_bytes =
		b->fat_offset_bytes + b->fat_copies * b->fat_bytes;
	b->root_bytes = root_bytes;
	data_sec = b->reserved_sec + (uint64_t)b->fat_copies * b->fat_sec +
		   root_sec;
	b->data_offset_bytes = data_sec * b->sector_bytes;
	if (data_sec >= b->total_sec)
		return error_set(err, ST_NOT_FAT,
				 "%llu sectors hold no data behind %llu of "
				 "FATs and root directory",
				 (unsigned long long)b->total_sec,
				 (unsigned long long)data_sec);
	clusters = (b->total_sec - data_sec) / b->cluster_sec;
	if (!clusters)
		return not_fat(err, "the number of clusters", 0);
	b->clusters_declared = (clus_t)clusters;
	return ST_OK;
}

/* format.md 1-4: FATSz16 of 0 is FAT32, else the count decides. */
static void derive_type(struct bpb *b, bool fat32)
{
	clus_t n = b->clusters_declared;

	if (fat32) {
		b->type = FAT32;
		if (n <= FAT16_CLUSTERS_MAX)
			b->oddities |= BPB_FAT32_FEW;
		return;
	}
	b->type = n <= FAT12_CLUSTERS_MAX ? FAT12 : FAT16;
	if (n == 4085 || n == 4086 || n == 65525)
		b->oddities |= BPB_THRESHOLD;
	if (n > FAT16_CLUSTERS_MAX)
		b->oddities |= BPB_FAT16_MANY;
}

/* Of one copy: at least 128, as it is a sector long. */
static uint64_t fat_entries(const struct bpb *b)
{
	switch (b->type) {
	case FAT12:
		return b->fat_bytes * 2 / 3;
	case FAT16:
		return b->fat_bytes / 2;
	default:
		return b->fat_bytes / 4;
	}
}

clus_t bpb_fat_clusters(const struct bpb *b)
{
	uint64_t limit = b->type == FAT12 ? FAT12_CLUSTERS_MAX :
			 b->type == FAT16 ? FAT16_CLUSTERS_MAX :
					    FAT32_CLUSTERS_MAX;

	return (clus_t)MIN(fat_entries(b) - 2, limit);
}

/* Never past what the FAT holds, nor into the reserved values. */
static void clamp_clusters(struct bpb *b)
{
	if (b->clusters_declared > fat_entries(b) - 2)
		b->oddities |= BPB_FAT_SHORT;
	b->clusters = MIN(b->clusters_declared, bpb_fat_clusters(b));
	b->last_clus = b->clusters + 1;
}

/* format.md 14, 15: a number that can't be one means "none". */
static void derive_info_places(const uint8_t *s, struct bpb *b)
{
	uint32_t info = get_le16(s + 48), backup = get_le16(s + 50);

	if (backup != 0 && backup != 0xFFFF) {
		if (backup < b->reserved_sec)
			b->backup_sec = backup;
		else
			b->oddities |= BPB_BACKUP_PLACE;
	}
	if (info == 0 || info == 0xFFFF)
		return;
	if (info >= b->reserved_sec || info == b->backup_sec) {
		b->oddities |= BPB_FSINFO_PLACE;
		return;
	}
	b->fsinfo_sec = info;
	if (b->backup_sec && b->backup_sec + info < b->reserved_sec)
		b->fsinfo_backup_sec = b->backup_sec + info;
}

static void derive_fat32(const uint8_t *s, struct bpb *b)
{
	uint32_t flags = get_le16(s + 40);

	b->mirrored = !(flags & 0x80);
	if (!b->mirrored) {
		b->active_fat = flags & 0x0F;
		if (b->active_fat >= b->fat_copies) {
			b->oddities |= BPB_ACTIVE_FAT;
			b->active_fat = 0;
		}
	}
	if (get_le16(s + 42))
		b->oddities |= BPB_VERSION;
	b->root_clus = get_le32(s + 44);
	if (!bpb_has_clus(b, b->root_clus))
		b->oddities |= BPB_ROOT_CLUSTER;
	derive_info_places(s, b);
}

/* format.md 12: without the signature these bytes are boot code. */
static void derive_ext(const uint8_t *s, struct bpb *b)
{
	uint32_t at = b->type == FAT32 ? 0x42 : 0x26;
	const char *name = bpb_type_name(b->type);
	const uint8_t *type = s + at + 16;

	memset(b->label, ' ', sizeof(b->label));
	b->has_ext = s[at] == 0x28 || s[at] == 0x29;
	if (!b->has_ext)
		return;
	b->state_offset = at - 1;
	b->state = s[at - 1];
	b->serial = get_le32(s + at + 1);
	if (s[at] != 0x29)
		return;
	memcpy(b->label, s + at + 5, sizeof(b->label));
	if (!memcmp(type, "FAT", 3) && type[3] != ' ' &&
	    memcmp(type, name, strlen(name)))
		b->oddities |= BPB_LABEL_TYPE;
}

static void note_marks(const uint8_t *s, uint64_t device_bytes, struct bpb *b)
{
	if (b->media != 0xF0 && b->media < 0xF8)
		b->oddities |= BPB_MEDIA;
	if (s[510] != 0x55 || s[511] != 0xAA)
		b->oddities |= BPB_NO_SIGNATURE;
	if (s[0] != 0xEB && s[0] != 0xE9)
		b->oddities |= BPB_NO_JUMP;
	if (b->total_sec * b->sector_bytes > device_bytes)
		b->oddities |= BPB_TRUNCATED;
}

enum status bpb_decode(const uint8_t *sector, uint64_t device_bytes,
		       struct bpb *out, struct error *err)
{
	struct bpb b = { .mirrored = true };
	bool fat32;
	enum status st;

	st = decode_counts(sector, &b, err);
	if (st)
		return st;
	fat32 = !b.fat_sec;
	if (fat32)
		b.fat_sec = get_le32(sector + 36);
	st = derive_layout(&b, err);
	if (st)
		return st;
	derive_type(&b, fat32);
	clamp_clusters(&b);
	if (fat32)
		derive_fat32(sector, &b);
	derive_ext(sector, &b);
	note_marks(sector, device_bytes, &b);
	if ((b.oddities & BPB_MEDIA) && (b.oddities & BPB_NO_SIGNATURE) &&
	    (b.oddities & BPB_NO_JUMP))
		return error_set(err, ST_NOT_FAT,
				 "neither a jump, a media byte nor a boot "
				 "signature is there");
	*out = b;
	return ST_OK;
}

enum status bpb_read(struct blk *b, struct bpb *out, struct error *err)
{
	uint8_t sector[BOOT_BYTES];
	enum status st;

	if (b->size_bytes < BOOT_BYTES)
		return error_set(err, ST_NOT_FAT,
				 "%llu bytes are no boot sector",
				 (unsigned long long)b->size_bytes);
	st = blk_read(b, 0, sector, sizeof(sector), err);
	if (st)
		return st;
	return bpb_decode(sector, b->size_bytes, out, err);
}

const char *bpb_type_name(enum fat_type type)
{
	switch (type) {
	case FAT12:
		return "FAT12";
	case FAT16:
		return "FAT16";
	default:
		return "FAT32";
	}
}
