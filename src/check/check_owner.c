/*
 * check_owner.c - to whom a shared cluster belongs
 *
 * Two chains meet at one cluster: each comes there by a link, or begins
 * there. One of them keeps it and what follows. The other one gets a copy
 * (clone.h) if it is a file that needs the cluster; else, or if there is no
 * room, it is cut before it (or made empty, if it begins there). So nothing
 * is freed that anybody has. What speaks for whom is in owner_weigh.c.
 *
 * Who comes by a link that is its own in the walk may lose an earlier
 * cluster to somebody else, who then comes by this link in its place. So
 * losers are noted, and settled when it is known who has won where: the copy
 * is as long as the one who really comes there needs.
 *
 * Invariants: a walk over the tree as in check_cross.c; the meetings of a
 * round, and who comes to them, are bounded, what is beyond is settled by
 * the next.
 */
#include <stdlib.h>
#include <string.h>

#include "check/clone.h"
#include "check/owner_weigh.h"

#define BUDGET_PER_CLUSTER 4
#define NOBODY		   UINT32_MAX

/* What a chain is for. */
struct user {
	uint64_t needed; /* clusters; UINT64_MAX = a directory */
	uint64_t index;	 /* of the meeting's cluster in it */
};

/* One of those who come to a cluster. */
struct comer {
	struct user user;
	unsigned score;
	uint32_t last; /* meeting before this one on its own way; or NOBODY */
	clus_t before; /* links to it; 0 = an entry does: */
	uint64_t entry_offset;
	uint8_t raw[DIRENT_BYTES];
	bool there;
};

struct meeting {
	uint64_t index;	    /* in the chain of who came first */
	struct comer best;
	struct user passes; /* goes on behind it in the end; */
	bool known;	    /* that is */
};

struct loser {
	uint32_t meeting;
	struct comer comer;
};

struct owners {
	struct check *ck;
	struct meeting *v; /* one for each of ck->settle */
	struct loser *losers; /* one for each who comes second or later */
	size_t n_losers;
	uint64_t budget;
	struct clone clone;
	bool unseen;	       /* a directory is another chain's in the walk */
	uint64_t entry_offset; /* of the entry whose chain is being taken */
};

/* Who is about to come. */
struct coming {
	struct owner_chain chain;
	uint32_t last; /* the meeting that it came by last; or NOBODY */
};

static struct meeting *find(const struct owners *o, clus_t c)
{
	size_t place;

	return check_is_settled(o->ck, c, &place) ? &o->v[place] : NULL;
}

static enum status meet(struct owners *o, struct coming *k, clus_t before,
			clus_t clus, uint64_t index, struct error *err)
{
	const struct dir_entry *e = k->chain.e;
	struct meeting *m = find(o, clus);
	struct comer c = { .user = { k->chain.needed, index },
			   .last = k->last, .before = before, .there = true };
	struct loser *loser;
	enum status st;

	/* As many have been promised a repair, in the same order. */
	if (!m || (m->best.there && o->n_losers == o->ck->settle_comers))
		return ST_OK;
	if (e) {
		c.entry_offset = e->offset_bytes;
		memcpy(c.raw, e->raw, DIRENT_BYTES);
	}
	st = owner_score(o->ck, &k->chain, before, clus, index, &c.score, err);
	if (st)
		return st;
	if (!m->best.there) {
		m->index = index;
		m->best = c;
		k->last = (uint32_t)(m - o->v);
		return ST_OK;
	}
	loser = &o->losers[o->n_losers++];
	*loser = (struct loser){ (uint32_t)(m - o->v), c };
	if (c.score > m->best.score) {
		loser->comer = m->best;
		m->best = c;
	}
	return ST_OK;
}

/* Free clusters that somebody leads to are no room for a copy. */
static enum status note_free(void *arg, const struct walk *w,
			     const struct dir_entry *e,
			     const struct claim *claim, struct error *err)
{
	struct owners *o = arg;

	(void)w;
	(void)e;
	(void)err;
	if (claim->end == CLAIM_FREE)
		bitmap_set(o->ck->used, claim->value);
	return ST_OK;
}

static enum status come(void *arg, const struct walk *w,
			const struct dir_entry *e, const struct claim *claim,
			struct error *err)
{
	struct owners *o = arg;
	struct coming k = { .chain.e = e, .last = NOBODY };
	clus_t c = claim->first, before = 0;
	enum status st;
	uint64_t i;

	note_free(o, w, e, claim, err);
	o->unseen |= claim->end == CLAIM_SHARED &&
		     (!e || dirent_is_dir(e->raw));
	st = owner_judge(o->ck, w, claim, &o->budget, &k.chain, err);
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

/*
 * Who really comes where c seems to: the one who has won the meeting before
 * it on the way. *user is known once that is.
 */
static bool comes(const struct owners *o, const struct comer *c,
		  struct user *user)
{
	const struct meeting *m;

