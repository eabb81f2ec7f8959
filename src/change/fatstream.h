/*
 * fatstream.h - the FAT edits of some phases, streamed in cluster order
 *
 * A chain edit of a million clusters is one struct; the stream spells it out
 * entry by entry, segment by segment, so nothing is stored for each cluster.
 */
#ifndef CHANGE_FATSTREAM_H
#define CHANGE_FATSTREAM_H

#include "change/edit.h"

#define PHASE_BIT(phase) (1u << (phase))

/* What becomes of one entry. */
struct fat_change {
	clus_t clus;
	bool expect_used; /* any value but free; else expect */
	uint32_t expect, value;
};

/* A place in the stream. May be copied, to go over a segment again. */
struct fatstream {
	const struct edits *e; /* sorted */
	const struct bpb *bpb;
	unsigned phases; /* PHASE_BIT()s */
	size_t chain;	 /* next chain edit, */
	clus_t within;	 /* and cluster of it */
	size_t link;
	uint64_t freed, end; /* next cluster of each */
};

/*
 * Sectors of a FAT copy that follow each other, each with a change. Half of a
 * FAT12 entry may stay as it is: its sector is read, and not written.
 */
struct fat_segment {
	uint32_t first_sec, end_sec; /* to write; in the copy */
	uint32_t read_sec, read_end;
	uint64_t changes;
};

void fatstream_init(struct fatstream *s, const struct edits *e,
		    const struct bpb *bpb, unsigned phases);
/* False at the end. */
bool fatstream_next(struct fatstream *s, struct fat_change *out);
/*
 * Measures the next segment, of which at most max_bytes are read (at least
 * two sectors fit), without moving the place. False at the end. A FAT12 entry
 * that straddles two sectors is never cut, since a whole FAT12 fits.
 */
bool fatstream_segment(const struct fatstream *s, size_t max_bytes,
		       struct fat_segment *out);

#endif
