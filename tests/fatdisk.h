/*
 * fatdisk.h - a device in memory that has FAT copies and nothing else
 *
 * The last copy's last entry is the end of the device, so that one byte read
 * too many is an error. Entries are put by the digit, as the specification
 * has them, and not by the code under test.
 */
#ifndef TESTS_FATDISK_H
#define TESTS_FATDISK_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "crash/recorder.h"
#include "fat/volume.h"

#define FATDISK_AT 512u /* where copy 0 begins */

struct fatdisk {
	enum fat_type type;
	struct recorder *disk;
	struct ledger ledger;
	struct volume vol;
};

/* Bytes to the end of entry c, without FAT12's neighbour (format.md 31). */
static inline size_t fatdisk_bytes_to(enum fat_type type, clus_t c)
{
	return type == FAT12 ? ((size_t)c * 12 + 12 + 7) / 8
			     : ((size_t)c + 1) * type / 8;
}

/* slack: bytes behind the last entry of each copy but the last one. */
static inline void fatdisk_open(struct fatdisk *d, enum fat_type type,
				unsigned copies, clus_t last, size_t slack,
				size_t window)
{
	size_t used = fatdisk_bytes_to(type, last), one = used + slack;
	size_t size = FATDISK_AT + one * copies - slack;
	uint8_t *image = calloc(1, size);

	ck_assert_ptr_nonnull(image);
	*d = (struct fatdisk){ .type = type };
	d->disk = recorder_new(image, size, 512);
	free(image);
	d->disk->blk.ledger = &d->ledger;
	d->vol = (struct volume){
		.blk = &d->disk->blk,
		.window_bytes = window,
		.bpb = { .type = type, .sector_bytes = 512,
			 .fat_copies = copies, .mirrored = true,
			 .fat_offset_bytes = FATDISK_AT, .fat_bytes = one,
			 .clusters = last - 1, .last_clus = last }
	};
}

/* All buffers were left, and were never more than this many windows. */
static inline void fatdisk_close(struct fatdisk *d, unsigned windows)
{
	size_t window = d->vol.window_bytes;

	ck_assert_uint_eq(d->ledger.buffer_bytes, 0);
	ck_assert_uint_le(d->ledger.peak_buffer_bytes,
			  windows * (window < 65536 ? 65536 : window));
	recorder_free(d->disk);
}

/* Digits of 4 bits, the lowest one first; FAT32's eighth one as well. */
static inline void fatdisk_put(struct fatdisk *d, unsigned copy, clus_t c,
			       uint32_t value)
{
	size_t digit = (size_t)c * (d->type / 4u), i;
	uint8_t *start = d->disk->image + FATDISK_AT +
			 copy * d->vol.bpb.fat_bytes, *p;

	for (i = 0; i < d->type / 4u; i++, digit++, value >>= 4) {
		p = start + digit / 2;
		if (digit % 2)
			*p = (uint8_t)((*p & 0x0F) | (value & 15) << 4);
		else
			*p = (uint8_t)((*p & 0xF0) | (value & 15));
	}
}

#endif
