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
 * check_total.c: likewise the total of sectors, which decides about the type
 * too: does the FAT belie it, and not the size of the image?
 */
enum status check_total(struct check *ck, bool *wrong, bool *fix,
			struct error *err);

#endif
