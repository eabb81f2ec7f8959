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

/* Where it is from, best first. */
enum total_source {
	TOTAL_FIELD32, /* the 32-bit field, where the 16-bit one counts */
	TOTAL_IMAGE,   /* the size of the image */
	TOTALS
};

/*
 * That of the image is most sectors if it is more. *can: a volume of that many
 * sectors is in the image.
 */
enum status total_make(struct check *ck, enum total_source source,
		       uint64_t most, struct total *total, bool *can,
		       struct error *err);
/* Offers to write that. */
enum status total_offer(struct check *ck, const struct total *total,
			bool *fix, struct error *err);

#endif
