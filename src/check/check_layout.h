/* check_layout.h - what the boot sector says against what is there */
#ifndef CHECK_LAYOUT_H
#define CHECK_LAYOUT_H

#include "check/work.h"

/*
 * Are FATs, root and directories of a FAT32 where b says, rather than where
 * the volume's boot sector says? Not if b explains fewer FATs.
 */
enum status check_layout_beats(struct check *ck, const struct bpb *b,
			       bool *yes, struct error *err);
/*
 * Without a backup: does the boot sector put FATs, root or directories where
 * they are not? If another value of one of its fields puts them where they
 * are, offers to write that. *wrong: nothing should be repaired by what it
 * says now.
 */
enum status check_layout(struct check *ck, bool *wrong, bool *fix,
			 struct error *err);
/*
 * check_total.c: likewise the total of sectors where it makes the volume one
 * of another type than the FAT is: does the size of the image agree with that?
 */
enum status check_total(struct check *ck, bool *wrong, bool *fix,
			struct error *err);
/*
 * check_clusters.c: likewise the last cluster: do files lie behind it? If there
 * is no FAT to read, nothing is wrong.
 */
enum status check_clusters(struct check *ck, bool *wrong, bool *fix,
			   struct error *err);

/* check_total.c: another total of sectors, and what follows from it. */
struct total {
	uint8_t old[512], new[512]; /* boot sectors */
	struct bpb bpb;		    /* by the new one */
};

#define TOTALS 2

/*
 * The total number which, from 0 to TOTALS - 1, of those that there may be
 * instead, the size of the image at most most sectors. *can: a volume of that
 * many sectors is in the image.
 */
enum status total_make(struct check *ck, unsigned which, uint64_t most,
		       struct total *total, bool *can, struct error *err);
/* Offers to write that. */
enum status total_offer(struct check *ck, const struct total *total,
			bool *fix, struct error *err);

#endif
