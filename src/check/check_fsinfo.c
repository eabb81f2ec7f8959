/*
 * check_fsinfo.c - the FSInfo sector and its backup against what was counted
 *
 * Runs last, when it is known what the FAT will hold. The backup is never
 * kept up to date by Windows or Linux, so what it says is only told, never
 * damage. Once the FAT has been changed here, a wrong count is nobody's
 * fault: both are corrected without a word.
 */
#include <string.h>

#include "base/bytes.h"
#include "check/repair_in.h"
#include "fat/fsinfo.h"

#define COUNTS_BYTES 8

static enum status read_info(struct check *ck, uint32_t sector,
			     struct fsinfo *info, bool *there,
			     struct error *err)
{
	uint64_t offset = (uint64_t)sector * ck->bpb->sector_bytes;
	uint8_t raw[FSINFO_BYTES];
	enum status st;

	*there = sector && check_in_image(ck, offset, FSINFO_BYTES);
	if (!*there)
		return ST_OK;
	st = blk_read(ck->vol->blk, offset, raw, FSINFO_BYTES, err);
	if (!st)
		fsinfo_decode(raw, info);
	return st;
}

static bool free_is_wrong(const struct check *ck, const struct fsinfo *info)
{
	/* What a short FAT leaves out, nobody can count. */
	if (ck->bpb->oddities & BPB_FAT_SHORT)
		return false;
	return info->free != FSINFO_UNKNOWN &&
	       info->free != ck->res->summary.clusters_free;
}

/* Free when this round's edits are written; not known with a short FAT. */
static uint32_t free_then(const struct check *ck)
{
	const struct repair *rep = ck->rep;
	uint64_t free = ck->res->summary.clusters_free;

	if (ck->bpb->oddities & BPB_FAT_SHORT)
		return FSINFO_UNKNOWN;
	return (uint32_t)(free + rep->freed - rep->taken);
}

static bool hint_is_wrong(const struct check *ck, const struct fsinfo *info)
{
	return info->next != FSINFO_UNKNOWN &&
	       !bpb_has_clus(ck->bpb, info->next);
}

/* Of a sector with its signatures. */
static enum status write_counts(struct check *ck, uint32_t sector,
				const struct fsinfo *info, struct error *err)
{
	uint64_t at = (uint64_t)sector * ck->bpb->sector_bytes;
	uint8_t old[COUNTS_BYTES], new[COUNTS_BYTES];

	put_le32(old, info->free);
	put_le32(old + 4, info->next);
	put_le32(new, free_then(ck));
	put_le32(new + 4, hint_is_wrong(ck, info) ? FSINFO_UNKNOWN
						  : info->next);
	if (!memcmp(old, new, COUNTS_BYTES))
		return ST_OK;
	return repair_bytes(ck, REGION_FSINFO, at + FSINFO_FREE_OFFSET, old,
			    new, COUNTS_BYTES, err);
}

/* The next round fills in the counts. */
static enum status write_signatures(struct check *ck, struct error *err)
{
	static const struct {
		uint32_t at;
		uint8_t value[4];
	} signatures[] = {
		{ 0, { 'R', 'R', 'a', 'A' } },
		{ 484, { 'r', 'r', 'A', 'a' } },
		{ FSINFO_FREE_OFFSET, { 0xFF, 0xFF, 0xFF, 0xFF } },
		{ FSINFO_NEXT_OFFSET, { 0xFF, 0xFF, 0xFF, 0xFF } },
		{ 508, { 0, 0, 0x55, 0xAA } },
	};
	uint64_t at = (uint64_t)ck->bpb->fsinfo_sec * ck->bpb->sector_bytes;
	uint8_t old[FSINFO_BYTES];
	enum status st;
	size_t i;

	st = blk_read(ck->vol->blk, at, old, FSINFO_BYTES, err);
	for (i = 0; i < sizeof(signatures) / sizeof(signatures[0]) && !st; i++)
		st = repair_bytes(ck, REGION_FSINFO, at + signatures[i].at,
				  old + signatures[i].at, signatures[i].value,
				  4, err);
	ck->rep->fat_touched = true;
	return st;
}

/* Legal: Linux writes the last one that it took (format.md 13). */
static enum status note_used_hint(struct check *ck, const struct fsinfo *info,
				  struct error *err)
{
	uint32_t value;
	enum status st;

	if (info->next == FSINFO_UNKNOWN || hint_is_wrong(ck, info))
		return ST_OK;
	st = check_get(ck, info->next, &value, err);
	if (st || value == FATENT_FREE)
		return st;
	return check_note(ck, PROBLEM_FSINFO_USED, info->next, 0, err);
}

static enum status judge_primary(struct check *ck, const struct fsinfo *info,
				 struct error *err)
{
	uint64_t free = ck->res->summary.clusters_free;
	bool fix_free = false, fix_next = false;
	enum status st = ST_OK;

	if (free_is_wrong(ck, info))
		st = check_offer(ck, (struct finding){
			.id = PROBLEM_FSINFO_FREE, .n = info->free,
			.m = free }, &fix_free, err);
	if (!st && hint_is_wrong(ck, info))
		st = check_offer(ck, (struct finding){
			.id = PROBLEM_FSINFO_NEXT, .n = info->next },
			&fix_next, err);
	if (!st)
		st = note_used_hint(ck, info, err);
	if (st || (!fix_free && !fix_next))
		return st;
	return write_counts(ck, ck->bpb->fsinfo_sec, info, err);
}

static enum status judge_invalid(struct check *ck, struct error *err)
{
	enum status st;
	bool fix;

	st = check_offer(ck, (struct finding){
		.id = PROBLEM_FSINFO_INVALID, .n = ck->bpb->fsinfo_sec },
		&fix, err);
	return st || !fix ? st : write_signatures(ck, err);
}

/* Does this round, or did one before, change what is free? */
static bool is_ours(const struct check *ck)
{
	const struct repair *rep = ck->rep;

	return rep && !rep->locked && (rep->fat_touched || rep->freed ||
				       rep->taken);
}

static enum status judge_backup(struct check *ck, const struct fsinfo *info,
				struct error *err)
{
	if (!info->valid)
		return check_note(ck, PROBLEM_FSINFO_BACKUP,
				  ck->bpb->fsinfo_backup_sec, 0, err);
	if (is_ours(ck))
		return write_counts(ck, ck->bpb->fsinfo_backup_sec, info, err);
	if (free_is_wrong(ck, info))
		return check_note(ck, PROBLEM_FSINFO_BACKUP_FREE, info->free,
				  ck->res->summary.clusters_free, err);
	return ST_OK;
}

enum status check_fsinfo(struct check *ck, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	struct fsinfo info;
	enum status st;
	bool there;

	if (bpb->type != FAT32 || (bpb->oddities & BPB_FSINFO_PLACE))
		return ST_OK;
	if (!bpb->fsinfo_sec)
		return check_note(ck, PROBLEM_FSINFO_NONE, 0, 0, err);
	st = read_info(ck, bpb->fsinfo_sec, &info, &there, err);
	if (!st && there && !info.valid)
		st = judge_invalid(ck, err);
	else if (!st && there && is_ours(ck))
		st = write_counts(ck, bpb->fsinfo_sec, &info, err);
	else if (!st && there)
		st = judge_primary(ck, &info, err);
	if (!st)
		st = read_info(ck, bpb->fsinfo_backup_sec, &info, &there,
			       err);
	if (!st && there)
		st = judge_backup(ck, &info, err);
	return st;
}
