/*
 * check_total.c - does the FAT belie the number of sectors?
 *
 * With too few or too many of them the FAT may be read as one of another type.
 * A FAT is as long as the clusters need. So if it is too long for them, or too
 * short, but right for those of the image, which are of another type, there
 * are as many as the image has. If the image goes on behind the volume nobody
 * knows how many there are, but the type is in doubt. format.md 1, 6, 19.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/ckd.h"
#include "check/check_layout.h"
#include "check/layout_look.h"
#include "check/repair_in.h"

#define AT_TOTAL16 19
#define AT_TOTAL32 32

/* The field that counts, if it has room. */
static void set_total(uint8_t *boot, uint64_t sec)
{
	if (get_le16(boot + AT_TOTAL16) && sec <= UINT16_MAX) {
		put_le16(boot + AT_TOTAL16, (uint16_t)sec);
	} else {
		put_le16(boot + AT_TOTAL16, 0);
		put_le32(boot + AT_TOTAL32, (uint32_t)sec);
	}
}

enum status total_make(struct check *ck, enum total_source source,
		       uint64_t most, struct total *total, bool *can,
		       struct error *err)
{
	uint64_t size = ck->vol->blk->size_bytes;
	uint64_t sec = MIN(size / ck->bpb->sector_bytes, UINT32_MAX);
	enum status st;

	st = blk_read(ck->vol->blk, 0, total->old, sizeof(total->old), err);
	if (st)
		return st;
	memcpy(total->new, total->old, sizeof(total->new));
	if (source == TOTAL_FIELD32)
		put_le16(total->new + AT_TOTAL16, 0);
	else
		set_total(total->new, MIN(sec, most));
	*can = !bpb_decode(total->new, size, &total->bpb, NULL) &&
	       !(total->bpb.oddities & BPB_TRUNCATED);
	return ST_OK;
}

static enum status write_field(struct check *ck, const struct total *total,
			       uint64_t at, uint32_t len, struct error *err)
{
	if (!memcmp(total->old + at, total->new + at, len))
		return ST_OK;
	return repair_bytes(ck, REGION_BOOT, at, total->old + at,
			    total->new + at, len, err);
}

enum status total_offer(struct check *ck, const struct total *total,
			bool *fix, struct error *err)
{
	enum status st = check_offer(ck, (struct finding){
		.id = PROBLEM_BOOT_TOTAL,
		.n = ck->bpb->total_sec,
		.m = total->bpb.total_sec }, fix, err);

	if (st || !*fix)
		return st;
	ck->rep->geometry_changes = true;
	st = write_field(ck, total, AT_TOTAL16, 2, err);
	return st ? st : write_field(ck, total, AT_TOTAL32, 4, err);
}

enum status check_total(struct check *ck, bool *wrong, bool *fix,
			struct error *err)
{
	enum status st = ST_OK;
	enum total_source from;
	struct total total;
	bool can;

	*wrong = *fix = false;
	if (layout_fat_fits(ck->bpb))
		return ST_OK;
	for (from = 0; from < TOTALS && !st; from++) {
		st = total_make(ck, from, UINT64_MAX, &total, &can, err);
		*wrong = !st && can && layout_fat_fits(&total.bpb) &&
			 total.bpb.type != ck->bpb->type;
		if (*wrong)
			break;
	}
	if (st || !*wrong)
		return st;
	if (from == TOTAL_IMAGE && ck->vol->is_part)
		return check_note(ck, PROBLEM_TYPE_DOUBT, 0, 0, err);
	return total_offer(ck, &total, fix, err);
}