	*user = c->user;
	if (!c->before || c->last == NOBODY)
		return true;
	m = &o->v[c->last];
	if (!m->known)
		return false;
	user->needed = m->passes.needed;
	user->index = m->passes.index + (c->user.index - m->index);
	return true;
}

/*
 * Whose the ways behind the meetings are in the end. A meeting depends on one
 * that is earlier on the same way, or on the way of a chain that came later
 * in the walk, so there is no circle.
 */
static enum status settle_ways(struct owners *o, struct error *err)
{
	size_t n = o->ck->settle_count, i, depth;
	uint32_t *waiting = calloc(n, sizeof(*waiting));
	struct meeting *m;

	if (!waiting)
		return error_set_nomem(err);
	for (i = 0; i < n; i++) {
		waiting[0] = (uint32_t)i;
		for (depth = 1; depth;) {
			m = &o->v[waiting[depth - 1]];
			if (m->known || comes(o, &m->best, &m->passes)) {
				m->known = true;
				depth--;
			} else {
				waiting[depth++] = m->best.last;
			}
		}
	}
	free(waiting);
	return ST_OK;
}

static enum status begin_chain(void *arg, const struct dir_entry *e,
			       clus_t first, struct error *err)
{
	struct owners *o = arg;

	(void)first;
	(void)err;
	o->entry_offset = e ? e->offset_bytes : 0;
	return ST_OK;
}

/* Only who keeps a cluster comes by it. */
static bool may_take(const void *arg, clus_t before, clus_t clus)
{
	const struct owners *o = arg;
	const struct meeting *m = find(o, clus);

	if (!m || !m->best.there)
		return true;
	return m->best.before == before &&
	       (before || m->best.entry_offset == o->entry_offset);
}

/*
 * A directory that another chain has taken was not seen, nor what leads from
 * there to free clusters: once more, as it will be.
 */
static enum status look_again(struct owners *o, struct error *err)
{
	const struct walk_visitor visitor = { .before = begin_chain,
					      .after = note_free, .arg = o };
	struct check *ck = o->ck;
	enum status st;

	if (!o->unseen || !clone_is_wanted(ck))
		return ST_OK;
	st = check_forget_used(ck, err);
	ck->may_take = may_take;
	ck->may_take_arg = o;
	if (!st)
		st = walk_tree(ck, &visitor, err);
	ck->may_take = NULL;
	return st;
}

static enum status cut(struct check *ck, const struct comer *c,
		       const struct dir_entry *e, clus_t clus,
		       struct error *err)
{
	return c->before ? repair_cut(ck, c->before, clus, err)
			 : repair_empty(ck, e, err);
}

/* What a directory that returns leads to is known in the next round. */
static enum status plan_clone(struct owners *o, const struct clone_for *f,
			      enum clone_outcome *outcome, struct error *err)
{
	if (o->ck->dir_returns) {
		*outcome = CLONE_WAIT;
		return ST_OK;
	}
	return clone_plan(&o->clone, o->ck->used, f, outcome, err);
}

static enum status settle_loser(struct owners *o, const struct loser *l,
				struct error *err)
{
	const struct comer *c = &l->comer;
	enum clone_outcome outcome = CLONE_NOT;
	struct dir_entry e = { .offset_bytes = c->entry_offset };
	struct clone_for f = { .from = o->ck->settle[l->meeting],
			       .before = c->before, .e = &e };
	enum status st = ST_OK;
	struct user user;

	memcpy(e.raw, c->raw, DIRENT_BYTES);
	comes(o, c, &user);
	if (clone_is_wanted(o->ck) && user.needed != UINT64_MAX &&
	    user.index < user.needed) {
		f.clusters = user.needed - user.index;
		st = plan_clone(o, &f, &outcome, err);
	}
	if (st || outcome == CLONE_DONE)
		return st;
	/* It was weighed as a file: the next round weighs the directory. */
	if (user.needed == UINT64_MAX && c->user.needed != UINT64_MAX)
		outcome = CLONE_WAIT;
	if (outcome == CLONE_WAIT) {
		o->ck->rep->postponed = true;
		return ST_OK;
	}
	return cut(o->ck, c, &e, f.from, err);
}

static enum status settle(struct owners *o, struct error *err)
{
	enum status st = ST_OK;
	size_t i;

	for (i = 0; i < o->n_losers && !st; i++)
		st = settle_loser(o, &o->losers[i], err);
	return st;
}

static enum status collect(struct owners *o, struct error *err)
{
	o->v = calloc(o->ck->settle_count, sizeof(*o->v));
	o->losers = calloc(o->ck->settle_comers, sizeof(*o->losers));
	return o->v && o->losers ? ST_OK : error_set_nomem(err);
}

enum status check_owners(struct check *ck, struct error *err)
{
	struct owners o = { .ck = ck, .clone = { .ck = ck } };
	const struct walk_visitor visitor = { .after = come, .arg = &o };
	enum status st;

	if (!ck->settle_count)
		return ST_OK;
	o.budget = check_budget(ck, BUDGET_PER_CLUSTER);
	st = collect(&o, err);
	if (!st)
		st = check_forget_used(ck, err);
	if (!st)
		st = walk_tree(ck, &visitor, err);
	if (!st)
		st = settle_ways(&o, err);
	if (!st)
		st = look_again(&o, err);
	if (!st)
		st = settle(&o, err);
	clone_close(&o.clone);
	free(o.v);
	free(o.losers);
	return st;
}
