/* mark.h - the edits that every job adds: dirty mark and FSInfo */
#ifndef PREALLOC_MARK_H
#define PREALLOC_MARK_H

#include "change/edit.h"

/*
 * Marks the volume dirty first and as it was last: in the state byte, or,
 * where a boot sector has none, in FAT[1]. A volume that is dirty already
 * stays so; a FAT12 without a state byte has no mark.
 */
enum status mark_dirty(const struct volume *vol, struct edits *e,
		       struct error *err);

/*
 * Free count and hint (0 = unknown) in FSInfo and its backup, each only if
 * its signatures are there. *left: the primary one was left alone because
 * they are not. Source: fatgen103 "FSInfo"; the hint is a free cluster.
 */
enum status mark_fsinfo(const struct volume *vol, clus_t free_clusters,
			clus_t next, struct edits *e, bool *left,
			struct error *err);

#endif
