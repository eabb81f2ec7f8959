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

/* Where the slots of a long name are, and their first bytes. */
struct dirread_set {
	unsigned n;
	uint64_t offset[LFN_SLOTS_MAX];
	uint8_t ordinal[LFN_SLOTS_MAX];
};

/*
 * Told of slots that are no long name of anything. e is the entry that
 * follows them, which has a long name only with LFN_ORPHAN; NULL = none
 * follows. After 20 slots the rest of a longer set comes by itself.
 */
typedef enum status dirread_stray_fn(void *arg, const struct dirread_set *set,
				     enum lfn_fault fault,
				     const struct dir_entry *e,
				     struct error *err);

struct dirread {
	struct check *ck;
	uint8_t *buf;
	uint64_t offset; /* of what buf holds */
	size_t len;	 /* 0 = nothing */
	struct lfn lfn;
	struct dirread_set set; /* of the entry just read, if it has_long */
	dirread_stray_fn *stray; /* may be NULL */
	void *arg;
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
/*
 * The next slot, whatever it is, behind the end mark too; NULL where the
 * chain, the image or what systems read of a directory ends.
 */
enum status dirread_slot(struct dirread *s, struct dirpos *pos,
			 const uint8_t **slot, uint64_t *offset,
			 struct error *err);

#endif
