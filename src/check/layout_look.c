/*
 * layout_look.c - is there a FAT where a boot sector says, and a root?
 *
 * Each is known by how it begins: FAT[0] and FAT[1], the entries of the root,
 * and the dot entries of the directories that these lead to. format.md 8, 10,
 * 34.
 */
#include "check/layout_look.h"

#include <string.h>

#include "base/bytes.h"
#include "check/dirlook.h"
#include "fat/dirent.h"

#define PIECE_BYTES 512u

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

enum status layout_has_fat(struct check *ck, enum fat_type type, uint64_t at,
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

bool layout_is_slot(const struct bpb *bpb, const uint8_t *slot)
{
	clus_t clus = dirent_clus(bpb->type, slot);

	if (dirlook_is_hopeless(slot))
		return false;
	if (dirent_is_lfn(slot))
		return !get_le16(slot + DIRENT_AT_CLUS_LOW);
	return !dirent_is_dot(slot) && (!clus || bpb_has_clus(bpb, clus));
}

static enum root_look judge_root(const struct bpb *bpb, const uint8_t *slots)
{
	unsigned i, fit = 0, n = 0;

	/* That is another directory. */
	if (dirent_is_dot(slots))
		return ROOT_NONE;
	for (i = 0; i < PIECE_BYTES && slots[i] != DIRENT_END;
	     i += DIRENT_BYTES, n++)
		fit += layout_is_slot(bpb, slots + i);
	if (!n)
		return ROOT_EMPTY;
	return fit > n - fit ? ROOT_ENTRIES : ROOT_NONE;
}

static bool leads_to(const struct bpb *bpb, const uint8_t *slot,
		     const char *name, clus_t c)
{
	return dirent_is_dir(slot) && dirent_clus(bpb->type, slot) == c &&
	       !memcmp(slot, name, DIRENT_NAME_BYTES);
}

static enum status look_at_dir(struct check *ck, const struct bpb *bpb,
			       clus_t c, struct layout_look *look,
			       struct error *err)
{
	uint8_t slots[2 * DIRENT_BYTES] = { 0 };
	const uint8_t *dotdot = slots + DIRENT_BYTES;
	enum status st = ST_OK;
	uint64_t at = 0;

	if (bpb_has_clus(bpb, c))
		at = bpb_clus_offset(bpb, c);
	if (at && check_in_image(ck, at, sizeof(slots)))
		st = blk_read(ck->vol->blk, at, slots, sizeof(slots), err);
	/* Some write the number of the root, where there is one. */
	if (leads_to(bpb, slots, ".          ", c) &&
	    (leads_to(bpb, dotdot, "..         ", 0) ||
	     leads_to(bpb, dotdot, "..         ", bpb->root_clus)))
		look->dirs_right++;
	else
		look->dirs_wrong++;
	return st;
}

static enum status look_at_dirs(struct check *ck, const struct bpb *bpb,
				const uint8_t *slots,
				struct layout_look *look, struct error *err)
{
	enum status st = ST_OK;
	unsigned i;

	for (i = 0; i < PIECE_BYTES && slots[i] != DIRENT_END && !st;
	     i += DIRENT_BYTES)
		if (slots[i] != DIRENT_DELETED && dirent_is_dir(slots + i))
			st = look_at_dir(ck, bpb,
					 dirent_clus(bpb->type, slots + i),
					 look, err);
	return st;
}

enum status layout_look_at_root(struct check *ck, const struct bpb *bpb,
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
	if (st)
		return st;
	/* That of a FAT12 or FAT16 has entries. */
	if (is_fat_head(bpb->type, slots) ||
	    (bpb->type != FAT32 && !bpb->root_bytes))
		look->root = ROOT_NONE;
	else
		look->root = judge_root(bpb, slots);
	return look->root == ROOT_ENTRIES ?
	       look_at_dirs(ck, bpb, slots, look, err) : ST_OK;
}

enum status layout_look(struct check *ck, const struct bpb *bpb,
			struct layout_look *look, struct error *err)
{
	enum status st = ST_OK;
	unsigned copy;
	bool yes;

	*look = (struct layout_look){ 0 };
	for (copy = 0; copy < bpb->fat_copies && !st; copy++) {
		if (!bpb->mirrored && copy != bpb->active_fat)
			continue;
		st = layout_has_fat(ck, bpb->type,
				    bpb_fat_copy_offset(bpb, copy), &yes, err);
		if (!st)
			++*(yes ? &look->fats : &look->faults);
	}
	if (!st)
		st = layout_has_fat(ck, bpb->type,
				    bpb_fat_copy_offset(bpb, bpb->fat_copies),
				    &yes, err);
	if (!st && yes)
		look->faults++;
	return st ? st : layout_look_at_root(ck, bpb, look, err);
}

bool layout_fat_fits(const struct bpb *bpb)
{
	uint64_t needed = fatent_offset(bpb->type, bpb->last_clus + 1);

	return !(bpb->oddities & BPB_FAT_SHORT) &&
	       bpb->fat_bytes / 3 * 2 <= needed + bpb->sector_bytes;
}
