/* rollback.h - writes back what an undo file has kept */
#ifndef CHANGE_ROLLBACK_H
#define CHANGE_ROLLBACK_H

#include "change/commit.h"

/*
 * All blocks of u, which undo_open() gave, from the last to the first. vol
 * needs no BPB, and has none of use afterwards. A failure with *wrote set
 * leaves some blocks written: another run writes them all. Of opt, only
 * verify counts.
 */
enum status rollback_apply(struct volume *vol, struct undo *u,
			   const struct commit_options *opt, bool *wrote,
			   struct error *err);

#endif
