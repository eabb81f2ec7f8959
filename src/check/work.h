/* work.h - what the parts of a check share; for src/check only */
#ifndef CHECK_WORK_H
#define CHECK_WORK_H

#include "base/bitmap.h"
#include "check/check.h"
#include "fat/fatwin.h"

struct check {
	const struct volume *vol;
	const struct bpb *bpb;
	struct codepage *cp;
	const struct check_options *opt;
	struct check_result *res;
	struct fatwin win; /* on the copy that is believed */

	/* The last cluster that lies wholly in the image; may be < 2. */
	uint64_t image_last_clus;
	struct bitmap *linked; /* some entry links to it */
	struct bitmap *used;   /* a file or directory has it */
	struct bitmap *shared; /* a second one ran into it; NULL = none */
	uint64_t used_count;
	bool tree_incomplete;  /* a directory could not be read whole */
	uint64_t ticks;	       /* since it was last asked whether to stop */
};

/* f's strings are taken over. */
enum status check_add(struct check *ck, struct finding f, struct error *err);
/* Of the volume as a whole. */
enum status check_note(struct check *ck, enum problem_id id, uint64_t n,
		       uint64_t m, struct error *err);
/* ST_CANCELLED if the caller wants to stop; cheap enough for every cluster. */
enum status check_tick(struct check *ck, struct error *err);
/* Are len bytes at offset inside the image? */
bool check_in_image(const struct check *ck, uint64_t offset, uint64_t len);

/* check_boot.c */
enum status check_boot(struct check *ck, struct error *err);
enum status check_label(struct check *ck, const uint8_t root_label[11],
			struct error *err);
/* check_copies.c: counts, mirrors, FAT[0], FAT[1]; fills linked and summary. */
enum status check_copies(struct check *ck, struct error *err);
/* check_fsinfo.c */
enum status check_fsinfo(struct check *ck, struct error *err);
/* check_lost.c: what is in the FAT and not in used. */
enum status check_lost(struct check *ck, struct error *err);
/* check_cross.c: names the other owner in the findings of shared clusters. */
enum status check_cross(struct check *ck, struct error *err);
/* check_gate.c: --expect and --contiguous. */
enum status check_gate(struct check *ck, struct error *err);

/* How a claimed chain ended. */
enum claim_end {
	CLAIM_EOC,
	CLAIM_RANGE,	/* first or link outside the volume */
	CLAIM_RESERVED,
	CLAIM_FREE,	/* at a free cluster, */
	CLAIM_BAD,	/* at a bad one */
	CLAIM_LOOP,	/* at one of its own */
	CLAIM_SHARED,	/* at one of another chain */
};

/*
 * The part of a chain that nobody else had. at is the last cluster of it (0
 * if it is empty), value what comes next: a cluster or whatever is there.
 */
struct claim {
	clus_t first, clusters, runs;
	clus_t at;
	clus_t beyond; /* first cluster past the end of the image; 0 = none */
	uint32_t value;
	enum claim_end end;
};

/* claim.c: follows the chain and marks it in used. first is not 0. */
typedef enum status claim_fn(void *arg, clus_t c, struct error *err);
enum status claim_chain(struct check *ck, clus_t first, claim_fn *fn,
			void *arg, struct claim *out, struct error *err);

#endif
