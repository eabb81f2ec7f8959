/* space.h - the free runs of a volume, aligned and not */
#ifndef PREALLOC_SPACE_H
#define PREALLOC_SPACE_H

#include "prealloc/align.h"
#include "prealloc/pool.h"

struct space {
	struct align align;
	struct pool main;  /* runs that start aligned */
	struct pool scrap; /* what lies before an aligned cluster */
};

void space_free(struct space *s);

/* While runs are collected: may drop some, see pool.h. */
enum status space_offer(struct space *s, struct run r, struct error *err);

/* A copy that is sorted, for all that follows. */
enum status space_copy(struct space *to, const struct space *from,
		       struct error *err);
enum status space_put(struct space *s, struct run r, struct error *err);

/* The lowest cluster; 0 = none. */
clus_t space_first(const struct space *s);

#endif
