/* layout_look.h - what is where a boot sector puts it; for src/check only */
#ifndef CHECK_LAYOUT_LOOK_H
#define CHECK_LAYOUT_LOOK_H

#include "check/work.h"

/* What is in the first sector of a root. */
enum root_look {
	ROOT_UNKNOWN, /* it is not in the image, or no cluster */
	ROOT_NONE,    /* something else */
	ROOT_EMPTY,
	ROOT_ENTRIES,
};

struct layout_look {
	unsigned fats;	 /* copies that begin as a FAT does */
	unsigned faults; /* copies that don't, and a FAT where none should be */
	enum root_look root;
	/* Its directories: does one of a root begin where its entry says? */
	unsigned dirs_right, dirs_wrong;
};

/* bpb: any that may be of the volume. */
enum status layout_look(struct check *ck, const struct bpb *bpb,
			struct layout_look *look, struct error *err);

/* The same for the root alone. */
enum status layout_look_at_root(struct check *ck, const struct bpb *bpb,
				struct layout_look *look, struct error *err);

/* May the slot be one of a root? Deleted ones may. */
bool layout_is_slot(const struct bpb *bpb, const uint8_t *slot);

/* Does a FAT begin at that place? Not outside the image. */
enum status layout_has_fat(struct check *ck, enum fat_type type, uint64_t at,
			   bool *yes, struct error *err);

/* Is a FAT as long as the clusters need, and not much longer? */
bool layout_fat_fits(const struct bpb *bpb);

#endif
