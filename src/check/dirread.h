/* dirread.h - slots, read from positions that can wait; for src/check only */
#ifndef CHECK_DIRREAD_H
#define CHECK_DIRREAD_H

#include "check/work.h"
#include "fat/dir.h"

/* Where a walk is in a directory: small, so that many can wait. */
struct dirpos {
	clus_t clus;	 /* where it is; 0 = in a fixed root */
	clus_t index;	 /* clusters of the chain before clus */
	clus_t clusters; /* that may be read, from the start on */
	uint32_t slot;	 /* the next one */
};

struct dirread {
	struct check *ck;
	uint8_t *buf;
	uint64_t offset; /* of what buf holds */
	size_t len;	 /* 0 = nothing */
	struct lfn lfn;
};

enum status dirread_open(struct dirread *s, struct check *ck,
			 struct error *err);
void dirread_close(struct dirread *s); /* accepts a zeroed one */

/*
 * As dir_next(). The end is also where the image ends, and after 65,536
 * slots.
 */
enum status dirread_next(struct dirread *s, struct dirpos *pos,
		       struct dir_entry *e, bool *more, struct error *err);

#endif
