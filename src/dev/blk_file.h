/* blk_file.h - an image file or a block device */
#ifndef DEV_BLK_FILE_H
#define DEV_BLK_FILE_H

#include "dev/blk.h"

/*
 * Opens path. Writable: a block device with O_EXCL; a regular file under an
 * exclusive lock (both flock(2) and an open-file-description lock, so that
 * other tools and virtual machines notice). Read-only: shared locks, no
 * O_EXCL. ST_REFUSED if somebody else has it; ST_IO if it can't be opened or
 * is neither a regular file nor a block device. The size of a block device
 * is the kernel's. *out is the caller's to blk_close(). ledger may be NULL.
 */
enum status blk_file_open(struct blk **out, const char *path, bool writable,
			  struct ledger *ledger, struct error *err);

/*
 * Zeroes by plain writes from now on, as where the file system or the device
 * can do no better. b is a blk_file.
 */
void blk_file_zero_by_write(struct blk *b);

#endif
