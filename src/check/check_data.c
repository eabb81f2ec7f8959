/*
 * check_data.c - is what is marked as a directory really a file's contents?
 *
 * One bit of an entry makes the difference. To repair such contents as if
 * they were entries would destroy them, so the entry becomes a file instead;
 * of its size only the clusters are known. Invariant: a directory with one of
 * its dot entries in place, or with more good entries than bad ones, is a
 * directory. So is one that has lost a sector and holds a sound entry, if it
 * has no size, as a file whose entry has one bit too many has one.
 */
#include <string.h>

#include "base/ckd.h"
#include "check/check_dir.h"
#include "check/dirlook.h"
#include "fat/lfn.h"

#define SLOTS_SEEN 2048u /* 64 KiB say enough */

/* Could a system have written it? What only looks like that is hardly so. */
static bool is_sound(const struct bpb *bpb, const uint8_t *slot)
{
	clus_t c = dirent_clus(bpb->type, slot);
	uint32_t size = dirent_size(slot);

	if (dirent_is_lfn(slot) || dirent_is_label(slot) ||
	    !short_is_legal(slot) || (c && !bpb_has_clus(bpb, c)))
		return false;
	if (dirent_is_dir(slot))
		return c && !size;
	return !size || (c && bpb_clusters_for(bpb, size) <= bpb->clusters);
}

enum status check_is_data(struct walk *w, const struct dir_entry *e,
			  const struct claim *claim, bool *data,
			  struct error *err)
{
	struct dirpos pos = { .clus = claim->first,
			      .clusters = claim->clusters };
	uint32_t good = 0, bad = 0, sound = 0;
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	*data = false;
	while (claim->clusters && pos.slot < SLOTS_SEEN) {
		st = dirread_slot(&w->reader, &pos, &slot, &offset, err);
		if (st)
			return st;
		if (!slot || slot[0] == DIRENT_END)
			break;
		if (pos.slot <= 2 && dirent_is_dot(slot))
			return ST_OK;
		if (slot[0] == DIRENT_DELETED)
			continue;
		if (dirlook_is_hopeless(slot))
			bad++;
		else
			good++;
		sound += is_sound(w->ck->bpb, slot);
	}
	*data = bad > good && (e->size_bytes || !sound);
	return ST_OK;
}

enum status check_data(const struct walk *w, const struct dir_entry *e,
		       const struct claim *claim, struct error *err)
{
	uint64_t bytes = (uint64_t)claim->clusters * w->ck->bpb->cluster_bytes;
	uint8_t slot[DIRENT_BYTES];
	enum status st;
	bool fix;

	st = walk_offer(w, e->name, (struct finding){
		.id = PROBLEM_DIR_DATA }, &fix, err);
	if (st || !fix)
		return st;
	memcpy(slot, e->raw, sizeof(slot));
	slot[DIRENT_AT_ATTR] &= (uint8_t)~ATTR_DIR;
	repair_tree_changes(w->ck);
	st = repair_field(w->ck, e, slot, DIRENT_AT_ATTR, 1, err);
	if (st)
		return st;
	return repair_size(w->ck, e, (uint32_t)MIN(bytes, UINT32_MAX), err);
}
