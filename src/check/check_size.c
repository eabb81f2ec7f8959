/*
 * check_size.c - a boot sector that promises more than there is
 *
 * More clusters than the FAT has entries for: every system clamps, nobody can
 * use them. More sectors than the image has: harmless as long as no cluster
 * in use is among them. In both cases the total of sectors can be made to
 * agree with what is there, unless systems would take the volume for another
 * FAT type then. format.md 5, 30.
 */
#include "base/bytes.h"
#include "base/ckd.h"
#include "check/repair_in.h"

#define AT_TOTAL16 19
#define AT_TOTAL32 32

/* Smaller ones are another type, or there is doubt (format.md 2, 3). */
#define FAT16_MIN 4087
#define FAT32_MIN 65526

static uint64_t data_sec(const struct bpb *bpb)
{
	return bpb->data_offset_bytes / bpb->sector_bytes;
}

static bool type_stays(const struct bpb *bpb, uint64_t total_sec)
{
	uint64_t clusters;

	if (total_sec <= data_sec(bpb))
		return false;
	clusters = (total_sec - data_sec(bpb)) / bpb->cluster_sec;
	switch (bpb->type) {
	case FAT12:
		return clusters > 0;
	case FAT16:
		return clusters >= FAT16_MIN;
	default:
		return clusters >= FAT32_MIN ||
		       (clusters && (bpb->oddities & BPB_FAT32_FEW));
	}
}

/* Is a cluster in use that does not lie in the image as a whole? */
static enum status is_used_beyond(struct check *ck, bool *used,
				  struct error *err)
{
	uint32_t value;
	uint64_t c = MAX(ck->image_last_clus + 1, 2);
	enum status st = ST_OK;

	*used = false;
	for (; c <= ck->bpb->last_clus && !*used && !st; c++) {
		st = check_get(ck, (clus_t)c, &value, err);
		*used = fatent_is_used(ck->bpb->type, value);
		if (!st)
			st = check_tick(ck, err);
	}
	return st;
}

/* Adds f, whose repair is that there are total_sec sectors; *total: so far. */
static enum status offer(struct check *ck, struct finding f, bool can,
			 uint64_t total_sec, uint64_t *total,
			 struct error *err)
{
	enum status st;
	bool fix;

	if (!can || !type_stays(ck->bpb, total_sec))
		return check_add(ck, f, err);
	st = check_offer(ck, f, &fix, err);
	if (!st && fix)
		*total = MIN(*total, total_sec);
	return st;
}

static enum status judge_fat(struct check *ck, uint64_t *total,
			     struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	struct finding f = { .id = PROBLEM_FAT_SHORT,
			     .n = bpb->clusters,
			     .m = bpb->clusters_declared };

	if (!(bpb->oddities & BPB_FAT_SHORT))
		return ST_OK;
	return offer(ck, f, ck->res->fat_read,
		     data_sec(bpb) + (uint64_t)bpb->clusters *
					     bpb->cluster_sec,
		     total, err);
}

static enum status judge_image(struct check *ck, uint64_t *total,
			       struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t bytes = ck->vol->blk->size_bytes;
	struct finding f = { .id = PROBLEM_TRUNCATED,
			     .n = bytes,
			     .m = bpb->total_sec * bpb->sector_bytes };
	enum status st = ST_OK;
	bool used = true;

	if (!(bpb->oddities & BPB_TRUNCATED))
		return ST_OK;
	if (ck->res->fat_read)
		st = is_used_beyond(ck, &used, err);
	return st ? st : offer(ck, f, !used, bytes / bpb->sector_bytes, total,
			       err);
}

/*
 * In the field that counts; it only gets smaller, so it fits. No cluster that
 * the round goes by changes; FSInfo's count may.
 */
static enum status write_total(struct check *ck, uint64_t total_sec,
			       struct error *err)
{
	uint8_t old[4], new[4];
	uint64_t at = AT_TOTAL16;
	uint32_t len = 2;
	enum status st;

	ck->rep->fat_touched = true;
	st = blk_read(ck->vol->blk, at, old, 2, err);
	if (!st && !get_le16(old)) {
		at = AT_TOTAL32;
		len = 4;
		st = blk_read(ck->vol->blk, at, old, 4, err);
	}
	put_le32(new, (uint32_t)total_sec);
	return st ? st : repair_bytes(ck, REGION_BOOT, at, old, new, len, err);
}

enum status check_size(struct check *ck, struct error *err)
{
	uint64_t total = ck->bpb->total_sec;
	enum status st;

	st = judge_fat(ck, &total, err);
	if (!st)
		st = judge_image(ck, &total, err);
	if (st || total == ck->bpb->total_sec)
		return st;
	return write_total(ck, total, err);
}
