/* place.h - takes clusters for one request out of the free space */
#ifndef PREALLOC_PLACE_H
#define PREALLOC_PLACE_H

#include "prealloc/plan.h"
#include "prealloc/space.h"

/* Clusters that q still needs. */
clus_t place_missing(const struct plan_request *q);

/*
 * The free run directly behind q's tail: taken if it is wanted and will do,
 * else put into the space.
 */
enum status place_behind(struct space *s, struct plan_request *q, bool wanted,
			 struct error *err);

/*
 * What is missing: one run if there is one that fits, else the longest first.
 * Not *fits: there is no room; q->no_step says why.
 */
enum status place_rest(struct space *s, struct plan_request *q, bool *fits,
		       struct error *err);

/* The longest run, or nothing if it is shorter than q->at_least. */
enum status place_max(struct space *s, struct plan_request *q,
		      struct error *err);

#endif
