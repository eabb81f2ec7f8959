/*
 * check_backup.c - the backup boot sector of a FAT32 volume
 *
 * It is only of use if it describes the volume as it is. A boot sector that
 * goes with the volume is believed, and the backup follows it. One that can't
 * be read, or that the volume belies where it does not belie the backup, is
 * restored from there. format.md 15.
 */
#include <string.h>

#include "base/ckd.h"
#include "check/check_layout.h"
#include "check/repair_in.h"

#define BOOT_BYTES     512
#define BPB_START      11 /* sector size, */
#define BPB_END	       64 /* to the end of the reserved bytes */
#define AT_FAT32_STATE 65
#define SECTOR_MIN     512u
#define SECTOR_MAX     4096u

/* What says that a boot sector is not of this volume. */
#define MISFITS (BPB_FAT_SHORT | BPB_ROOT_CLUSTER | BPB_TRUNCATED | \
		 BPB_VERSION | BPB_ACTIVE_FAT)

/*
 * The first byte of [from, to) in which the two differ; 0 if they don't. The
 * state byte counts in the boot sector only (format.md 11).
 */
static unsigned first_difference(const uint8_t *a, const uint8_t *b,
				 unsigned from, unsigned to)
{
	unsigned i;

	for (i = from; i < to; i++)
		if (a[i] != b[i] && i != AT_FAT32_STATE)
			return i;
	return 0;
}

static uint64_t backup_offset(const struct bpb *bpb)
{
	return (uint64_t)bpb->backup_sec * bpb->sector_bytes;
}

/* The mark is no part of a copy. */
static void clear_state(const struct check *ck, uint8_t *sector)
{
	if (ck->bpb->has_ext)
		sector[AT_FAT32_STATE] &=
			(uint8_t)~(BPB_STATE_DIRTY | BPB_STATE_ERROR);
}

static enum status copy_boot(struct check *ck, const uint8_t *boot,
			     const uint8_t *backup, struct error *err)
{
	uint8_t new[BOOT_BYTES];

	memcpy(new, boot, BOOT_BYTES);
	clear_state(ck, new);
	return repair_bytes(ck, REGION_BOOT, backup_offset(ck->bpb), backup,
			    new, BOOT_BYTES, err);
}

static enum status offer_copy(struct check *ck, enum problem_id id,
			      unsigned at, const uint8_t *boot,
			      const uint8_t *backup, struct error *err)
{
	enum status st;
	bool fix;

	st = check_offer(ck, (struct finding){
		.id = id, .n = ck->bpb->backup_sec, .m = at }, &fix, err);
	return st || !fix ? st : copy_boot(ck, boot, backup, err);
}

static enum status compare_backup(struct check *ck, const uint8_t *boot,
				  const uint8_t *backup, struct error *err)
{
	unsigned at = first_difference(boot, backup, BPB_START, BPB_END);

	if (!(ck->bpb->oddities & BPB_NO_SIGNATURE) &&
	    (backup[510] != 0x55 || backup[511] != 0xAA))
		return offer_copy(ck, PROBLEM_BACKUP_INVALID, 0, boot, backup,
				  err);
	if (at)
		return offer_copy(ck, PROBLEM_BACKUP_DIFFERS, at, boot, backup,
				  err);
	if (boot[0] != backup[0] ||
	    first_difference(boot, backup, 1, BOOT_BYTES))
		return check_note(ck, PROBLEM_BACKUP_CODE, 0, 0, err);
	return ST_OK;
}

/* Do both say that they are of the same volume? */
static bool is_same_volume(const struct bpb *a, const struct bpb *b)
{
	return b->type == FAT32 && a->backup_sec == b->backup_sec &&
	       a->has_ext && b->has_ext && a->serial == b->serial;
}

/* Are FATs at the same places, */
static bool is_same_fat(const struct bpb *a, const struct bpb *b)
{
	return a->fat_offset_bytes == b->fat_offset_bytes &&
	       a->fat_copies == b->fat_copies && a->fat_bytes == b->fat_bytes;
}

/* and root and clusters, too? */
static bool is_same_layout(const struct bpb *a, const struct bpb *b)
{
	return is_same_fat(a, b) &&
	       a->data_offset_bytes == b->data_offset_bytes &&
	       a->cluster_bytes == b->cluster_bytes &&
	       a->root_clus == b->root_clus;
}

/* Sectors of a FAT copy that hold no entry of a cluster. */
static uint64_t slack_sec(const struct bpb *bpb)
{
	uint64_t bytes = ((uint64_t)bpb->last_clus + 1) * 4;

	return bpb->fat_sec - div_round_up(bytes, bpb->sector_bytes);
}

