/*
 * mirror.h - what the FAT copies become when they are made equal; for commit.c
 *
 * Goes over the table in pieces. Each copy keeps the bits of an entry that
 * are no part of its value, and the slack behind the last entry.
 */
#ifndef CHANGE_MIRROR_H
#define CHANGE_MIRROR_H

#include "change/edit.h"

struct mirror {
	const struct volume *vol;
	const struct mirror_edit *edit;
	size_t piece_bytes;
	uint8_t *first, *other; /* the two sources, */
	uint8_t *out;		/* and a copy as it shall be */
	uint64_t at;		/* of the piece, in a copy */
	uint64_t clus, end;	/* entries of the piece */
	size_t len;		/* bytes of the piece */
};

enum status mirror_open(struct mirror *m, const struct volume *vol,
			const struct mirror_edit *edit, struct error *err);
void mirror_close(struct mirror *m); /* accepts a zeroed one */

/* Reads the next piece of both sources; *more = false at the end. */
enum status mirror_next(struct mirror *m, bool *more, struct error *err);
/* Is the copy one of those that become equal? */
bool mirror_has(const struct mirror *m, unsigned copy);
/*
 * A copy's piece as it shall be, in m->out. *len bytes from *skip on, whole
 * sectors, hold all that changes; *len = 0: nothing.
 */
enum status mirror_copy(struct mirror *m, unsigned copy, size_t *skip,
			size_t *len, struct error *err);

#endif
