/*
 * check_layout.c - is there a FAT where the boot sector says, and a root?
 *
 * One wrong byte in the boot sector moves everything behind it, and a repair
 * that goes by it would write copies of the FAT over files. So what is at
 * those places counts. format.md 10, 17.
 */
#include "check/check_layout.h"

#include "base/bytes.h"
#include "check/dirlook.h"
#include "check/repair_in.h"

#define AT_COPIES	16
#define AT_FAT16_SEC	22
#define PIECE_BYTES	512u
#define FAT16_SEC_MAX	256u /* no FAT12 or FAT16 needs more */

/* What is in the first sector of a root. */
enum root_look {
	ROOT_NONE, /* something else, or it is not there */
	ROOT_EMPTY,
	ROOT_ENTRIES,
};

struct layout_look {
	unsigned fats;	 /* copies that begin as a FAT does */
	unsigned faults; /* copies that don't, and a FAT where none should be */
	enum root_look root;
};

/* Entries 0 and 1; FAT[1] of a FAT32 may be anything (format.md 11). */
static bool is_fat_head(enum fat_type type, const uint8_t *raw)
{
	uint32_t top = fatent_mask(type) & ~0xFFu;
	uint32_t value = fatent_load(type, raw, 0);

	if ((value & top) != top || (value & 0xFF) < 0xF0)
		return false;
	value = fatent_load(type, raw + fatent_offset(type, 1), 1);
	return type == FAT32 ||
	       fatent_is_eoc(type, value | fatent_clean_bit(type) |
				   fatent_noerror_bit(type));
}

static enum status has_fat(struct check *ck, enum fat_type type, uint64_t at,
			   bool *yes, struct error *err)
{
	uint8_t raw[8];
	enum status st;

	*yes = check_in_image(ck, at, sizeof(raw));
	if (!*yes)
		return ST_OK;
	st = blk_read(ck->vol->blk, at, raw, sizeof(raw), err);
	*yes = !st && is_fat_head(type, raw);
	return st;
}

static enum root_look judge_root(const uint8_t *slots)
{
	enum root_look look = ROOT_EMPTY;
	unsigned i;

	for (i = 0; i < PIECE_BYTES && slots[i] != DIRENT_END;
	     i += DIRENT_BYTES) {
		if (slots[i] == DIRENT_DELETED)
			continue;
		if (dirlook_is_hopeless(slots + i))
			return ROOT_NONE;
		look = ROOT_ENTRIES;
	}
	return look;
}

static enum status look_at_root(struct check *ck, const struct bpb *bpb,
				struct layout_look *look, struct error *err)
{
	uint64_t at = bpb->root_offset_bytes;
	uint8_t slots[PIECE_BYTES];
	enum status st;

	if (bpb->type == FAT32) {
		if (!bpb_has_clus(bpb, bpb->root_clus))
			return ST_OK;
		at = bpb_clus_offset(bpb, bpb->root_clus);
	}
	if (!check_in_image(ck, at, PIECE_BYTES))
		return ST_OK;
	st = blk_read(ck->vol->blk, at, slots, PIECE_BYTES, err);
	if (!st && !is_fat_head(bpb->type, slots))
		look->root = judge_root(slots);
	return st;
}

static enum status look_at(struct check *ck, const struct bpb *bpb,
			   struct layout_look *look, struct error *err)
{
	enum status st = ST_OK;
	unsigned copy;
	bool yes;

	*look = (struct layout_look){ 0 };
	for (copy = 0; copy < bpb->fat_copies && !st; copy++) {
		if (!bpb->mirrored && copy != bpb->active_fat)
			continue;
		st = has_fat(ck, bpb->type, bpb_fat_copy_offset(bpb, copy),
			     &yes, err);
		if (!st)
			++*(yes ? &look->fats : &look->faults);
	}
	if (!st)
		st = has_fat(ck, bpb->type,
			     bpb_fat_copy_offset(bpb, bpb->fat_copies), &yes,
			     err);
	if (!st && yes)
		look->faults++;
	return st ? st : look_at_root(ck, bpb, look, err);
}

