/* locate.h - which bytes of an image are the volume */
#ifndef DEV_LOCATE_H
#define DEV_LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/*
 * Splits "IMAGE@@OFFSET" (mtools) into a malloc'ed path and an offset in
 * bytes; without "@@" the offset is 0 and *has_offset false. A file that
 * exists under the whole name wins over the split. ST_USAGE for an offset
 * that is no number.
 */
enum status locate_split(const char *operand, char **path, uint64_t *offset,
			 bool *has_offset, struct error *err);

/*
 * Where a partition's node (/dev/sdb1) begins on its disk, in bytes; 0 for
 * anything else, and where the kernel does not tell.
 */
uint64_t locate_partition_start(const char *path);

/*
 * What lies at offset of the image or device path, in a few words for a
 * refusal: "an NTFS file system", "an MBR partition table with a FAT
 * partition at byte 1048576", "only zeros". libblkid knows. Writes buf,
 * always terminated; what is not recognised is "nothing that is known".
 */
void locate_describe(const char *path, uint64_t offset, char *buf, size_t cap);

#endif
