/*
 * check_boot.c - the boot sector, its backup, the state byte
 *
 * What bpb_decode() noticed becomes findings; what only fatfsck wants to know
 * is looked up here. format.md 1-30.
 */
#include <string.h>

#include "base/bytes.h"
#include "check/check_layout.h"
#include "check/repair_in.h"

#define MEDIA_DEFAULT	0xF8
#define AT_MEDIA	21
#define AT_FLAGS	40
#define AT_VERSION	42
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
	{ BPB_FAT32_FEW, PROBLEM_FAT32_FEW },
	{ BPB_FAT16_MANY, PROBLEM_FAT16_MANY },
	{ BPB_THRESHOLD, PROBLEM_TYPE_THRESHOLD },
	{ BPB_LABEL_TYPE, PROBLEM_TYPE_LABEL },
	{ BPB_ROOT_UNALIGNED, PROBLEM_ROOT_ENTRIES },
	{ BPB_VERSION, PROBLEM_FS_VERSION },
	{ BPB_ACTIVE_FAT, PROBLEM_ACTIVE_COPY },
	{ BPB_FSINFO_PLACE, PROBLEM_FSINFO_PLACE },
	{ BPB_BACKUP_PLACE, PROBLEM_BACKUP_PLACE },
};

/* The numbers that the sentence of a problem needs. */
static struct finding describe(const struct check *ck, enum problem_id id)
{
	const struct bpb *bpb = ck->bpb;
	struct finding f = { .id = id, .n = bpb->clusters_declared };

