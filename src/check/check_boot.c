/*
 * check_boot.c - the boot sector, its backup, the state byte, the label
 *
 * What bpb_decode() noticed becomes findings; what only fatfsck wants to know
 * is looked up here. format.md 1-30, 38.
 */
#include <string.h>

#include "base/bytes.h"
#include "check/work.h"

#define BOOT_BYTES     512
#define BPB_START      11 /* sector size, */
#define BPB_END	       64 /* to the end of the reserved bytes */
#define AT_FAT32_STATE 65

static const struct {
	enum bpb_oddity oddity;
	enum problem_id id;
} oddities[] = {
	{ BPB_NO_SIGNATURE, PROBLEM_BOOT_SIGNATURE },
	{ BPB_NO_JUMP, PROBLEM_BOOT_JUMP },
	{ BPB_MEDIA, PROBLEM_MEDIA_BYTE },
	{ BPB_TOTSEC_BOTH, PROBLEM_TOTAL_SECTORS },
	{ BPB_FAT_SHORT, PROBLEM_FAT_SHORT },
	{ BPB_FAT32_FEW, PROBLEM_FAT32_FEW },
	{ BPB_FAT16_MANY, PROBLEM_FAT16_MANY },
	{ BPB_THRESHOLD, PROBLEM_TYPE_THRESHOLD },
	{ BPB_LABEL_TYPE, PROBLEM_TYPE_LABEL },
	{ BPB_ROOT_UNALIGNED, PROBLEM_ROOT_ENTRIES },
	{ BPB_ROOT_CLUSTER, PROBLEM_ROOT_CLUSTER },
	{ BPB_VERSION, PROBLEM_FS_VERSION },
	{ BPB_ACTIVE_FAT, PROBLEM_ACTIVE_COPY },
	{ BPB_TRUNCATED, PROBLEM_TRUNCATED },
	{ BPB_FSINFO_PLACE, PROBLEM_FSINFO_PLACE },
	{ BPB_BACKUP_PLACE, PROBLEM_BACKUP_PLACE },
};

/* The numbers that the sentence of a problem needs. */
static struct finding describe(const struct check *ck, enum problem_id id)
{
	const struct bpb *bpb = ck->bpb;
	struct finding f = { .id = id, .n = bpb->clusters_declared };

	switch (id) {
	case PROBLEM_FAT_SHORT:
		f.n = bpb->clusters;
		f.m = bpb->clusters_declared;
		break;
	case PROBLEM_MEDIA_BYTE:
		f.n = bpb->media;
		break;
	case PROBLEM_ROOT_CLUSTER:
		f.n = bpb->root_clus;
		break;
	case PROBLEM_TRUNCATED:
		f.n = ck->vol->blk->size_bytes;
		f.m = bpb->total_sec * bpb->sector_bytes;
		break;
	default:
		break;
	}
	return f;
}

static enum status note_oddities(struct check *ck, struct error *err)
{
	enum status st = ST_OK;
	size_t i;

	for (i = 0; i < sizeof(oddities) / sizeof(oddities[0]) && !st; i++)
		if (ck->bpb->oddities & oddities[i].oddity)
			st = check_add(ck, describe(ck, oddities[i].id), err);
	return st;
}

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

static enum status compare_backup(struct check *ck, const uint8_t *boot,
				  const uint8_t *backup, struct error *err)
{
	unsigned at = first_difference(boot, backup, BPB_START, BPB_END);
	uint32_t sector = ck->bpb->backup_sec;

	if (!(ck->bpb->oddities & BPB_NO_SIGNATURE) &&
	    (backup[510] != 0x55 || backup[511] != 0xAA))
		return check_note(ck, PROBLEM_BACKUP_INVALID, sector, 0, err);
	if (at)
		return check_note(ck, PROBLEM_BACKUP_DIFFERS, sector, at, err);
	if (boot[0] != backup[0] ||
	    first_difference(boot, backup, 1, BOOT_BYTES))
		return check_note(ck, PROBLEM_BACKUP_CODE, 0, 0, err);
	return ST_OK;
}

static enum status check_backup(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t offset = (uint64_t)bpb->backup_sec * bpb->sector_bytes;
	uint8_t boot[BOOT_BYTES], backup[BOOT_BYTES];
	enum status st;

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

/* FAT[1] of the believed copy, if it can be read and is no rubbish. */
static enum status read_marks(struct check *ck, uint32_t *clean,
			      uint32_t *noerror, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t offset = bpb_fat_copy_offset(bpb, bpb->active_fat) +
			  fatent_offset(bpb->type, 1);
	uint32_t marks = fatent_clean_bit(bpb->type) |
			 fatent_noerror_bit(bpb->type);
	uint32_t value;
	uint8_t raw[4];
	enum status st;

	*clean = *noerror = 1;
	if (!marks || !check_in_image(ck, offset, fatent_bytes(bpb->type)))
		return ST_OK;
	st = blk_read(ck->vol->blk, offset, raw, fatent_bytes(bpb->type), err);
	if (st)
		return st;
	value = fatent_load(bpb->type, raw, 1);
	if (!fatent_is_eoc(bpb->type, value | marks))
		return ST_OK;
	*clean = value & fatent_clean_bit(bpb->type);
	*noerror = value & fatent_noerror_bit(bpb->type);
	return ST_OK;
}

/* Linux marks the state byte, Windows both: either one counts. */
static enum status check_marks(struct check *ck, struct error *err)
{
	uint32_t clean, noerror;
	enum status st = read_marks(ck, &clean, &noerror, err);

	if (!st && (!clean || (ck->bpb->state & BPB_STATE_DIRTY)))
		st = check_note(ck, PROBLEM_DIRTY, 0, 0, err);
	if (!st && (!noerror || (ck->bpb->state & BPB_STATE_ERROR)))
		st = check_note(ck, PROBLEM_ERROR_MARK, 0, 0, err);
	return st;
}

enum status check_boot(struct check *ck, struct error *err)
{
	enum status st = note_oddities(ck, err);

	if (!st)
		st = check_backup(ck, err);
	if (!st)
		st = check_marks(ck, err);
	return st;
}

enum status check_label(struct check *ck, const uint8_t root_label[11],
			struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	static const char none[] = "           ", no_name[] = "NO NAME    ";

	if (!bpb->has_ext || !memcmp(bpb->label, root_label, 11))
		return ST_OK;
	if (!memcmp(bpb->label, no_name, 11) || !memcmp(bpb->label, none, 11))
		return check_note(ck, PROBLEM_LABEL_NO_NAME, 0, 0, err);
	return check_note(ck, PROBLEM_LABEL_DIFFERS, 0, 0, err);
}
