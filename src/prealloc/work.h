/* work.h - what the phases of a job hand to each other */
#ifndef PREALLOC_WORK_H
#define PREALLOC_WORK_H

#include "prealloc/job.h"
#include "prealloc/plan.h"
#include "prealloc/tree.h"

struct work {
	const struct volume *vol;
	struct codepage *cp;
	const struct job_request *requests;
	size_t n;
	const struct job_options *opt;
	struct job_result *result;
	struct fatwin win;
	struct node *root;
	struct node **leaves;	   /* by request */
	struct plan_request *plan; /* what must get clusters, */
	struct node **planned;	   /* and for whom */
	size_t n_plan, cap_plan, cap_planned;
	struct bitmap *claimed;	   /* whole chains of which clusters are to be
				      zeroed or freed; NULL = none */
	uint64_t claims;	   /* their clusters, chain by chain, */
	uint64_t claimed_chains;   /* and how many chains they are */
	clus_t first_left;	   /* a free cluster after the job */
	struct edits edits;
};

/* The size that the file of a request shall have. */
uint32_t work_new_size(const struct work *w, size_t i);
/* Clusters beyond those that the size needs. */
clus_t work_reserved(const struct work *w, const struct node *node);
uint32_t work_old_size(const struct node *node);

/* needs.c: fills plan and planned from the resolved tree. */
enum status work_needs(struct work *w, struct error *err);
/* build.c: describes everything that a reservation writes. */
enum status work_build(struct work *w, struct error *err);
/* release.c: the same for --release. */
enum status work_release(struct work *w, struct error *err);
/*
 * owners.c: claims a run of a chain of which clusters are to be zeroed or
 * freed. All of such a chain is claimed, so that it does not matter where
 * another file joins it.
 */
enum status work_claim(struct work *w, struct run run, struct error *err);
/*
 * ST_REFUSED if anybody but the requests' own chains refers to a claimed
 * cluster: a file too long by damage looks like one with a reservation.
 * links: FAT entries that lead into claimed clusters.
 */
enum status work_check_owners(const struct work *w, uint64_t links,
			      struct error *err);

#endif
