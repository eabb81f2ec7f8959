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
	bool planned; /* is repaired, or (-n) would be */
	bool follows; /* from other repairs: it was not there to be found */
	bool frees;   /* what is lost is freed, not saved */
};

/* Paths take up so much for each finding that may be kept. */
#define FINDING_PATHS_EACH 512
/* The longest path that a finding keeps; longer ones lose their middle. */
#define FINDING_PATH_MAX 4096

/* Zero-initialise and set max; findings_free() when done. */
struct findings {
	struct finding *v; /* the first max ones, or fewer with long paths: */
	size_t n, cap, max;
	uint64_t path_bytes; /* of all of them */
	uint64_t unlisted;   /* not stored */
	uint64_t unlisted_round; /* likewise, not planned, of this round */
	bool preview; /* what follows is not on the volume: not counted */
	uint64_t count[SEVERITY_COUNT];	  /* all of them */
	uint64_t planned[SEVERITY_COUNT]; /* of these */
	uint64_t follow[SEVERITY_COUNT];  /* planned and not counted */
	uint64_t stay[SEVERITY_COUNT];	  /* of the preview's first round */
	uint64_t left[SEVERITY_COUNT];	  /* of this round, not planned */
};

/*
 * Counts f, and stores it unless max are there already. Takes f's strings
 * over in all cases.
 */
enum status findings_add(struct findings *fs, const struct finding *f,
			 struct error *err);
/* The same for the same problem of the same thing. */
uint64_t finding_hash(const struct finding *f);
/* Those from first on that are among the first ones go. */
enum status findings_drop_known(struct findings *fs, size_t first,
				struct error *err);
/*
 * From the one with index first on, those that are not planned go: the next
 * round finds them again. A preview keeps those of its first round, to tell
 * all that is there.
 */
void findings_end_round(struct findings *fs, size_t first, bool is_first);
void findings_free(struct findings *fs);
/* Is what comes only counted? Then there is no need to make it a path. */
bool findings_full(const struct findings *fs);
bool findings_paths_full(const struct findings *fs);
/* The i-th one's other path, which is taken over. */
void findings_set_other(struct findings *fs, size_t i, char *path);
/* How many of those that count, or are planned, are not stored. */
uint64_t findings_unlisted(const struct findings *fs);

/*
 * The sentence with its placeholders filled in, not escaped. Truncates at a
 * character. Returns dst.
 */
#define FINDING_TEXT_MAX (FINDING_PATH_MAX + 512)
char *finding_text(char *dst, size_t cap, const struct finding *f);
/* What its repair does; "" = there is none. */
const char *finding_repair(const struct finding *f);

#endif
