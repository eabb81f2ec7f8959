/*
 * admit.c - on which volumes fatprealloc works at all
 *
 * The lines marked (a) in the format notes: where readers disagree about
 * what is where, or somebody else has to finish first, nothing is touched.
 */
#include "prealloc/job.h"

#include "fat/fatwin.h"

struct refusal {
	unsigned oddity;
	bool forced; /* --force goes on */
	const char *why;
};

static const struct refusal refusals[] = {
	{ BPB_TRUNCATED, false,
	  "the image is shorter than the volume in it" },
	{ BPB_FAT16_MANY, false,
	  "it has more clusters than FAT16 can number" },
	{ BPB_THRESHOLD, true,
	  "at this number of clusters systems disagree whether it is FAT12, "
	  "FAT16 or FAT32; --force takes it by the specification" },
	{ BPB_ROOT_UNALIGNED, false,
	  "its root directory does not fill whole sectors, and systems "
	  "disagree where the data begin" },
	{ BPB_ROOT_CLUSTER, false,
	  "its root directory's first cluster does not exist; run fatfsck" },
	{ BPB_VERSION, false, "it has a FAT32 version that nobody knows" },
	{ BPB_ACTIVE_FAT, false,
	  "mirroring is off, and the active FAT copy does not exist" },
};

/* format.md 11: the state byte, and FAT[1] where there are bits for it. */
static enum status is_dirty(const struct volume *vol, bool *dirty,
			    struct error *err)
{
	const struct bpb *bpb = &vol->bpb;
	uint32_t clean = fatent_clean_bit(bpb->type), value;
	struct fatwin win = { 0 };
	enum status st;

	*dirty = bpb->has_ext && (bpb->state & BPB_STATE_DIRTY);
	if (*dirty || !clean)
		return ST_OK;
	st = fatwin_open(&win, vol, bpb->active_fat, err);
	if (!st)
		st = fatwin_get(&win, 1, &value, err);
	fatwin_close(&win);
	if (!st)
		*dirty = !(value & clean);
	return st;
}

enum status job_admit(const struct volume *vol, bool force, struct error *err)
{
	const struct refusal *r = refusals;
	size_t n = sizeof(refusals) / sizeof(refusals[0]);
	bool dirty;
	enum status st;

	for (; n; n--, r++)
		if ((vol->bpb.oddities & r->oddity) && !(force && r->forced))
			return error_set(err, ST_REFUSED,
					 "the volume is refused: %s", r->why);
	st = is_dirty(vol, &dirty, err);
	if (!st && dirty && !force)
		return error_set(err, ST_REFUSED,
				 "the volume is marked dirty: it was not "
				 "unmounted cleanly; run fatfsck first, or "
				 "go on with --force");
	return st;
}
