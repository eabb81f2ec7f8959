/*
 * chain.c - follows a cluster chain in constant memory
 *
 * Invariant: every cluster reported is inside the volume. A loop ends the
 * walk by Brent's algorithm: a remembered cluster is compared with each next
 * one, and moved up at every power of two.
 */
#include "fat/chain.h"

struct walk {
	struct fatwin *w;
	chain_run_fn *fn;
	void *arg;
	struct run run; /* not yet reported */
};

static enum status report(struct walk *k, struct chain *out, struct error *err)
{
	if (!k->run.count)
		return ST_OK;
	out->runs++;
	out->last_run = k->run.count;
	return k->fn ? k->fn(k->arg, k->run, err) : ST_OK;
}

static enum status take(struct walk *k, clus_t c, struct chain *out,
			struct error *err)
{
	enum status st = ST_OK;

	if (k->run.count && run_end(k->run) == c) {
		k->run.count++;
	} else {
		st = report(k, out, err);
		k->run = (struct run){ c, 1 };
	}
	if (!out->clusters)
		out->first = c;
	out->last = c;
	out->clusters++;
	return st;
}

/* Does a link of this value end the walk, and how? */
static bool ends(const struct bpb *bpb, uint32_t value, enum chain_end *end)
{
	if (fatent_is_eoc(bpb->type, value))
		*end = CHAIN_EOC;
	else if (bpb_has_clus(bpb, value))
		return false;
	else if (fatent_is_reserved(bpb->type, value))
		*end = CHAIN_RESERVED;
	else
		*end = CHAIN_RANGE;
	return true;
}

/* A cluster that is linked to but is itself free or bad is not taken. */
static bool unusable(const struct bpb *bpb, uint32_t value,
		     enum chain_end *end)
{
	if (value == FATENT_FREE)
		*end = CHAIN_FREE;
	else if (value == fatent_bad(bpb->type))
		*end = CHAIN_BAD;
	else
		return false;
	return true;
}

static enum status follow(struct walk *k, clus_t c, uint64_t limit,
			  struct chain *out, struct error *err)
{
	const struct bpb *bpb = &k->w->vol->bpb;
	uint64_t power = 1, steps = 0;
	clus_t mark = c;
	uint32_t next;
	enum status st;

	for (;;) {
		st = fatwin_get(k->w, c, &next, err);
		if (st)
			return st;
		if (unusable(bpb, next, &out->end))
			return ST_OK;
		if (out->clusters >= limit) {
			out->end = CHAIN_LIMIT;
			return ST_OK;
		}
		st = take(k, c, out, err);
		if (st)
			return st;
		out->end_value = next;
		if (ends(bpb, next, &out->end))
			return ST_OK;
		if (next == mark) {
			out->end = CHAIN_LOOP;
			return ST_OK;
		}
		if (++steps == power) {
			mark = next;
			power *= 2;
			steps = 0;
		}
		c = next;
	}
}

enum status chain_walk(struct fatwin *w, clus_t first, uint64_t limit,
		       chain_run_fn *fn, void *arg, struct chain *out,
		       struct error *err)
{
	struct walk k = { .w = w, .fn = fn, .arg = arg };
	enum status st;

	*out = (struct chain){ .end = CHAIN_EOC };
	if (!first)
		return ST_OK;
	if (!bpb_has_clus(&w->vol->bpb, first)) {
		out->end = CHAIN_RANGE;
		return ST_OK;
	}
	st = follow(&k, first, limit, out, err);
	return st ? st : report(&k, out, err);
}

const char *chain_end_text(enum chain_end end)
{
	static const char *const text[] = {
		[CHAIN_EOC] = "ends properly",
		[CHAIN_FREE] = "runs into a free cluster",
		[CHAIN_RANGE] = "links to a cluster that does not exist",
		[CHAIN_BAD] = "runs into a bad cluster",
		[CHAIN_RESERVED] = "links to a reserved value",
		[CHAIN_LOOP] = "runs in a loop",
		[CHAIN_LIMIT] = "is longer than a file can be",
	};

	return text[end];
}
