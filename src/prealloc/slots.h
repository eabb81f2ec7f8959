/*
 * slots.h - where new entries go in one directory
 *
 * The rule that makes creation safe at every cut: an entry becomes visible
 * by the write of one sector, the one that holds its short entry or the end
 * mark that it moves; all its other slots are on the disk before.
 */
#ifndef PREALLOC_SLOTS_H
#define PREALLOC_SLOTS_H

#include "change/edit.h"
#include "fat/chain.h"
#include "fat/lfn.h"

/* A slot that is to be written: in the old clusters or in new ones. */
struct slot_ref {
	bool grown;
	size_t index;
};

struct slots;

/*
 * The directory at clus (0 = the root), whose chain has been walked and is
 * sound. Reads it whole: at most 2 MiB, entered in the ledger.
 */
enum status slots_open(struct slots **out, const struct volume *vol,
		       struct fatwin *win, clus_t clus, struct error *err);
/* A new directory: dot entries, their clusters still 0. */
enum status slots_open_new(struct slots **out, const struct volume *vol,
			   struct dos_time now, struct error *err);
void slots_close(struct slots *s); /* accepts NULL */

/* A short_taken_fn over what is there and what was inserted. */
bool slots_short_taken(void *slots, const uint8_t name[DIRENT_NAME_BYTES]);

/*
 * Finds room for a name and its short entry. ST_REFUSED if the directory is
 * full: a FAT12/16 root, or 65,536 entries.
 */
enum status slots_insert(struct slots *s, const struct new_name *name,
			 const uint8_t entry[DIRENT_BYTES],
			 struct slot_ref *ref, struct error *err);
/* The new bytes of a slot, to set cluster and size in. Until slots_emit(). */
uint8_t *slots_at(struct slots *s, struct slot_ref ref);
/* Of a new directory: "." and "..", to set their clusters in. */
uint8_t *slots_dot(struct slots *s, unsigned index);

/* After the last insertion: moves the end mark, frees what was read. */
enum status slots_finish(struct slots *s, struct error *err);
/* Clusters that the directory must get. */
clus_t slots_clusters(const struct slots *s);

/* Describes all of it; grown are the new clusters. */
enum status slots_emit(const struct slots *s, const struct runs *grown,
		       struct edits *e, struct error *err);

#endif
