/*
 * straddle.h - links whose FAT12 entry lies in two sectors
 *
 * A power cut may leave one of the two sectors written and the other one not,
 * so such a link is changed in two edits with a barrier between them: the
 * bits in one sector (PHASE_STEPS), then those in the other (PHASE_LINKS).
 * The value in between, the step, must be sound as well: an end mark, or a
 * cluster in the middle of the chain that is linked or cut off. While the
 * step holds, that chain is in two parts, each closed by an end mark; so the
 * file has its old clusters, or one part as well, and the other one is lost.
 */
#ifndef CHANGE_STRADDLE_H
#define CHANGE_STRADDLE_H

#include "change/edit.h"

bool straddle_is(const struct bpb *bpb, clus_t c);

struct straddle_step {
	uint32_t value;
	clus_t before; /* it in the chain: the first part's last; 0 = none */
};

/*
 * A step from old to value in the entry of clus, which straddles: an end
 * mark, a cluster of chain (NULL = none will do), or old or value itself, if
 * these differ in one sector only. False if there is none.
 */
bool straddle_find(clus_t clus, uint32_t old, uint32_t value,
		   const struct runs *chain, struct straddle_step *step);

/*
 * The new chain, and the link to it from tail, which has this end mark (tail
 * 0 = no link). in_parts: part of the chain is as good as none. ST_REFUSED
 * if there is no step.
 */
enum status straddle_add_chain(struct edits *e, const struct bpb *bpb,
			       clus_t tail, uint32_t end_value,
			       const struct runs *runs, bool in_parts,
			       struct error *err);

/*
 * The end of the chain at tail, whose link is old, by any end mark that has a
 * step. chain: what is cut off; only looked at on FAT12; NULL = not known.
 */
enum status straddle_add_cut(struct edits *e, const struct bpb *bpb,
			     clus_t tail, uint32_t old,
			     const struct runs *chain, struct error *err);

#endif
