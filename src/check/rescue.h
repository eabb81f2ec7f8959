/*
 * rescue.h - entries in a directory for lost chains; for src/check only
 *
 * Names are FSCK0000.REC, FSCK0001.REC and so on (FSC10000.REC from ten
 * thousand on), .DIR for directories; what is there already is passed over.
 * The directory is the root, or one in it where the root has no room.
 */
#ifndef CHECK_RESCUE_H
#define CHECK_RESCUE_H

#include "check/dirread.h"
#include "check/repair_in.h"
#include "check/walk.h"

#define RESCUE_NAMES 131072 /* twice what a directory holds */

struct rescue {
	struct check *ck;
	struct dirread reader;
	char *path;	       /* owned; "" = the root */
	clus_t first, last;    /* cluster; 0 in a fixed root */
	clus_t clusters;
	struct dirpos pos;     /* the next slot to try */
	bool at_end;	       /* of what the directory's entries reach, */
	uint64_t end;	       /* where the end mark is, an offset */
	bool full;	       /* no slot is left */
	uint32_t slots;	       /* free ones */
	struct bitmap *names;  /* numbers that are taken */
	uint64_t number;       /* the next one to try */
};

/*
 * Is e, of the directory where the walk is, one that was lost, or below one?
 * What it says may be long out of date.
 */
bool rescue_is_around(const struct walk *w, const struct dir_entry *e);

/* Reads the root's names. rescue_close() after it, also if it fails. */
enum status rescue_open_root(struct rescue *r, struct check *ck,
			     struct error *err);
/* Likewise of a directory in the root. */
enum status rescue_open(struct rescue *r, struct check *ck,
			const struct dir_entry *e, struct error *err);
void rescue_close(struct rescue *r);

/* Is there room for one more entry? Else *room = false and r->full. */
enum status rescue_has_room(struct rescue *r, bool *room, struct error *err);
/* Plans an entry; there is room for it. attr: of the new entry. */
enum status rescue_add(struct rescue *r, uint8_t attr, clus_t first,
		       uint32_t size_bytes, struct error *err);
/* The path of the entry that rescue_add() would make; malloc'ed, or NULL. */
char *rescue_path(struct rescue *r, uint8_t attr);
/* After the last one: what is behind it stays behind an end mark. */
enum status rescue_finish(struct rescue *r, struct error *err);

/* rescue_grow.c */
/* Slots that the directory can have beyond those in its clusters. */
uint32_t rescue_more_slots(const struct rescue *r);
/*
 * Plans more clusters for a directory that is full. *grows = false if it
 * can't: a fixed root, 65,536 entries, or no free cluster.
 */
enum status rescue_grow(struct rescue *r, bool *grows, struct error *err);
/* Plans an empty directory in the next slot; *made = false: no cluster. */
enum status rescue_make_dir(struct rescue *r, bool *made, struct error *err);
/*
 * The first directory in the root that has room or can grow, those called
 * FSCKnnnn.DIR before others (ours: only those). r is open if *found.
 */
enum status rescue_find_dir(struct rescue *r, struct check *ck, bool ours,
			    bool *found, struct error *err);
/* Is it called FSCKnnnn? */
bool rescue_is_ours(const uint8_t *name);

#endif