/* Is a cluster in use that only b has? What is behind them is none of it. */
static enum status has_more(struct check *ck, const struct bpb *a,
			    const struct bpb *b, bool *yes, struct error *err)
{
	uint64_t at = bpb_fat_copy_offset(b, b->active_fat), n, i, c;
	uint8_t raw[BOOT_BYTES];
	enum status st = ST_OK;

	*yes = false;
	for (c = (uint64_t)a->last_clus + 1; c <= b->last_clus && !*yes && !st;
	     c += n) {
		n = MIN(sizeof(raw) / 4, b->last_clus + 1 - c);
		if (!check_in_image(ck, at + c * 4, n * 4))
			break;
		st = blk_read(ck->vol->blk, at + c * 4, raw, (size_t)n * 4,
			      err);
		for (i = 0; i < n && !st; i++)
			*yes |= fatent_load(FAT32, raw + i * 4, 0) !=
				FATENT_FREE;
		if (!st)
			st = check_tick(ck, err);
	}
	return st;
}

/*
 * Both may describe a volume, and differ in how many clusters it has: a FAT is
 * as long as they need, and no longer.
 */
static enum status weigh(struct check *ck, const struct bpb *b, bool *fits,
			 struct error *err)
{
	const struct bpb *a = ck->bpb;

	if (b->clusters <= a->clusters || (b->oddities & MISFITS))
		return ST_OK;
	*fits = slack_sec(a) > a->fat_sec / 3 &&
		slack_sec(b) < b->fat_sec / 8;
	return *fits ? ST_OK : has_more(ck, a, b, fits, err);
}

/* The backup at that place, if it is of the same volume: is it right? */
static enum status weigh_backup(struct check *ck, uint64_t at,
				uint32_t sector_bytes, bool *fits,
				struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t size = ck->vol->blk->size_bytes;
	uint8_t sector[BOOT_BYTES];
	struct bpb backup;
	enum status st;

	if (!check_in_image(ck, at, BOOT_BYTES))
		return ST_OK;
	st = blk_read(ck->vol->blk, at, sector, BOOT_BYTES, err);
	if (st || bpb_decode(sector, size, &backup, NULL))
		return st;
	if (backup.sector_bytes != sector_bytes ||
	    !is_same_volume(bpb, &backup))
		return ST_OK;
	if (!is_same_layout(bpb, &backup))
		st = check_layout_beats(ck, &backup, fits, err);
	if (st || *fits || !is_same_fat(bpb, &backup))
		return st;
	if (!(bpb->oddities & MISFITS))
		return weigh(ck, &backup, fits, err);
	*fits = bpb->cluster_sec == backup.cluster_sec &&
		!(backup.oddities & MISFITS);
	return ST_OK;
}

enum status check_backup_fits(struct check *ck, uint64_t *at, bool *fits,
			      struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	enum status st = ST_OK;
	uint32_t bytes;

	*fits = false;
	if (bpb->type != FAT32 || !bpb->backup_sec)
		return ST_OK;
	for (bytes = SECTOR_MIN; bytes <= SECTOR_MAX && !*fits && !st;
	     bytes *= 2) {
		*at = (uint64_t)bpb->backup_sec * bytes;
		st = weigh_backup(ck, *at, bytes, fits, err);
	}
	return st;
}

static enum status restore(struct check *ck, const uint8_t *old,
			   const uint8_t *new, uint32_t from, uint32_t to,
			   struct error *err)
{
	return repair_bytes(ck, REGION_BOOT, from, old + from, new + from,
			    to - from, err);
}

/* A boot sector that can be read is marked dirty in the same round. */
enum status check_restore_boot(struct check *ck, enum problem_id id,
			       uint64_t at, bool *fix, struct error *err)
{
	uint8_t old[BOOT_BYTES], new[BOOT_BYTES];
	enum status st;

	st = check_offer(ck, (struct finding){ .id = id }, fix, err);
	if (st || !*fix)
		return st;
	ck->rep->geometry_changes = true;
	st = blk_read(ck->vol->blk, 0, old, BOOT_BYTES, err);
	if (!st)
		st = blk_read(ck->vol->blk, at, new, BOOT_BYTES, err);
	if (!st)
		clear_state(ck, new);
	if (!st && id == PROBLEM_BOOT_INVALID)
		return restore(ck, old, new, 0, BOOT_BYTES, err);
	if (!st)
		st = restore(ck, old, new, 0, AT_FAT32_STATE, err);
	return st ? st : restore(ck, old, new, AT_FAT32_STATE + 1, BOOT_BYTES,
				 err);
}

enum status check_backup(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t offset = backup_offset(bpb);
	uint8_t boot[BOOT_BYTES], backup[BOOT_BYTES];
	enum status st;

	/* The next round compares it with what is there then. */
	if (ck->rep && ck->rep->boot_changes)
		return ST_OK;
	if (bpb->type != FAT32 || (bpb->oddities & BPB_BACKUP_PLACE))
		return ST_OK;
	if (!bpb->backup_sec)
		return check_note(ck, PROBLEM_BACKUP_NONE, 0, 0, err);
	if (!check_in_image(ck, offset, BOOT_BYTES))
		return ST_OK;
	st = blk_read(ck->vol->blk, 0, boot, BOOT_BYTES, err);
	if (!st)
		st = blk_read(ck->vol->blk, offset, backup, BOOT_BYTES, err);
	return st ? st : compare_backup(ck, boot, backup, err);
}
