/*
 * mirror_view.c - what a chain is under one FAT copy
 *
 * Invariants: a look ends on every volume, as it notices that it comes round
 * and as all looks of a walk share a budget in proportion to the clusters; it
 * never goes on through a settled cluster.
 */
#include "check/mirror_in.h"

#define BUDGET_PER_CLUSTER 8

bool mirror_is_dir(const struct dir_entry *e)
{
	return !e || dirent_is_dir(e->raw);
}

enum status mirror_begin(struct mirror_judge *j, struct error *err)
{
	j->budget = check_budget(j->ck, BUDGET_PER_CLUSTER);
	return check_forget_used(j->ck, err);
}

bool mirror_is_settled(const struct mirror_judge *j, clus_t c)
{
	return j->known && bpb_has_clus(j->ck->bpb, c) &&
	       bitmap_get(j->odd[0], c) && bitmap_get(j->odd[1], c);
}

static struct fatwin *win_of(const struct mirror_judge *j,
			     const struct mirror_view *v)
{
	return v->copy == j->base ? &j->ck->win : &j->ck->other;
}

static enum mirror_fit fit_of(const struct dir_entry *e,
			      const struct mirror_view *v)
{
	if (mirror_is_dir(e))
		return v->dir.wrong ? FIT_SHORT : FIT_EXACT;
	if (v->clusters < v->needed)
		return FIT_SHORT;
	return v->clusters == v->needed ? FIT_EXACT : FIT_LONGER;
}

/* Does the look end before c, which is a cluster? */
static bool stops(struct mirror_judge *j, clus_t c, struct mirror_view *v)
{
	if (j->known && bitmap_get(j->odd[v->copy], c))
		v->crosses = true;
	if (j->known && bitmap_get(j->odd[!v->copy], c))
		v->explains = true;
	if (v->stop_used && bitmap_get(j->ck->used, c))
		v->crosses = true;
	else if (!mirror_is_settled(j, c))
		return v->crosses && v->stop_odd;
	return true;
}

/*
 * What a file needs of the chain that it has run into at c, which will be
 * copied for it: clone.h.
 */
static enum status look_beyond(struct mirror_judge *j, clus_t c,
			       struct mirror_view *v, struct error *err)
{
	const struct bpb *bpb = j->ck->bpb;
	enum status st = ST_OK;
	uint32_t next;

	while (v->clusters + v->beyond < v->needed && bpb_has_clus(bpb, c) &&
	       j->budget) {
		j->budget--;
		st = check_get(j->ck, c, &next, err);
		if (!st)
			st = check_tick(j->ck, err);
		if (st || !fatent_is_used(bpb->type, next))
			return st;
		v->beyond++;
		c = next;
	}
	return ST_OK;
}

enum status mirror_look(struct mirror_judge *j, const struct dir_entry *e,
			clus_t first, struct mirror_view *v, struct error *err)
{
	const struct bpb *bpb = j->ck->bpb;
	clus_t c, seen = 0; /* one it would come back to */
	uint32_t next = first;
	enum status st = ST_OK;

	v->fit = FIT_BROKEN;
	v->needed = mirror_is_dir(e) ? 0 : bpb_clusters_for(bpb, e->size_bytes);
	for (;;) {
		c = next;
		v->loops = c == seen;
		if (!bpb_has_clus(bpb, c) || v->loops || !j->budget)
			return ST_OK;
		if (stops(j, c, v))
			return v->stop_used ? look_beyond(j, c, v, err) :
					      ST_OK;
		j->budget--;
		st = fatwin_get(win_of(j, v), c, &next, err);
		if (!st)
			st = check_tick(j->ck, err);
		if (st || !fatent_is_used(bpb->type, next))
			return st;
		if (mirror_is_dir(e))
			st = dirlook_cluster(j->ck, c, &v->dir, err);
		if (st)
			return st;
		if (!(v->clusters & (v->clusters + 1)))
			seen = c;
		v->clusters++;
		v->alone += !v->crosses;
		if (fatent_is_eoc(bpb->type, next))
			break;
	}
	v->fit = fit_of(e, v);
	return ST_OK;
}

/* How much of what e needs is there. How long a loop is is not known. */
static uint64_t worth(const struct mirror_view *v, const struct dir_entry *e,
		      uint64_t clusters)
{
	if (mirror_is_dir(e))
		return v->dir.entries;
	if (v->loops)
		return 0;
	return clusters < v->needed ? clusters : v->needed;
}

bool mirror_is_sound(const struct mirror_view *v)
{
	return v->fit >= FIT_LONGER && !v->crosses;
}

bool mirror_is_better(const struct dir_entry *e, const struct mirror_view *a,
		      const struct mirror_view *b)
{
	uint64_t of_a = worth(a, e, a->clusters + a->beyond);
	uint64_t of_b = worth(b, e, b->clusters + b->beyond);

	if (mirror_is_sound(a) != mirror_is_sound(b))
		return mirror_is_sound(b);
	if (mirror_is_sound(a) && a->fit != b->fit)
		return b->fit > a->fit;
	if (of_a == of_b) {
		of_a = worth(a, e, a->alone);
		of_b = worth(b, e, b->alone);
	}
	return of_a == of_b ? b->fit > a->fit : of_b > of_a;
}

enum status mirror_take(struct mirror_judge *j, clus_t first,
			const struct mirror_view *v, bool settle,
			struct error *err)
{
	enum status st = ST_OK;
	clus_t c = first;
	uint64_t i;

	if (v->copy == j->base && !settle)
		return ST_OK;
	for (i = 0; i < v->clusters && !st; i++) {
		if (v->copy != j->base)
			bitmap_set(j->ck->take_other, c);
		if (settle) {
			bitmap_set(j->odd[0], c);
			bitmap_set(j->odd[1], c);
		}
		st = fatwin_get(win_of(j, v), c, &c, err);
	}
	return st;
}
