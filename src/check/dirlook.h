/* dirlook.h - is a cluster one of a directory? for src/check only */
#ifndef CHECK_DIRLOOK_H
#define CHECK_DIRLOOK_H

#include "check/work.h"

/* What the clusters of a chain hold, one after the other. Zero-initialise. */
struct dirlook {
	uint64_t entries; /* slots in use, long names too */
	clus_t clusters;  /* that were looked at */
	bool ended;	  /* by an end mark, or as far as systems read */
	bool wrong;	  /* a cluster is none of this directory */
};

/* Looks at the next cluster, unless it is known how it ends. */
enum status dirlook_cluster(struct check *ck, clus_t c, struct dirlook *d,
			    struct error *err);

/* No entry of any system looks like this; a bad name alone is none of it. */
bool dirlook_is_hopeless(const uint8_t *slot);

#endif
