/* progress.h - a percentage on a terminal */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/*
 * Zero-initialise, then set out and either forced (from the first call on)
 * or terminal (once the work takes over a second).
 */
struct progress {
	FILE *out;
	bool forced, terminal;
	struct timespec start;
	bool started, shown;
	unsigned percent;
};

void progress_update(struct progress *p, uint64_t done, uint64_t total);
/* Ends the line if one was begun. */
void progress_end(struct progress *p);

#endif
