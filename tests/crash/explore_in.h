/* explore_in.h - what explore.c and states.c share */
#ifndef TESTS_CRASH_EXPLORE_IN_H
#define TESTS_CRASH_EXPLORE_IN_H

#include "explore.h"

struct explorer {
	const char *name;
	struct judge *judge;
	const struct budget *budget;
	struct explored *sum;
	FILE *out;
	size_t sector;	 /* what is written whole or not at all */
	uint64_t seed;
	uint8_t *base, *work;
	const struct op *op; /* the writes of the interval */
	size_t n;
	unsigned interval;
	unsigned violations; /* of this job */
};

/* Which writes are done; torn: of this one (SIZE_MAX = none), only sectors. */
struct state {
	uint8_t *on;
	size_t torn;
	uint8_t *sectors;
};

uint64_t explore_random(struct explorer *x);
/* Sectors that a write touches. */
size_t explore_pieces(const struct explorer *x, const struct op *op);
/* Judges and counts; may change s if it is a violation. */
void explore_state(struct explorer *x, struct state *s);
bool explore_enough(const struct explorer *x);

/* All subsets of the interval's writes, or enough of them. */
void explore_subsets(struct explorer *x, struct state *s);
/* States with one torn write. */
void explore_torn(struct explorer *x, struct state *s);

#endif
