/*
 * fatwin.h - FAT entries of one copy, read through a window
 *
 * A window begins small and doubles while the reads are sequential, so that
 * a chain that hops costs little I/O and one that runs costs few calls.
 */
#ifndef FAT_FATWIN_H
#define FAT_FATWIN_H

#include "fat/volume.h"

struct fatwin {
	const struct volume *vol;
	unsigned copy;
	uint8_t *buf;
	size_t cap;		/* bytes; FAT12: the whole table fits */
	size_t ahead;		/* bytes that the next miss reads */
	uint64_t start, end;	/* what buf holds, in bytes of the copy */
};

/* copy counts from 0. fatwin_close() after it. */
enum status fatwin_open(struct fatwin *w, const struct volume *vol,
			unsigned copy, struct error *err);
void fatwin_close(struct fatwin *w); /* accepts a zeroed one */

/*
 * The entry of cluster c, 0 to last_clus (0 and 1 are FAT[0] and FAT[1]).
 * A c outside is a caller's error: ST_IO.
 */
enum status fatwin_get(struct fatwin *w, clus_t c, uint32_t *value,
		       struct error *err);

#endif
