/*
 * check_boot.c - the boot sector, its backup, the state byte
 *
 * What bpb_decode() noticed becomes findings; what only fatfsck wants to know
 * is looked up here. format.md 1-30.
 */
#include <string.h>

#include "base/bytes.h"
#include "check/repair_in.h"

#define BOOT_BYTES	512
#define MEDIA_DEFAULT	0xF8
#define AT_MEDIA	21
#define AT_TYPE		54
#define AT_TYPE_FAT32	82
#define TYPE_NAME_BYTES 8

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

/* FAT[0]'s, if that is one; the two have to agree. */
static enum status write_media(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t offset = bpb_fat_copy_offset(bpb, bpb->active_fat);
	uint8_t old = bpb->media, new = MEDIA_DEFAULT, fat0;
	enum status st = ST_OK;

	if (check_in_image(ck, offset, 1)) {
		st = blk_read(ck->vol->blk, offset, &fat0, 1, err);
		if (!st && (fat0 == 0xF0 || fat0 >= 0xF8))
			new = fat0;
	}
	return st ? st : repair_bytes(ck, REGION_BOOT, AT_MEDIA, &old, &new, 1,
				      err);
}

static enum status write_type(struct check *ck, struct error *err)
{
	enum fat_type type = ck->bpb->type;
	uint64_t at = type == FAT32 ? AT_TYPE_FAT32 : AT_TYPE;
	uint8_t old[TYPE_NAME_BYTES], new[TYPE_NAME_BYTES];
	enum status st;

	memset(new, ' ', sizeof(new));
	memcpy(new, bpb_type_name(type), 5);
	st = blk_read(ck->vol->blk, at, old, sizeof(old), err);
	return st ? st : repair_bytes(ck, REGION_BOOT, at, old, new,
				      sizeof(new), err);
}

static enum status mend(struct check *ck, enum problem_id id,
			struct error *err)
{
	return id == PROBLEM_MEDIA_BYTE ? write_media(ck, err)
					: write_type(ck, err);
}

static enum status note_oddities(struct check *ck, struct error *err)
{
	enum status st = ST_OK;
	bool fix;
	size_t i;

	for (i = 0; i < sizeof(oddities) / sizeof(oddities[0]) && !st; i++) {
		if (!(ck->bpb->oddities & oddities[i].oddity))
			continue;
		st = check_offer(ck, describe(ck, oddities[i].id), &fix, err);
		if (!st && fix)
			st = mend(ck, oddities[i].id, err);
	}
	return st;
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

/* It is done at the end, when nothing is left over. */
static enum status offer_mark(struct check *ck, enum problem_id id,
			      bool *clear, struct error *err)
{
	enum status st;
	bool fix;

	st = check_offer(ck, (struct finding){ .id = id }, &fix, err);
	if (!st && fix)
		*clear = true;
	return st;
}

/* Linux marks the state byte, Windows both: either one counts. */
static enum status check_marks(struct check *ck, struct error *err)
{
	struct repair *rep = ck->rep;
	bool unused = false;
	uint32_t clean, noerror;
	enum status st;

	/* What the volume said before we marked it. */
	if (rep && rep->outcome->rounds)
		return ST_OK;
	st = read_marks(ck, &clean, &noerror, err);
	if (!st && (!clean || (ck->bpb->state & BPB_STATE_DIRTY)))
		st = offer_mark(ck, PROBLEM_DIRTY,
				rep ? &rep->clear_dirty : &unused, err);
	if (!st && (!noerror || (ck->bpb->state & BPB_STATE_ERROR)))
		st = offer_mark(ck, PROBLEM_ERROR_MARK,
				rep ? &rep->clear_error : &unused, err);
	return st;
}

/* The volume was opened by the backup: the boot sector becomes that. */
static enum status restore_boot(struct check *ck, struct error *err)
{
	uint64_t at = (uint64_t)ck->bpb->backup_sec * ck->bpb->sector_bytes;
	uint8_t old[BOOT_BYTES], new[BOOT_BYTES];
	enum status st;
	bool fix;

	st = check_offer(ck, (struct finding){ .id = PROBLEM_BOOT_INVALID },
			 &fix, err);
	/* Nothing else is repaired without a boot sector. */
	ck->rep->locked = !fix;
	if (st || !fix)
		return st;
	st = blk_read(ck->vol->blk, 0, old, BOOT_BYTES, err);
	if (!st)
		st = blk_read(ck->vol->blk, at, new, BOOT_BYTES, err);
	return st ? st : repair_bytes(ck, REGION_BOOT, 0, old, new,
				      BOOT_BYTES, err);
}

enum status check_boot(struct check *ck, struct error *err)
{
	enum status st;

	if (ck->rep && ck->rep->opt->boot_backup && !ck->rep->outcome->rounds)
		return restore_boot(ck, err);
	st = note_oddities(ck, err);
	return st ? st : check_marks(ck, err);
}
