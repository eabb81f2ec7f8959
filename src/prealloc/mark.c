/* mark.c - describes the dirty mark's and FSInfo's changes */
#include "prealloc/mark.h"

#include <string.h>

#include "base/bytes.h"
#include "fat/fatwin.h"
#include "fat/fsinfo.h"

static enum status mark_state_byte(const struct volume *vol, struct edits *e,
				   struct error *err)
{
	const struct bpb *bpb = &vol->bpb;
	uint8_t clean = bpb->state, dirty = clean | BPB_STATE_DIRTY;
	enum status st;

	if (clean == dirty)
		return ST_OK;
	st = edits_add_bytes(e, PHASE_MARK, REGION_BOOT, bpb->state_offset,
			     &clean, &dirty, 1, err);
	if (st)
		return st;
	return edits_add_bytes(e, PHASE_CLEAN, REGION_BOOT, bpb->state_offset,
			       &dirty, &clean, 1, err);
}

static enum status mark_fat1(const struct volume *vol, struct edits *e,
			     struct error *err)
{
	uint32_t bit = fatent_clean_bit(vol->bpb.type), value = 0;
	struct fatwin win = { 0 };
	enum status st;

	st = fatwin_open(&win, vol, vol->bpb.active_fat, err);
	if (!st)
		st = fatwin_get(&win, 1, &value, err);
	fatwin_close(&win);
	if (st || !(value & bit))
		return st;
	st = edits_add_link(e, PHASE_MARK, 1, value, value & ~bit, err);
	if (st)
		return st;
	return edits_add_link(e, PHASE_CLEAN, 1, value & ~bit, value, err);
}

enum status mark_dirty(const struct volume *vol, struct edits *e,
		       struct error *err)
{
	if (vol->bpb.has_ext)
		return mark_state_byte(vol, e, err);
	if (fatent_clean_bit(vol->bpb.type))
		return mark_fat1(vol, e, err);
	return ST_OK;
}

static enum status mark_one(const struct volume *vol, uint32_t sec,
			    const uint8_t counts[8], struct edits *e,
			    bool *left, struct error *err)
{
	uint64_t at = (uint64_t)sec * vol->bpb.sector_bytes;
	uint8_t sector[FSINFO_BYTES];
	const uint8_t *old = sector + FSINFO_FREE_OFFSET;
	struct fsinfo info;
	enum status st;

	if (!sec)
		return ST_OK;
	st = blk_read(vol->blk, at, sector, sizeof(sector), err);
	if (st)
		return st;
	fsinfo_decode(sector, &info);
	if (!info.valid) {
		*left |= sec == vol->bpb.fsinfo_sec;
		return ST_OK;
	}
	if (!memcmp(old, counts, 8))
		return ST_OK;
	return edits_add_bytes(e, PHASE_FSINFO, REGION_FSINFO,
			       at + FSINFO_FREE_OFFSET, old, counts, 8, err);
}

enum status mark_fsinfo(const struct volume *vol, clus_t free_clusters,
			clus_t next, struct edits *e, bool *left,
			struct error *err)
{
	uint8_t counts[8];
	enum status st;

	put_le32(counts, free_clusters);
	put_le32(counts + 4, next ? next : FSINFO_UNKNOWN);
	st = mark_one(vol, vol->bpb.fsinfo_sec, counts, e, left, err);
	if (st)
		return st;
	return mark_one(vol, vol->bpb.fsinfo_backup_sec, counts, e, left, err);
}
