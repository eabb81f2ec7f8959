/*
 * space.c - keeps runs that start aligned apart from scraps
 *
 * Invariant: no cluster is in both pools, and none twice in one.
 */
#include "prealloc/space.h"

#include "base/ckd.h"

void space_free(struct space *s)
{
	pool_free(&s->main);
	pool_free(&s->scrap);
}

enum status space_offer(struct space *s, struct run r, struct error *err)
{
	struct run before, rest;
	enum status st;

	align_split(&s->align, r, &before, &rest);
	st = pool_add(&s->scrap, before, err);
	return st ? st : pool_add(&s->main, rest, err);
}

enum status space_copy(struct space *to, const struct space *from,
		       struct error *err)
{
	enum status st;

	to->align = from->align;
	st = pool_copy(&to->main, &from->main, err);
	if (!st)
		st = pool_copy(&to->scrap, &from->scrap, err);
	pool_sort(&to->main);
	pool_sort(&to->scrap);
	return st;
}

enum status space_put(struct space *s, struct run r, struct error *err)
{
	struct run before, rest;
	enum status st;

	align_split(&s->align, r, &before, &rest);
	st = pool_insert(&s->scrap, before, err);
	return st ? st : pool_insert(&s->main, rest, err);
}

static clus_t first_of(const struct pool *p, clus_t first)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!first || p->v[i].first < first)
			first = p->v[i].first;
	return first;
}

clus_t space_first(const struct space *s)
{
	return first_of(&s->scrap, first_of(&s->main, 0));
}
