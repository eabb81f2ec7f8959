/*
 * repair.h - from findings to edits, round by round
 *
 * A round checks the whole volume and plans what to change; the plan is one
 * commit. Rounds follow until one plans nothing, so what a repair brings to
 * light (a chain that was cut off and is now lost) is found and repaired in
 * the same run, and the last round has seen the final state. With
 * REPAIR_PREVIEW the rounds are the same, and the commits go to an overlay in
 * memory.
 *
 * How a check repairs what it finds:
 *
 *	st = walk_offer(w, name, (struct finding){ ... }, &fix, err);
 *	if (!st && fix)
 *		st = repair_bytes(ck, REGION_DIR, offset, old, new, len, err);
 *
 * Rules: an edit changes only the bytes of what is wrong, and says what was
 * there; no two edits of a round touch the same byte; whatever depends on a
 * repair of the same round is left to the next round.
 */
#ifndef CHECK_REPAIR_H
#define CHECK_REPAIR_H

#include "change/commit.h"
#include "check/check.h"
#include "fat/dirent.h"

enum repair_mode {
	REPAIR_PREVIEW, /* -n: what REPAIR_ALL would do; writes nothing */
	REPAIR_PREEN,	/* -p: what problem.def calls safe, or was asked for */
	REPAIR_ALL,	/* -y */
	REPAIR_ASK,	/* -r: asks for each */
};

enum repair_lost {
	REPAIR_LOST_DEFAULT, /* save; with -p keep */
	REPAIR_LOST_SAVE,
	REPAIR_LOST_FREE,
	REPAIR_LOST_KEEP,
};

/* Zero-initialise, then set. */
struct repair_options {
	enum repair_mode mode;
	enum repair_lost lost;
	bool release;	  /* reservations are given back */
	unsigned use_fat; /* the copy to believe, from 1; 0 = by evidence */
	bool boot_backup; /* the BPB in use is that of the backup */
	struct dos_time now; /* of the entries of saved chains */
	/* REPAIR_ASK: f has its path. */
	enum status (*ask)(void *arg, const struct finding *f, bool *yes,
			   struct error *err);
	void *arg;
	struct commit_options commit;
};

struct repair_outcome {
	bool wrote;	  /* the volume was written to */
	bool preview_cut; /* the preview ended early: too much to hold */
	unsigned rounds;
};

/*
 * Checks and repairs. Of the findings, those with `planned` are repaired
 * (REPAIR_PREVIEW: would be); the others are left. An error with
 * outcome->wrote leaves a volume that is no worse, marked dirty. vol->blk is
 * put under an overlay by REPAIR_PREVIEW. result as for check_volume().
 */
enum status repair_volume(struct volume *vol, struct codepage *cp,
			  const struct check_options *check,
			  const struct repair_options *opt,
			  struct check_result *result,
			  struct repair_outcome *outcome, struct error *err);

/* ---- for the checks ---- */

struct check;
struct walk;
struct dir_entry;

/*
 * Adds f, and answers whether its repair is to be planned in this round:
 * *fix. Takes f's strings over. With a full plan f is not added and *fix is
 * false: the next round will find it again.
 */
enum status check_offer(struct check *ck, struct finding f, bool *fix,
			struct error *err);
/* With the path of name, as for walk_add(). In walk.h: walk_offer(). */

/* In PHASE_ENTRIES for REGION_DIR and _BOOT, in PHASE_FSINFO for _FSINFO. */
enum status repair_bytes(struct check *ck, enum region region,
			 uint64_t offset_bytes, const void *expect,
			 const void *value, uint32_t len, struct error *err);
/*
 * A free slot becomes one in use before, not with, the changes of REGION_DIR:
 * so what moves there is never in neither place. hidden: it is behind the end
 * mark, and stays so until the sector of that mark is written.
 */
enum status repair_slot(struct check *ck, uint64_t offset_bytes,
			const uint8_t *old, const uint8_t *value, bool hidden,
			struct error *err);
/*
 * The slot, which is behind an end mark, becomes one, before slots in front of
 * it are used: what is behind it is never brought back to life.
 */
enum status repair_end_mark(struct check *ck, uint64_t offset_bytes,
			    const uint8_t *old, struct error *err);
/* The chain ends at c, whose entry is old. What follows is lost. */
enum status repair_cut(struct check *ck, clus_t c, uint32_t old,
		       struct error *err);
/* Nobody has the cluster once this round's edits are written. */
enum status repair_free(struct check *ck, clus_t c, struct error *err);
/* The FAT entry of c, 0 and 1 too. */
enum status repair_link(struct check *ck, clus_t c, uint32_t old,
			uint32_t value, struct error *err);
/* The short entry is deleted; its long slots become orphans. */
enum status repair_remove(struct check *ck, const struct dir_entry *e,
			  struct error *err);
/* The bytes [at, at + len) of e become those of slot, if they are not. */
enum status repair_field(struct check *ck, const struct dir_entry *e,
			 const uint8_t *slot, unsigned at, uint32_t len,
			 struct error *err);
enum status repair_size(struct check *ck, const struct dir_entry *e,
			uint32_t size_bytes, struct error *err);
/* The entry has no cluster and, if it is a file, no size. */
enum status repair_empty(struct check *ck, const struct dir_entry *e,
			 struct error *err);
/* The entry begins at another cluster. */
enum status repair_start(struct check *ck, const struct dir_entry *e,
			 clus_t clus, struct error *err);
/* Clusters, or an entry's claim to them, change in this round. */
void repair_tree_changes(struct check *ck);

#endif
