/* owner_weigh.h - what speaks for an owner of a cluster; for src/check only */
#ifndef CHECK_OWNER_WEIGH_H
#define CHECK_OWNER_WEIGH_H

#include "check/walk.h"

/* A chain. Zero-initialise with e. */
struct owner_chain {
	const struct dir_entry *e; /* NULL = the root */
	uint64_t needed;	   /* clusters; UINT64_MAX = a directory */
	bool fits;		   /* has that length and ends properly */
	unsigned score;		   /* wherever in the chain */
};

/*
 * Fills k for the entry where the walk is. *budget: entries of the FAT that
 * may still be looked at behind what was claimed.
 */
enum status owner_judge(struct check *ck, const struct walk *w,
			const struct claim *claim, uint64_t *budget,
			struct owner_chain *k, struct error *err);
/*
 * What speaks for the chain where it comes to clus, its cluster number index,
 * by the link of before; 0 = by the entry.
 */
enum status owner_score(struct check *ck, const struct owner_chain *k,
			clus_t before, clus_t clus, uint64_t index,
			unsigned *score, struct error *err);

#endif
