/*
 * check_owner.c - to whom a shared cluster belongs
 *
 * Two chains meet at one cluster: each comes there by a link, or begins
 * there. One of them keeps it and what follows, the other is cut before it
 * (or made empty, if it begins there), so nothing is freed that anybody has.
 * The evidence, in this order: the entry is no directory that was lost, and in
 * none, as what that has may be somebody else's by now; it is a directory that
 * begins with its dot entries; ".." leads to where the entry is; the whole
 * chain is as long as its entry needs; the cluster is within what the size
 * needs; it is the entry's first one; the link leads to the next cluster. In a
 * tie the first in the walk keeps it.
 *
 * Invariants: a walk over the tree as in check_cross.c; the meetings of a
 * round are bounded, what is beyond is settled by the next; the entries that
 * are looked at ahead of the walk have a budget in proportion to the
 * clusters.
 */
#include <stdlib.h>
#include <string.h>

#include "check/check_dir.h"
#include "check/rescue.h"

#define BUDGET_PER_CLUSTER 4

#define SCORE_LIVE   128
#define SCORE_ROOT   64
#define SCORE_DOTS   32
#define SCORE_PARENT 16
#define SCORE_FITS   8
#define SCORE_NEEDED 4
#define SCORE_STARTS 2
#define SCORE_NEXT   1

/* One of those who come to a cluster. */
struct comer {
	unsigned score;
	clus_t before;	       /* links to it; 0 = an entry does: */
	uint64_t entry_offset;
	uint8_t raw[DIRENT_BYTES];
	bool there;
};

struct meeting {
	clus_t clus;
	struct comer best;
};

struct owners {
	struct check *ck;
	struct meeting *v; /* by cluster */
	size_t n;
	uint64_t budget;
};

/* Who is about to come, and how good the chain is. */
struct chain_of {
	const struct dir_entry *e; /* NULL = the root */
	uint64_t needed;	   /* clusters */
	bool fits;
	unsigned score; /* wherever in the chain */
};

static struct meeting *find(const struct owners *o, clus_t c)
{
	size_t low = 0, high = o->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (o->v[middle].clus < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->n && o->v[low].clus == c ? &o->v[low] : NULL;
}

static enum status cut(struct check *ck, const struct comer *loser,
		       clus_t clus, struct error *err)
{
	struct dir_entry e;

	if (loser->before)
		return repair_cut(ck, loser->before, clus, err);
	e.offset_bytes = loser->entry_offset;
	memcpy(e.raw, loser->raw, DIRENT_BYTES);
	return repair_empty(ck, &e, err);
}

static enum status meet(struct owners *o, const struct chain_of *k,
			clus_t before, clus_t clus, uint64_t index,
			struct error *err)
{
	struct meeting *m = find(o, clus);
	struct comer c = { .there = true, .before = before,
			   .score = k->score }, loser;

	if (!m)
		return ST_OK;
	if (k->e) {
		c.entry_offset = k->e->offset_bytes;
		memcpy(c.raw, k->e->raw, DIRENT_BYTES);
	}
	if (index < k->needed)
		c.score += SCORE_NEEDED + (k->fits ? SCORE_FITS : 0);
	if (!before)
		c.score += SCORE_STARTS;
	else if (before + 1 == clus)
		c.score += SCORE_NEXT;
	loser = c;
	if (!m->best.there || c.score > m->best.score) {
		loser = m->best;
		m->best = c;
	}
	return loser.there ? cut(o->ck, &loser, clus, err) : ST_OK;
}

/* Does the chain, from c on, come to its end after exactly left clusters? */
static enum status ends_after(struct owners *o, clus_t c, uint64_t left,
			      bool *yes, struct error *err)
{
	const struct bpb *bpb = o->ck->bpb;
	enum status st;
	uint32_t next;

	*yes = false;
	while (left && o->budget && bpb_has_clus(bpb, c)) {
		o->budget--;
		st = check_get(o->ck, c, &next, err);
		if (!st)
			st = check_tick(o->ck, err);
		if (st)
			return st;
		left--;
		if (fatent_is_eoc(bpb->type, next)) {
			*yes = !left;
			return ST_OK;
		}
		c = next;
	}
	return ST_OK;
}

/* A directory knows where it begins, and whose it is. */
static enum status judge_dir(struct owners *o, const struct walk *w,
			     struct chain_of *k, const struct claim *claim,
			     struct error *err)
{
	clus_t above = w->depth ? w->frames[w->depth - 1].clus : 0, parent;
	const struct bpb *bpb = o->ck->bpb;
	enum status st;
	bool dots;

