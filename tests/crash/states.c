/*
 * states.c - chooses the states of one interval: all, or a fair sample
 *
 * Sampled sets always hold none, all, each write alone, all but one, and
 * all up to one; torn writes always each prefix of each write's sectors
 * (up to PREFIXES of them), with no other write, with all that come before
 * it, and with all others.
 */
#include <string.h>

#include "explore_in.h"

#define PREFIXES 48

static void set_bits(const struct explorer *x, struct state *s, uint64_t bits)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		s->on[i] = i < 64 && bits >> i & 1;
}

/* Each write with a chance of 1, 2 or 3 in 4: few, half or most. */
static void set_random(struct explorer *x, struct state *s)
{
	uint64_t chance = 1 + explore_random(x) % 3;
	size_t i;

	for (i = 0; i < x->n; i++)
		s->on[i] = explore_random(x) % 4 < chance;
}

/* Writes from `from` to before `to`; flip turns it around. */
static void set_range(const struct explorer *x, struct state *s, size_t from,
		      size_t to, bool flip)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		s->on[i] = (i >= from && i < to) != flip;
}

static void sampled_subsets(struct explorer *x, struct state *s)
{
	size_t i;

	for (i = 0; i <= x->n; i++) {
		set_range(x, s, 0, i, false);
		explore_state(x, s);
	}
	for (i = 0; i < x->n; i++) {
		set_range(x, s, i, i + 1, false);
		explore_state(x, s);
		set_range(x, s, i, i + 1, true);
		explore_state(x, s);
	}
	for (i = 0; i < x->budget->subsets; i++) {
		set_random(x, s);
		explore_state(x, s);
	}
}

void explore_subsets(struct explorer *x, struct state *s)
{
	uint64_t bits;

	s->torn = SIZE_MAX;
	if (x->n > x->budget->all_up_to) {
		sampled_subsets(x, s);
		return;
	}
	for (bits = 0; bits < (uint64_t)1 << x->n; bits++) {
		set_bits(x, s, bits);
		explore_state(x, s);
	}
}

/* The first `count` sectors of write i. */
static void tear(struct explorer *x, struct state *s, size_t i, size_t count)
{
	s->torn = i;
	s->on[i] = 1;
	memset(s->sectors, 0, explore_pieces(x, &x->op[i]));
	memset(s->sectors, 1, count);
}

/* All prefixes of write i with all subsets of the others. */
static void torn_all(struct explorer *x, struct state *s, size_t i)
{
	size_t pieces = explore_pieces(x, &x->op[i]), k;
	uint64_t bits;

	for (k = 1; k < pieces; k++)
		for (bits = 0; bits < (uint64_t)1 << x->n; bits++) {
			if (bits >> i & 1)
				continue;
			set_bits(x, s, bits);
			tear(x, s, i, k);
			explore_state(x, s);
		}
}

static void torn_some(struct explorer *x, struct state *s, size_t i)
{
	size_t pieces = explore_pieces(x, &x->op[i]), k, step;
	size_t from[] = { 0, 0, 0 }, to[] = { 0, i, x->n }, v;

	step = 1 + pieces / PREFIXES;
	for (k = 1; k < pieces; k += step)
		for (v = 0; v < 3; v++) {
			set_range(x, s, from[v], to[v], false);
			tear(x, s, i, k);
			explore_state(x, s);
		}
}

/* Any sectors of any write, with any of the others. */
static void torn_random(struct explorer *x, struct state *s, uint64_t count)
{
	size_t i, k, pieces;

	while (count--) {
		i = explore_random(x) % x->n;
		pieces = explore_pieces(x, &x->op[i]);
		if (pieces < 2)
			continue;
		set_random(x, s);
		tear(x, s, i, 0);
		for (k = 0; k < pieces; k++)
			s->sectors[k] = explore_random(x) & 1;
		explore_state(x, s);
	}
}

void explore_torn(struct explorer *x, struct state *s)
{
	uint64_t places = 0, states = UINT64_MAX, budget = x->budget->torn;
	size_t i;

	for (i = 0; i < x->n; i++)
		if (explore_pieces(x, &x->op[i]))
			places += explore_pieces(x, &x->op[i]) - 1;
	if (!places)
		return;
	if (x->n <= x->budget->all_up_to)
		states = places << (x->n - 1);
	for (i = 0; i < x->n; i++) {
		if (states <= budget)
			torn_all(x, s, i);
		else
			torn_some(x, s, i);
	}
	if (states > 4 * budget)
		states = 4 * budget;
	torn_random(x, s, states / 4 + 1);
}
