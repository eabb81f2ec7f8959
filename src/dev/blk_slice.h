/* blk_slice.h - the part of a device that a volume lies in */
#ifndef DEV_BLK_SLICE_H
#define DEV_BLK_SLICE_H

#include "dev/blk.h"

/*
 * The len bytes at offset of parent as a blk of its own. Takes parent over:
 * closing the slice closes it; on an error it stays the caller's. Counting
 * is done once, by the slice (parent's ledger moves to it).
 */
enum status blk_slice_open(struct blk **out, struct blk *parent,
			   uint64_t offset, uint64_t len, struct error *err);

#endif
