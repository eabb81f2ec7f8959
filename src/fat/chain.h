/* chain.h - following a cluster chain, whatever it does */
#ifndef FAT_CHAIN_H
#define FAT_CHAIN_H

#include "fat/fatwin.h"

enum chain_end {
	CHAIN_EOC,     /* a proper end mark */
	CHAIN_FREE,    /* a link to, or a start at, a free cluster */
	CHAIN_RANGE,   /* a link to 1 or beyond the last cluster */
	CHAIN_BAD,     /* the bad-cluster mark inside */
	CHAIN_RESERVED,/* FF0-FF6 */
	CHAIN_LOOP,
	CHAIN_LIMIT,   /* more clusters than the limit given */
};

/* The sound part of a chain. */
struct chain {
	clus_t first, last;  /* 0 if clusters == 0 */
	clus_t clusters;
	clus_t runs;
	clus_t last_run;     /* clusters of the last run */
	enum chain_end end;
	uint32_t end_value;  /* the entry of last, masked */
};

/* Called for each run, in file order; a status other than ST_OK stops. */
typedef enum status chain_run_fn(void *arg, struct run run,
				 struct error *err);

/*
 * Walks from first (0 = an empty chain, CHAIN_EOC) to its end or limit
 * clusters. Uses constant memory (Brent's cycle detection). fn may be NULL.
 * A status other than ST_OK is an I/O error or fn's; damage is in out->end,
 * and the sound part has been reported. In a loop that part ends with the
 * last cluster before the first repeat, or some clusters later.
 */
enum status chain_walk(struct fatwin *w, clus_t first, uint64_t limit,
		       chain_run_fn *fn, void *arg, struct chain *out,
		       struct error *err);

/* A few words for a person: "links to a free cluster". */
const char *chain_end_text(enum chain_end end);

#endif
