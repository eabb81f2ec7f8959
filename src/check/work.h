/* work.h - what the parts of a check share; for src/check only */
#ifndef CHECK_WORK_H
#define CHECK_WORK_H

#include "base/bitmap.h"
#include "check/check.h"
#include "fat/fatwin.h"

struct repair;

/* Those who come to a shared cluster and are dealt with in a round. */
#define CHECK_SETTLE_MAX 16384

struct check {
	const struct volume *vol;
	const struct bpb *bpb;
	struct codepage *cp;
	const struct check_options *opt;
	struct check_result *res;
	struct repair *rep; /* what is planned; NULL = nothing is repaired */
	struct fatwin win;  /* on the copy that is believed */
	/* While mirrors are judged: another copy, and what it is taken for. */
	struct fatwin other;
	struct bitmap *take_other; /* owned by rep's edits; NULL = nothing */

	/* The last cluster that lies wholly in the image; may be < 2. */
	uint64_t image_last_clus;
	size_t first_finding; /* of this round */
	/*
	 * At most four bits per cluster at a time: these two, and two of
	 * linked in check_lost.c and the edits' ends and freed; or, while
	 * mirrors are judged, used, take_other and two of mirror_in.h.
	 */
	struct bitmap *used;   /* a file or directory has it */
	struct bitmap *shared; /* a second one ran into it; NULL = none */
	clus_t *settle;	       /* of these, to be given to one; sorted */
	size_t settle_count;   /* at most CHECK_SETTLE_MAX, */
	size_t settle_comers;  /* as are those who come there second or later */
	uint64_t used_count;
	bool tree_incomplete;  /* a directory could not be read whole */
	bool dir_returns;      /* it gets a free cluster back: not seen yet */
	uint32_t ancestors;    /* that check_subdir.c looked at */
	clus_t grow_next;      /* no cluster before it is free: grow.c */
	uint64_t ticks;	       /* since it was last asked whether to stop */
	/* May a chain go on from before (0 = an entry) to c? NULL = yes. */
	bool (*may_take)(const void *arg, clus_t before, clus_t c);
	const void *may_take_arg;
	unsigned pass;	       /* as check_options.progress has it */
	uint64_t entries;      /* of the FAT that pass 1 has seen */
};

/*
 * check.c: one round. rep NULL: findings only. result is added to; its
 * summary and reservations are new.
 */
enum status check_round(const struct volume *vol, struct codepage *cp,
			const struct check_options *opt, struct repair *rep,
			struct check_result *result, struct error *err);

/* used becomes empty, for another walk. */
enum status check_forget_used(struct check *ck, struct error *err);
/* The FAT entry of c, as it is or will be once the mirrors are equal. */
enum status check_get(struct check *ck, clus_t c, uint32_t *value,
		      struct error *err);
/* f's strings are taken over. */
enum status check_add(struct check *ck, struct finding f, struct error *err);
/* Of the volume as a whole. */
enum status check_note(struct check *ck, enum problem_id id, uint64_t n,
		       uint64_t m, struct error *err);
/*
 * How much may be looked at beside a walk, in proportion to the clusters: with
 * some to spare, so that small volumes have enough.
 */
uint64_t check_budget(const struct check *ck, unsigned per_cluster);
/* ST_CANCELLED if the caller wants to stop; cheap enough for every cluster. */
enum status check_tick(struct check *ck, struct error *err);
/* Are len bytes at offset inside the image? */
bool check_in_image(const struct check *ck, uint64_t offset, uint64_t len);

/* check_boot.c: the boot sector and the marks. */
enum status check_boot(struct check *ck, struct error *err);
/* check_backup.c: the backup of the boot sector. */
enum status check_backup(struct check *ck, struct error *err);
/*
 * Does a backup describe the volume where the boot sector does not? at: where
 * it is, which a wrong sector size does not tell.
 */
enum status check_backup_fits(struct check *ck, uint64_t *at, bool *fits,
			      struct error *err);
/* Offers, as id, that the boot sector becomes its backup at that place. */
enum status check_restore_boot(struct check *ck, enum problem_id id,
			       uint64_t at, bool *fix, struct error *err);
/*
 * check_size.c: more clusters or sectors than there are. Once the FAT has
 * been read, if it can be.
 */
enum status check_size(struct check *ck, struct error *err);
/* check_root.c: where the root directory of a FAT32 is. */
enum status check_root(struct check *ck, struct error *err);
/* check_label.c: the boot sector's label against the root's. */
enum status check_label(struct check *ck, const uint8_t root_label[11],
			struct error *err);
/* check_copies.c: counts, mirrors, FAT[0], FAT[1]; fills summary. */
enum status check_copies(struct check *ck, struct error *err);
/* check_fsinfo.c */
enum status check_fsinfo(struct check *ck, struct error *err);
/*
 * check_mirror.c: which copy is right for which chain; fills take_other. With
 * pair only the believed copy and the other one become equal in this round.
 */
enum status check_mirrors(struct check *ck, unsigned other, bool pair,
			  struct error *err);
/*
 * settled.c: is c a shared cluster that this round deals with? *place: where
 * it is in settle, or would be.
 */
bool check_is_settled(const struct check *ck, clus_t c, size_t *place);
/* It becomes one. */
enum status check_settle(struct check *ck, clus_t c, struct error *err);
/* check_owner.c: gives shared clusters to one of those who have them. */
enum status check_owners(struct check *ck, struct error *err);
/* check_release.c: gives reservations back. */
enum status check_release(struct check *ck, struct error *err);
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
