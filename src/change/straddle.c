/*
 * straddle.c - FAT12 links in two steps
 *
 * Invariant: each edit of a link changes bits of one sector only, so a cut
 * leaves the old value, the step or the new value, and nothing else.
 */
#include "change/straddle.h"

bool straddle_is(const struct bpb *bpb, clus_t c)
{
	return bpb->type == FAT12 &&
	       fatent_offset(FAT12, c) % bpb->sector_bytes ==
		       bpb->sector_bytes - 1;
}

/* Whatever the size of a sector: where a power of two meets 3/2 of c. */
static bool may_straddle(clus_t c)
{
	return (c & 0xFF) == 0x55 || (c & 0xFF) == 0xAA;
}

/* The cluster before c in the chain; 0 = c is the first, or not in it. */
static clus_t before(const struct runs *chain, clus_t c)
{
	clus_t last = 0;
	size_t i;

	for (i = 0; chain && i < chain->n; i++) {
		if (c > chain->v[i].first && c < run_end(chain->v[i]))
			return c - 1;
		if (c == chain->v[i].first)
			return last;
		last = (clus_t)run_end(chain->v[i]) - 1;
	}
	return 0;
}

bool straddle_find(clus_t clus, uint32_t old, uint32_t value,
		   const struct runs *chain, struct straddle_step *step)
{
	/* of the entry, what lies in the first of the two sectors */
	uint32_t low = clus & 1 ? 0x00F : 0x0FF;
	uint32_t try[2] = { (old & ~low) | (value & low),
			    (old & low) | (value & ~low) };
	size_t i;

	for (i = 0; i < 2; i++) {
		*step = (struct straddle_step){ .value = try[i] };
		if (try[i] == old || try[i] == value ||
		    fatent_is_eoc(FAT12, try[i]))
			return true;
		step->before = before(chain, try[i]);
		if (step->before && !may_straddle(step->before))
			return true;
	}
	return false;
}

static enum status refuse(clus_t tail, struct error *err)
{
	return error_set(err, ST_REFUSED,
			 "the FAT entry of cluster %u lies in two sectors, "
			 "and no order to write them is safe from a power cut "
			 "in between", tail);
}

static enum status add_link(struct edits *e, clus_t clus, uint32_t old,
			    uint32_t value, const struct straddle_step *step,
			    struct error *err)
{
	enum status st;

	if (step->value != old && step->value != value) {
		st = edits_add_link(e, PHASE_STEPS, clus, old, step->value,
				    err);
		if (st)
			return st;
		old = step->value;
	}
	return edits_add_link(e, PHASE_LINKS, clus, old, value, err);
}

enum status straddle_add_chain(struct edits *e, const struct bpb *bpb,
			       clus_t tail, uint32_t end_value,
			       const struct runs *runs, bool in_parts,
			       struct error *err)
{
	uint32_t first = runs->v[0].first;
	struct straddle_step step = { .value = first };
	enum status st;

	if (tail && straddle_is(bpb, tail) &&
	    !straddle_find(tail, end_value, first, in_parts ? runs : NULL,
			   &step))
		return refuse(tail, err);
	st = edits_add_chain(e, bpb->type, runs, step.before, err);
	if (!st && step.before)
		st = edits_add_link(e, PHASE_JOINS, step.before,
				    fatent_eoc(bpb->type), step.value, err);
	if (st || !tail)
		return st;
	return add_link(e, tail, end_value, first, &step, err);
}

enum status straddle_add_cut(struct edits *e, const struct bpb *bpb,
			     clus_t tail, uint32_t old,
			     const struct runs *chain, struct error *err)
{
	uint32_t eoc = fatent_eoc(bpb->type), end = eoc;
	struct straddle_step step = { .value = end };
	enum status st = ST_OK;

	while (straddle_is(bpb, tail) &&
	       !straddle_find(tail, old, end, chain, &step))
		if (!fatent_is_eoc(FAT12, --end))
			return refuse(tail, err);
	if (step.before)
		st = edits_add_link(e, PHASE_CHAINS, step.before, step.value,
				    eoc, err);
	return st ? st : add_link(e, tail, old, end, &step, err);
}
