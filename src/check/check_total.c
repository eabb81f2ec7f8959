/*
 * check_total.c - does the FAT belie the number of sectors?
 *
 * With too few of them files end at clusters that are said not to be there,
 * and the FAT may be read as one of another type. A FAT is as long as the
 * clusters need. So if it is too long for them, but right for the image, and
 * either has clusters in use behind them or would be of another type, there
 * are as many as the image has. format.md 1, 6, 19.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/ckd.h"
#include "check/check_layout.h"
#include "check/layout_look.h"
#include "check/repair_in.h"

#define BOOT_BYTES 512
#define AT_TOTAL16 19
#define AT_TOTAL32 32

/* Is an entry in use that only b has? What is behind these is none. */
static enum status has_more(struct check *ck, const struct bpb *b, bool *yes,
			    struct error *err)
{
	uint64_t at = bpb_fat_copy_offset(b, b->active_fat), n;
	uint64_t i = fatent_offset(b->type, ck->bpb->last_clus + 2);
	uint64_t end = fatent_offset(b->type, b->last_clus + 1);
	uint8_t raw[BOOT_BYTES];
	enum status st = ST_OK;

	*yes = false;
	for (; i < end && !*yes && !st; i += n) {
		n = MIN(sizeof(raw), end - i);
		st = blk_read(ck->vol->blk, at + i, raw, (size_t)n, err);
		*yes = !st && (raw[0] || memcmp(raw, raw + 1, (size_t)n - 1));
		if (!st)
			st = check_tick(ck, err);
	}
	return st;
}

/* Does the volume have as many sectors as that boot sector says? */
static enum status weigh(struct check *ck, const uint8_t *boot, struct bpb *b,
			 bool *yes, struct error *err)
{
	uint64_t size = ck->vol->blk->size_bytes;

	*yes = false;
	if (bpb_decode(boot, size, b, NULL) || !layout_fat_fits(b) ||
	    (b->oddities & BPB_TRUNCATED))
		return ST_OK;
	*yes = b->type != ck->bpb->type;
	return *yes || b->clusters <= ck->bpb->clusters ?
	       ST_OK : has_more(ck, b, yes, err);
}

static enum status write_field(struct check *ck, uint64_t at, uint32_t len,
			       const uint8_t *boot, const uint8_t *new,
			       struct error *err)
{
	ck->rep->geometry_changes = true;
	if (!memcmp(boot + at, new + at, len))
		return ST_OK;
	return repair_bytes(ck, REGION_BOOT, at, boot + at, new + at, len,
			    err);
}

/* The totals that there may be instead. */
static bool make_boot(const struct check *ck, unsigned which, uint8_t *boot)
{
	uint64_t sec = ck->vol->blk->size_bytes / ck->bpb->sector_bytes;

	if (!which) {
		put_le16(boot + AT_TOTAL16, 0);
		return true;
	}
	if (get_le16(boot + AT_TOTAL16) && sec <= UINT16_MAX)
		put_le16(boot + AT_TOTAL16, (uint16_t)sec);
	else if (!get_le16(boot + AT_TOTAL16) && sec <= UINT32_MAX)
		put_le32(boot + AT_TOTAL32, (uint32_t)sec);
	else
		return false;
	return true;
}

enum status check_total(struct check *ck, bool *wrong, bool *fix,
			struct error *err)
{
	uint8_t boot[BOOT_BYTES], new[BOOT_BYTES];
	enum status st = ST_OK;
	struct bpb b = { 0 };
	unsigned which;

	*wrong = *fix = false;
	if (layout_fat_fits(ck->bpb))
		return ST_OK;
	st = blk_read(ck->vol->blk, 0, boot, sizeof(boot), err);
	for (which = 0; which < 2 && !*wrong && !st; which++) {
		memcpy(new, boot, sizeof(new));
		if (make_boot(ck, which, new))
			st = weigh(ck, new, &b, wrong, err);
	}
	if (st || !*wrong)
		return st;
	st = check_offer(ck, (struct finding){
		.id = PROBLEM_BOOT_TOTAL,
		.n = ck->bpb->total_sec,
		.m = b.total_sec }, fix, err);
	if (!st && *fix)
		st = write_field(ck, AT_TOTAL16, 2, boot, new, err);
	if (!st && *fix)
		st = write_field(ck, AT_TOTAL32, 4, boot, new, err);
	return st;
}
