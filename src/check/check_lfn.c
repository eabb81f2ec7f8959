/*
 * check_lfn.c - slots of long names that are no long name of anything
 *
 * Systems pass them over and show the short name (format.md 36), so to
 * delete them takes nothing from anybody. A name that is complete and only
 * no valid Unicode is left alone: Windows shows it.
 */
#include "check/check_dir.h"

enum status check_delete_slots(struct check *ck,
			       const struct dirread_set *set,
			       struct error *err)
{
	static const uint8_t deleted = DIRENT_DELETED;
	enum status st = ST_OK;
	unsigned i;

	for (i = 0; i < set->n && !st; i++)
		st = repair_bytes(ck, REGION_DIR, set->offset[i],
				  &set->ordinal[i], &deleted, 1, err);
	return st;
}

enum status check_stray_slots(void *arg, const struct dirread_set *set,
			      enum lfn_fault fault, const struct dir_entry *e,
			      struct error *err)
{
	static const enum problem_id ids[] = {
		[LFN_FINE] = PROBLEM_LFN_ORPHAN,
		[LFN_ORPHAN] = PROBLEM_LFN_ORPHAN,
		[LFN_ORDER] = PROBLEM_LFN_ORDER,
		[LFN_CHECKSUM] = PROBLEM_LFN_CHECKSUM,
		[LFN_UNICODE] = PROBLEM_LFN_UNICODE,
	};
	struct dirscan *d = arg;
	struct finding f = { .id = ids[fault], .n = set->n };
	const char *name = NULL;
	enum status st;
	bool fix;

	/* Their entry may be in what the image lacks. */
	if (!e && (d->ck->bpb->oddities & BPB_TRUNCATED))
		return ST_OK;
	if (e && fault != LFN_ORPHAN)
		name = e->name;
	else
		f.id = PROBLEM_LFN_ORPHAN;
	if (f.id == PROBLEM_LFN_UNICODE)
		return walk_add(d->w, name, f, err);
	st = walk_offer(d->w, name, f, &fix, err);
	if (st || !fix)
		return st;
	d->dots_wait = true;
	return check_delete_slots(d->ck, set, err);
}
