/*
 * explore.h - every state that a cut may leave, from a log of writes
 *
 * Between two barriers any of the writes may have reached the disk, in part
 * or whole; before a barrier all have. So a state is: all intervals before
 * one, some of the writes of that one, and of one of these only some of its
 * sectors.
 */
#ifndef TESTS_CRASH_EXPLORE_H
#define TESTS_CRASH_EXPLORE_H

#include <stdio.h>

#include "judge.h"
#include "recorder.h"

struct budget {
	unsigned all_up_to; /* writes of which all subsets are tried */
	unsigned subsets;   /* sampled where there are more */
	unsigned torn;	    /* states with a torn write, for an interval */
	unsigned stop_after; /* violations; 0 = never */
};

struct explored {
	uint64_t states, violations;
	char first[400]; /* the first violation's fault */
};

/*
 * Judges all states, adds to *sum and tells of violations on out (may be
 * NULL). before is the image that the log began with. Deterministic.
 */
void explore(const char *name, const uint8_t *before, const struct log *log,
	     struct judge *j, const struct budget *budget,
	     struct explored *sum, FILE *out);

#endif
