/* check_layout.h - where FAT and root are; for src/check only */
#ifndef CHECK_LAYOUT_H
#define CHECK_LAYOUT_H

#include "check/work.h"

/*
 * Are FAT and root of a FAT32 where b says, and not where the volume's boot
 * sector says? Both describe the volume, and b is not better by mere absence:
 * a boot sector of which all copies begin as a FAT does is not beaten.
 */
enum status check_layout_beats(struct check *ck, const struct bpb *b,
			       bool *yes, struct error *err);
/*
 * Without a backup: is the number of FAT copies, or their length on a FAT12
 * or FAT16, *wrong, as only with another one the copies begin as a FAT does
 * and what is behind them is a root with entries? Then offers to write that.
 */
enum status check_layout(struct check *ck, bool *wrong, bool *fix,
			 struct error *err);

#endif