	k->needed = UINT64_MAX;
	k->fits = claim->end == CLAIM_EOC;
	if (!k->e) {
		k->score |= SCORE_ROOT;
		return ST_OK;
	}
	if (!bpb_has_clus(bpb, k->e->clus))
		return ST_OK;
	st = check_looks_like_dir(o->ck, k->e->clus, &dots, &parent, err);
	if (st || !dots)
		return st;
	k->score |= SCORE_DOTS;
	if (parent == above || (!above && parent == bpb->root_clus))
		k->score |= SCORE_PARENT;
	return ST_OK;
}

static enum status judge(struct owners *o, const struct walk *w,
			 struct chain_of *k, const struct claim *claim,
			 struct error *err)
{
	if (!k->e || !rescue_is_around(w, k->e))
		k->score |= SCORE_LIVE;
	if (!k->e || dirent_is_dir(k->e->raw))
		return judge_dir(o, w, k, claim, err);
	k->needed = bpb_clusters_for(o->ck->bpb, k->e->size_bytes);
	k->fits = claim->end == CLAIM_EOC && claim->clusters == k->needed;
	if (claim->end != CLAIM_SHARED || claim->clusters >= k->needed)
		return ST_OK;
	return ends_after(o, claim->value, k->needed - claim->clusters,
			  &k->fits, err);
}

static enum status come(void *arg, const struct walk *w,
			const struct dir_entry *e, const struct claim *claim,
			struct error *err)
{
	struct owners *o = arg;
	struct chain_of k = { .e = e };
	clus_t c = claim->first, before = 0;
	enum status st;
	uint64_t i;

	st = judge(o, w, &k, claim, err);
	for (i = 0; i < claim->clusters && !st; i++) {
		if (bitmap_get(o->ck->shared, c))
			st = meet(o, &k, before, c, i, err);
		before = c;
		if (!st)
			st = check_get(o->ck, c, &c, err);
	}
	if (st || claim->end != CLAIM_SHARED ||
	    !bitmap_get(o->ck->shared, claim->value))
		return st;
	return meet(o, &k, before, claim->value, i, err);
}

static enum status collect(struct owners *o, struct error *err)
{
	o->n = o->ck->settle_count;
	o->v = calloc(o->n, sizeof(*o->v));
	if (!o->v)
		return error_set_nomem(err);
	for (size_t i = 0; i < o->n; i++)
		o->v[i].clus = o->ck->settle[i];
	return ST_OK;
}

/* The first one that is not before c. */
static size_t place_of(const struct check *ck, clus_t c)
{
	size_t low = 0, high = ck->settle_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ck->settle[middle] < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool check_is_settled(const struct check *ck, clus_t c)
{
	size_t i = place_of(ck, c);

	return i < ck->settle_count && ck->settle[i] == c;
}

enum status check_settle(struct check *ck, clus_t c, struct error *err)
{
	size_t i = place_of(ck, c);

	if (check_is_settled(ck, c))
		return ST_OK;
	if (!ck->settle)
		ck->settle = calloc(CHECK_SETTLE_MAX, sizeof(*ck->settle));
	if (!ck->settle)
		return error_set_nomem(err);
	memmove(ck->settle + i + 1, ck->settle + i,
		(ck->settle_count - i) * sizeof(*ck->settle));
	ck->settle[i] = c;
	ck->settle_count++;
	return ST_OK;
}

enum status check_owners(struct check *ck, struct error *err)
{
	struct owners o = { .ck = ck };
	const struct walk_visitor visitor = { .after = come, .arg = &o };
	enum status st;

	if (!ck->settle_count)
		return ST_OK;
	o.budget = ((uint64_t)ck->bpb->clusters + 65536) *
		   BUDGET_PER_CLUSTER;
	st = collect(&o, err);
	if (!st)
		st = check_forget_used(ck, err);
	if (!st)
		st = walk_tree(ck, &visitor, err);
	free(o.v);
	return st;
}
