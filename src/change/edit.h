/*
 * edit.h - what shall change on a volume, in what order
 *
 * Planner and repairs describe; change/commit.c alone writes. An edit says
 * which value it expects to replace. Memory is bounded by the number of runs
 * and directory entries, never by clusters.
 */
#ifndef CHANGE_EDIT_H
#define CHANGE_EDIT_H

#include "base/bitmap.h"
#include "base/run.h"
#include "dev/blk.h"
#include "fat/volume.h"

/*
 * The order of law 4, with a barrier after each phase that wrote anything.
 * Space is published from CHAINS to ENTRIES and unpublished before FREE.
 */
enum phase {
	PHASE_MARK,    /* the volume is marked dirty */
	PHASE_MIRRORS, /* the FAT copies become equal */
	PHASE_CHAINS,  /* new chains and contents, not yet referenced; cuts
			  in what PHASE_STEPS cuts off; new end marks of
			  directories */
	PHASE_STEPS,   /* half of a FAT12 link in two sectors: straddle.h */
	PHASE_LINKS,   /* tail links, cuts; directory slots nobody sees yet,
			  or that an entry moves to */
	PHASE_JOINS,   /* of a new chain in two parts: straddle.h */
	PHASE_ENTRIES, /* directory entries */
	PHASE_FREE,    /* clusters that nothing refers to any more; what
			  repairs up to here went by */
	PHASE_FSINFO,
	PHASE_CLEAN,   /* the mark is restored */
	PHASE_COUNT
};

/* run's clusters link to each other, the last one to next. Expects free. */
struct chain_edit {
	struct run run;
	uint32_t next; /* a cluster or an end mark */
};

/* A cluster may have one in each phase; the next expects what one leaves. */
struct link_edit {
	enum phase phase;
	clus_t clus;
	uint32_t expect, value; /* masked */
};

struct byte_edit {
	enum phase phase;
	enum region region;
	uint64_t offset_bytes; /* in the volume */
	uint32_t len;
	uint8_t *value;	       /* owned */
	uint8_t *expect;       /* owned; NULL = whatever is there */
};

/* PHASE_CHAINS: the range shall read as zeros. */
struct zero_edit {
	enum region region;
	uint64_t offset_bytes, len;
};

/*
 * PHASE_CHAINS: the range at to, which is nobody's, gets what the one at from
 * holds. Nothing before or in that phase writes to from.
 */
struct copy_edit {
	uint64_t from, to, len; /* offsets in the volume, bytes */
	uint64_t sum;		/* the committer's, of what it wrote */
};

/*
 * PHASE_MIRRORS: every FAT copy says what copy `copy` says, or, for the
 * clusters of take_other, what copy `other` says. With pair only these two
 * change. Alone among FAT edits.
 */
struct mirror_edit {
	bool wanted, pair;
	unsigned copy, other;	   /* from 0 */
	struct bitmap *take_other; /* owned; NULL = none */
};

struct edits {
	struct chain_edit *chains;
	size_t n_chains, cap_chains;
	struct link_edit *links;
	size_t n_links, cap_links;
	struct byte_edit *bytes;
	size_t n_bytes, cap_bytes;
	struct zero_edit *zeros;
	size_t n_zeros, cap_zeros;
	struct copy_edit *copies;
	size_t n_copies, cap_copies;
	struct bitmap *freed; /* PHASE_FREE; owned; NULL = none */
	struct bitmap *ends;  /* PHASE_LINKS: get an end mark; likewise */
	struct mirror_edit mirror;
};

/* Zero-initialise; edits_free() when done. */
void edits_free(struct edits *e);
bool edits_empty(const struct edits *e);

/* Copies value and expect (which may be NULL). */
enum status edits_add_bytes(struct edits *e, enum phase phase,
			    enum region region, uint64_t offset_bytes,
			    const void *expect, const void *value,
			    uint32_t len, struct error *err);
enum status edits_add_zero(struct edits *e, enum region region,
			   uint64_t offset_bytes, uint64_t len,
			   struct error *err);
/* One that goes on where the last one ends, on both sides, is part of it. */
enum status edits_add_copy(struct edits *e, uint64_t from, uint64_t to,
			   uint64_t len, struct error *err);
enum status edits_add_link(struct edits *e, enum phase phase, clus_t clus,
			   uint32_t expect, uint32_t value, struct error *err);
/*
 * The runs become one chain in their order, closed by an end mark; or, if
 * part_end is one of their clusters, two, of which that one ends the first.
 */
enum status edits_add_chain(struct edits *e, enum fat_type type,
			    const struct runs *runs, clus_t part_end,
			    struct error *err);
/* run's clusters become free. bpb says how long the bitmap must be. */
enum status edits_add_free(struct edits *e, const struct bpb *bpb,
			   struct run run, struct error *err);

/*
 * The chain ends at clus, whatever it links to. For many: a bit for each. On
 * FAT12 an entry may lie in two sectors: straddle_add_cut() instead.
 */
enum status edits_add_end(struct edits *e, const struct bpb *bpb, clus_t clus,
			  struct error *err);

/*
 * Of byte edits of one phase that overlap, the first in the order of the disk
 * stays. True if any went. For repairs, which find the others again.
 */
bool edits_drop_overlaps(struct edits *e);

/* Sorts what the committer streams: by cluster, by offset. */
void edits_sort(struct edits *e);

#endif
