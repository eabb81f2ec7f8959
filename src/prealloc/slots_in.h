/* slots_in.h - what the parts of slots share */
#ifndef PREALLOC_SLOTS_IN_H
#define PREALLOC_SLOTS_IN_H

#include "prealloc/slots.h"

/* One entry: its long-name slots and its short one. */
#define SET_MAX (LFN_SLOTS_MAX + 1)

struct slot_edit {
	uint32_t slot;
	enum phase phase;
	uint8_t old[DIRENT_BYTES], new[DIRENT_BYTES];
};

struct slots {
	const struct volume *vol;
	bool fixed;	   /* the root of FAT12/16 */
	bool fresh;
	uint8_t *image;	   /* the old slots; freed by slots_finish() */
	size_t image_bytes;
	uint32_t capacity; /* old slots */
	uint32_t old_end;  /* the old end mark, or capacity */
	uint32_t end;	   /* slots in use so far */
	struct runs runs;  /* of the old clusters; fixed: none */
	uint32_t cursor[SET_MAX + 1]; /* deleted runs of a length, from here */
	struct slot_edit *edits;
	size_t n_edits, cap_edits;
	uint8_t *grown;
	size_t grown_slots, cap_grown;
	void *names; /* tsearch(3) tree of short names */
};

static inline uint32_t slots_per_sector(const struct slots *s)
{
	return s->vol->bpb.sector_bytes / DIRENT_BYTES;
}

static inline uint32_t slots_per_cluster(const struct slots *s)
{
	return s->vol->bpb.cluster_bytes / DIRENT_BYTES;
}

static inline const uint8_t *slots_old(const struct slots *s, uint32_t slot)
{
	return s->image + (size_t)slot * DIRENT_BYTES;
}

/* Enters a short name; ST_NOMEM. A duplicate on the disk is fine. */
enum status slots_add_name(struct slots *s, const uint8_t *name,
			   struct error *err);

#endif
