/*
 * check_fsinfo.c - the FSInfo sector and its backup against what was counted
 *
 * Runs after the pass over the FAT. The backup is never kept up to date by
 * Windows or Linux, so what it says is only told, never damage.
 */
#include "check/work.h"
#include "fat/fsinfo.h"

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

static enum status judge_primary(struct check *ck, const struct fsinfo *info,
				 struct error *err)
{
	uint64_t free = ck->res->summary.clusters_free;
	enum status st = ST_OK;

	if (!info->valid)
		return check_note(ck, PROBLEM_FSINFO_INVALID,
				  ck->bpb->fsinfo_sec, 0, err);
	if (free_is_wrong(ck, info))
		st = check_note(ck, PROBLEM_FSINFO_FREE, info->free, free,
				err);
	if (!st && info->next != FSINFO_UNKNOWN &&
	    !bpb_has_clus(ck->bpb, info->next))
		st = check_note(ck, PROBLEM_FSINFO_NEXT, info->next, 0, err);
	return st;
}

static enum status judge_backup(struct check *ck, const struct fsinfo *info,
				struct error *err)
{
	if (!info->valid)
		return check_note(ck, PROBLEM_FSINFO_BACKUP,
				  ck->bpb->fsinfo_backup_sec, 0, err);
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
	if (!st && there)
		st = judge_primary(ck, &info, err);
	if (!st)
		st = read_info(ck, bpb->fsinfo_backup_sec, &info, &there,
			       err);
	if (!st && there)
		st = judge_backup(ck, &info, err);
	return st;
}