	switch (id) {
	case PROBLEM_MEDIA_BYTE:
		f.n = bpb->media;
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

/* Version 0:0, or flags that say: all copies count. */
static enum status write_zero(struct check *ck, uint64_t at,
			      struct error *err)
{
	static const uint8_t zero[2];
	uint8_t old[sizeof(zero)];
	enum status st = blk_read(ck->vol->blk, at, old, sizeof(old), err);

	return st ? st : repair_bytes(ck, REGION_BOOT, at, old, zero,
				      sizeof(zero), err);
}

static enum status mend(struct check *ck, enum problem_id id,
			struct error *err)
{
	switch (id) {
	case PROBLEM_MEDIA_BYTE:
		return write_media(ck, err);
	case PROBLEM_TYPE_LABEL:
		return write_type(ck, err);
	case PROBLEM_FS_VERSION:
		return write_zero(ck, AT_VERSION, err);
	default:
		ck->rep->geometry_changes = true;
		return write_zero(ck, AT_FLAGS, err);
	}
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

/* FAT[1] of a copy; an end mark if it can't be read. */
static enum status read_fat1(struct check *ck, unsigned copy, uint32_t *value,
			     struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t offset = bpb_fat_copy_offset(bpb, copy) +
			  fatent_offset(bpb->type, 1);
	uint8_t raw[4];
	enum status st;

	*value = fatent_eoc(bpb->type);
	if (!check_in_image(ck, offset, fatent_bytes(bpb->type)))
		return ST_OK;
	st = blk_read(ck->vol->blk, offset, raw, fatent_bytes(bpb->type), err);
	if (!st)
		*value = fatent_load(bpb->type, raw, 1);
	return st;
}

/* An end mark, whatever its two bits are that are marks of the volume? */
static bool is_fat1(const struct bpb *bpb, uint32_t value)
{
	return fatent_is_eoc(bpb->type, value | fatent_clean_bit(bpb->type) |
						fatent_noerror_bit(bpb->type));
}

/*
 * The bits, 0 = there is a mark: of the copy that is believed, or of the first
 * one in which they are no rubbish, as that will be the one in the end.
 */
static enum status read_marks(struct check *ck, uint32_t *clean,
			      uint32_t *noerror, struct error *err)
{
	unsigned copy = ck->bpb->active_fat, copies = ck->bpb->fat_copies;
	const struct repair *rep = ck->rep;
	enum fat_type type = ck->bpb->type;
	enum status st = ST_OK;
	uint32_t value = 0;

	*clean = *noerror = 1;
	if (type == FAT12)
		return ST_OK;
	if (rep && rep->opt->use_fat)
		copy = rep->opt->use_fat - 1;
	st = read_fat1(ck, copy, &value, err);
	for (copy = 0; copy < copies && ck->bpb->mirrored && !st &&
		       !is_fat1(ck->bpb, value); copy++)
		st = read_fat1(ck, copy, &value, err);
	if (st || !is_fat1(ck->bpb, value))
		return st;
	*clean = value & fatent_clean_bit(type);
	*noerror = value & fatent_noerror_bit(type);
	return ST_OK;
}

static enum status offer_mark(struct check *ck, enum problem_id id,
			      bool *clear, bool *keep, struct error *err)
{
	enum status st;
	bool fix;

	st = check_offer(ck, (struct finding){ .id = id }, &fix, err);
	if (!st)
		*(fix ? clear : keep) = true;
	return st;
}

/* In later rounds the volume says what we say. */
static enum status note_kept_marks(struct check *ck, struct error *err)
{
	enum status st = ST_OK;

	if (ck->rep->keep_dirty)
		st = check_note(ck, PROBLEM_DIRTY, 0, 0, err);
	if (!st && ck->rep->keep_error)
		st = check_note(ck, PROBLEM_ERROR_MARK, 0, 0, err);
	return st;
}

/* Linux marks the state byte, Windows both: either one counts. */
static enum status check_marks(struct check *ck, struct error *err)
{
	struct repair *rep = ck->rep;
	bool unused = false;
	uint32_t clean, noerror;
	enum status st;

	/* What the volume said before we marked it, or could not say yet. */
	if (rep && rep->outcome->rounds > rep->opt->boot_backup)
		return note_kept_marks(ck, err);
	st = read_marks(ck, &clean, &noerror, err);
	if (!st && (!clean || (ck->bpb->state & BPB_STATE_DIRTY)))
		st = offer_mark(ck, PROBLEM_DIRTY,
				rep ? &rep->clear_dirty : &unused,
				rep ? &rep->keep_dirty : &unused, err);
	if (!st && (!noerror || (ck->bpb->state & BPB_STATE_ERROR)))
		st = offer_mark(ck, PROBLEM_ERROR_MARK,
				rep ? &rep->clear_error : &unused,
				rep ? &rep->keep_error : &unused, err);
	return st;
}

/*
 * Around the limits between the types not all agree on which one it is
 * (format.md 2). Is the FAT as long as the type needs, and FAT[1] an end mark
 * of it?
 */
static enum status check_type(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	bool fits = !(bpb->oddities & BPB_FAT_SHORT);
	uint32_t value;
	enum status st;

	if (!(bpb->oddities & BPB_THRESHOLD))
		return ST_OK;
	if (fits) {
		st = read_fat1(ck, bpb->active_fat, &value, err);
		if (st)
			return st;
		fits = is_fat1(bpb, value);
	}
	if (fits)
		return ST_OK;
	if (ck->rep)
		ck->rep->locked = true;
	return check_note(ck, PROBLEM_TYPE_DOUBT, 0, 0, err);
}

enum status check_boot(struct check *ck, struct error *err)
{
	struct repair *rep = ck->rep;
	const struct bpb *bpb = ck->bpb;
	bool wrong, fix = false;
	uint64_t at = (uint64_t)bpb->backup_sec * bpb->sector_bytes;
	enum status st;

	/* The volume was opened by the backup. */
	if (rep && rep->opt->boot_backup && !rep->outcome->rounds) {
		st = check_restore_boot(ck, PROBLEM_BOOT_INVALID, at, &fix,
					err);
		/* Nothing else is repaired without a boot sector. */
		rep->locked = !fix;
		return st;
	}
	st = check_type(ck, err);
	if (st)
		return st;
	st = check_backup_fits(ck, &at, &wrong, err);
	if (!st && wrong)
		st = check_restore_boot(ck, PROBLEM_BOOT_MISFIT, at, &fix,
					err);
	else if (!st)
		st = check_layout(ck, &wrong, &fix, err);
	if (!st && !wrong)
		st = check_total(ck, &wrong, &fix, err);
	if (!st && !wrong)
		st = check_clusters(ck, &wrong, &fix, err);
	/* By a wrong one every repair would be wrong. */
	if (!st && wrong && rep)
		rep->locked = !fix;
	if (!st && !fix)
		st = note_oddities(ck, err);
	return st ? st : check_marks(ck, err);
}
