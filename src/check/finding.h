/* finding.h - what is wrong with a volume, as data */
#ifndef CHECK_FINDING_H
#define CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/run.h"
#include "base/status.h"

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };
#define SEVERITY_COUNT 3

enum problem_id {
#define PROBLEM(id, slug, severity, preen, answer, sentence, repair) \
	PROBLEM_##id,
#include "check/problem.def"
#undef PROBLEM
	PROBLEM_COUNT
};

/* A row of problem.def. */
struct problem {
	const char *slug;
	enum severity severity;
	bool preen;	    /* -p may repair it */
	bool answer_yes;    /* the default answer */
	const char *sentence; /* with {placeholders} */
	const char *repair; /* "" = there is none */
};
const struct problem *problem_get(enum problem_id id);
const char *severity_text(enum severity severity);

/* One occurrence. Which numbers mean what, problem.def says. */
struct finding {
	enum problem_id id;
	char *path;  /* owned; NULL = the volume as a whole */
	char *other; /* owned; another path or NULL */
	clus_t first, last; /* clusters; 0 = none */
	uint64_t n, m;
	bool repaired;
};

/* The longest path that a finding keeps; longer ones lose their middle. */
#define FINDING_PATH_MAX 4096

/* Zero-initialise and set max; findings_free() when done. */
struct findings {
	struct finding *v; /* the first max ones */
	size_t n, cap, max;
	uint64_t count[SEVERITY_COUNT]; /* all of them */
};

/*
 * Counts f, and stores it unless max are there already. Takes f's strings
 * over in all cases.
 */
enum status findings_add(struct findings *fs, const struct finding *f,
			 struct error *err);
void findings_free(struct findings *fs);
/* Is what comes only counted? Then there is no need to make it a path. */
bool findings_full(const struct findings *fs);
/* All that were added, stored or not. */
uint64_t findings_total(const struct findings *fs);

/*
 * The sentence with its placeholders filled in, not escaped. Truncates at a
 * character. Returns dst.
 */
#define FINDING_TEXT_MAX (FINDING_PATH_MAX + 512)
char *finding_text(char *dst, size_t cap, const struct finding *f);

#endif