enum status check_layout_beats(struct check *ck, const struct bpb *b,
			       bool *yes, struct error *err)
{
	struct layout_look here, there = { 0 };
	enum status st = look_at(ck, ck->bpb, &here, err);

	if (!st)
		st = look_at(ck, b, &there, err);
	*yes = !st && there.faults < here.faults &&
	       (there.fats > here.fats ||
		(there.fats && there.fats == here.fats &&
		 there.root >= here.root));
	return st;
}

static void place(struct bpb *b, uint32_t copies, uint32_t fat_sec)
{
	uint64_t root_bytes = b->data_offset_bytes - b->root_offset_bytes;

	if (b->type == FAT32)
		root_bytes = 0;
	b->fat_copies = copies;
	b->fat_sec = fat_sec;
	b->fat_bytes = (uint64_t)fat_sec * b->sector_bytes;
	b->root_offset_bytes = bpb_fat_copy_offset(b, copies);
	b->data_offset_bytes = b->root_offset_bytes + root_bytes;
}

/* A FAT12 or FAT16: how far it is to the next sector that begins a FAT. */
static enum status find_distance(struct check *ck, uint32_t *sectors,
				 struct error *err)
{
	const struct bpb *a = ck->bpb;
	enum status st = ST_OK;
	bool found = false;
	uint32_t n;

	for (n = 1; n <= FAT16_SEC_MAX && !found && !st; n++) {
		st = has_fat(ck, a->type, a->fat_offset_bytes +
			     (uint64_t)n * a->sector_bytes, &found, err);
		*sectors = n;
	}
	if (!found)
		*sectors = a->fat_sec;
	return st;
}

/* What FATs are there from the first one on? */
static enum status find_layout(struct check *ck, struct bpb *b,
			       struct error *err)
{
	const struct bpb *a = ck->bpb;
	uint32_t sectors = a->fat_sec, copies;
	enum status st = ST_OK;
	bool yes = true;

	*b = *a;
	if (a->type != FAT32)
		st = find_distance(ck, &sectors, err);
	for (copies = 0; yes && copies <= 15 && !st; copies++)
		st = has_fat(ck, a->type, a->fat_offset_bytes +
			     (uint64_t)copies * sectors * a->sector_bytes,
			     &yes, err);
	copies -= !yes;
	if (!st && copies)
		place(b, copies, sectors);
	return st;
}

static enum status write_layout(struct check *ck, const struct bpb *b,
				struct error *err)
{
	const struct bpb *a = ck->bpb;
	uint8_t old[2], new[2];
	enum status st = ST_OK;

	ck->rep->geometry_changes = true;
	old[0] = (uint8_t)a->fat_copies;
	new[0] = (uint8_t)b->fat_copies;
	if (a->fat_copies != b->fat_copies)
		st = repair_bytes(ck, REGION_BOOT, AT_COPIES, old, new, 1,
				  err);
	if (st || a->fat_sec == b->fat_sec)
		return st;
	put_le16(old, (uint16_t)a->fat_sec);
	put_le16(new, (uint16_t)b->fat_sec);
	return repair_bytes(ck, REGION_BOOT, AT_FAT16_SEC, old, new, 2, err);
}

enum status check_layout(struct check *ck, bool *wrong, bool *fix,
			 struct error *err)
{
	struct layout_look here, there = { 0 };
	struct bpb b = { 0 };
	enum status st;

	*wrong = *fix = false;
	if (!ck->bpb->mirrored)
		return ST_OK;
	st = look_at(ck, ck->bpb, &here, err);
	if (st || !here.faults || here.root == ROOT_ENTRIES)
		return st;
	st = find_layout(ck, &b, err);
	if (!st)
		st = look_at(ck, &b, &there, err);
	*wrong = !st && !there.faults && there.root == ROOT_ENTRIES;
	if (st || !*wrong)
		return st;
	st = check_offer(ck, (struct finding){
		.id = PROBLEM_BOOT_LAYOUT, .n = b.fat_copies, .m = b.fat_sec },
		fix, err);
	return st || !*fix ? st : write_layout(ck, &b, err);
}
