/*
 * check_backup.c - the backup boot sector of a FAT32 volume
 *
 * It is only of use if it describes the volume as it is. A boot sector that
 * can be read is believed, and the backup follows it; check_boot.c has the
 * other direction. format.md 15.
 */
#include <string.h>

#include "check/repair_in.h"

#define BOOT_BYTES     512
#define BPB_START      11 /* sector size, */
#define BPB_END	       64 /* to the end of the reserved bytes */
#define AT_FAT32_STATE 65

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

/* The mark is no part of it. */
static enum status copy_boot(struct check *ck, const uint8_t *boot,
			     const uint8_t *backup, struct error *err)
{
	uint64_t at = (uint64_t)ck->bpb->backup_sec * ck->bpb->sector_bytes;
	uint8_t new[BOOT_BYTES];

	memcpy(new, boot, BOOT_BYTES);
	if (ck->bpb->has_ext)
		new[AT_FAT32_STATE] &=
			(uint8_t)~(BPB_STATE_DIRTY | BPB_STATE_ERROR);
	return repair_bytes(ck, REGION_BOOT, at, backup, new, BOOT_BYTES, err);
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

enum status check_backup(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t offset = (uint64_t)bpb->backup_sec * bpb->sector_bytes;
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
