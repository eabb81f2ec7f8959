/* blk_overlay.h - holds writes back in memory and reads its own */
#ifndef DEV_BLK_OVERLAY_H
#define DEV_BLK_OVERLAY_H

#include "dev/blk.h"

/*
 * Reads come from parent but for what was written to the overlay; parent is
 * never written, so it may be read-only. A sync does nothing. Takes parent
 * over: closing the overlay closes it; its ledger moves to the overlay. Memory
 * grows with the distinct 4 KiB pages written (zeroed ranges are kept as
 * ranges, not as pages); limit_bytes bounds it, ST_NOMEM past that.
 */
enum status blk_overlay_open(struct blk **out, struct blk *parent,
			     uint64_t limit_bytes, struct error *err);

#endif
