/*
 * judge.h - is this state of a volume one that a cut may leave?
 *
 * Compares a state with the volume before and after the whole job:
 * - each file that existed is there, same entry, same bytes; one that was
 *   asked for has its old or its new entry and its old or its new chain, or,
 *   where a FAT12 link lies in two sectors, the old entry and the shorter one
 *   of the two chains with either end of the rest of the longer one;
 * - each new file is absent or complete; nothing else appeared;
 * - read through any FAT copy that counts, chains are sound (reader.h);
 *   a lost chain may be there, but does not run into a chain in use;
 * - boot sector, FSInfo and what the job has no business with are as they
 *   were, but for the dirty mark and FSInfo's two counts;
 * - a state that is neither the old nor the new one is marked dirty.
 */
#ifndef TESTS_CRASH_JUDGE_H
#define TESTS_CRASH_JUDGE_H

#include "reader.h"

enum goal_mode { GOAL_KEEP, GOAL_EXTEND, GOAL_NO_ZERO, GOAL_RELEASE };

struct goal_file {
	const char *path; /* of a new file: exactly as it shall be named */
	uint64_t length;  /* bytes; not for GOAL_RELEASE */
};

struct goal {
	enum goal_mode mode;
	unsigned max_extents; /* 0 = 1 */
	const struct goal_file *files;
	size_t n;
};

struct judge {
	const struct goal *goal;
	const uint8_t *before, *after;
	size_t size;
	struct reader old, final, now;
	char fault[400]; /* what is wrong; "" = nothing */
};

/*
 * Both images stay the caller's and unchanged. False with fault if before is
 * unsound (the test's mistake). judge_close() in all cases.
 */
bool judge_open(struct judge *j, const struct goal *goal,
		const uint8_t *before, const uint8_t *after, size_t size);
void judge_close(struct judge *j);

/* False with fault. */
bool judge_state(struct judge *j, const uint8_t *image);

/*
 * Is after exactly what the goal asks for: sizes, chains, zeros, copies
 * equal, nothing newly lost, FSInfo counted, marks as before, and no byte
 * changed that need not? False with fault.
 */
bool judge_final(struct judge *j);

#endif
