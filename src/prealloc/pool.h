/*
 * pool.h - a bounded choice of free runs, by length
 */
#ifndef PREALLOC_POOL_H
#define PREALLOC_POOL_H

#include <stdbool.h>

#include "base/run.h"

/* A length that is asked for, and how many requests could use a run of it. */
struct pool_class {
	clus_t clusters;
	size_t wanted;
};

#define POOL_CLASSES_MAX 16

/*
 * Runs are added in any order. When it is full it drops those that no
 * request can need: all but the `largest` largest and, for each class, the
 * `wanted` smallest that fit.
 */
struct pool {
	struct run *v; /* once sorted: by length; of equals the first last */
	size_t n, cap;
	size_t limit; /* drops when it holds so many */
	size_t largest;
	struct pool_class classes[POOL_CLASSES_MAX]; /* by length */
	size_t n_classes;
};

void pool_free(struct pool *p);
enum status pool_copy(struct pool *to, const struct pool *from,
		      struct error *err);

/* Sets the limit from largest and classes, which are set. */
void pool_init_limit(struct pool *p);
enum status pool_add(struct pool *p, struct run r, struct error *err);

/* From here on the pool is sorted, and stays so. */
void pool_sort(struct pool *p);
enum status pool_insert(struct pool *p, struct run r, struct error *err);
/* Index of the shortest run of at least clusters, the first of equals. */
bool pool_best_fit(const struct pool *p, clus_t clusters, size_t *index);
/* Index of the longest run, the first of equals. */
bool pool_longest(const struct pool *p, size_t *index);
struct run pool_remove(struct pool *p, size_t index);

#endif
