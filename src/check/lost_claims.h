/* lost_claims.h - do lost directories claim what others have? for src/check */
#ifndef CHECK_LOST_CLAIMS_H
#define CHECK_LOST_CLAIMS_H

#include "check/work.h"

/* Where lost chains are. */
struct lost_dirs {
	const struct bitmap *linked; /* these don't begin one */
	uint64_t low, high;	     /* first and last cluster */
	bool links_out;		     /* one leads to a cluster in ck->used */
};

/*
 * Would a lost directory that is saved share clusters with somebody? If its
 * chain or one of its entries leads to a cluster in ck->used, or to what is no
 * directory though it should be. What is too much to look at is taken for it.
 */
enum status lost_claims(struct check *ck, const struct lost_dirs *dirs,
			bool *claims, struct error *err);

#endif
