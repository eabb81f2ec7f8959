/*
 * explore.c - walks the intervals of a log and the states of each
 *
 * Invariant: `base` holds all intervals before the current one, and `work`
 * equals it whenever no state is being judged.
 */
#include "explore.h"

#include <stdlib.h>
#include <string.h>

#include "explore_in.h"

#define SHOWN_PER_JOB 3

static const char *const region_name[REGION_COUNT] = {
	"boot", "FSInfo", "FAT", "directory", "data"
};

uint64_t explore_random(struct explorer *x)
{
	x->seed ^= x->seed << 13;
	x->seed ^= x->seed >> 7;
	x->seed ^= x->seed << 17;
	return x->seed;
}

size_t explore_pieces(const struct explorer *x, const struct op *op)
{
	return op->len ? (op->at + op->len - 1) / x->sector -
			 op->at / x->sector + 1 : 0;
}

/* Sector number `piece` of a write: its first and last may be partial. */
static void apply_piece(struct explorer *x, const struct op *op, size_t piece)
{
	size_t first = op->at / x->sector + piece;
	size_t from = first * x->sector, to = from + x->sector;

	from = from < op->at ? op->at : from;
	to = to > op->at + op->len ? op->at + op->len : to;
	memcpy(x->work + from, op->bytes + (from - op->at), to - from);
}

static void apply(struct explorer *x, const struct state *s)
{
	size_t i, k;

	for (i = 0; i < x->n; i++) {
		if (!s->on[i])
			continue;
		if (i != s->torn) {
			memcpy(x->work + x->op[i].at, x->op[i].bytes,
			       x->op[i].len);
			continue;
		}
		for (k = 0; k < explore_pieces(x, &x->op[i]); k++)
			if (s->sectors[k])
				apply_piece(x, &x->op[i], k);
	}
}

static void restore(struct explorer *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		memcpy(x->work + x->op[i].at, x->base + x->op[i].at,
		       x->op[i].len);
}

static bool judge_it(struct explorer *x, const struct state *s)
{
	bool good;

	apply(x, s);
	good = judge_state(x->judge, x->work);
	restore(x);
	return good;
}

/* Leaves out writes as long as it stays a violation. */
static void minimise(struct explorer *x, struct state *s)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		if (!s->on[i] || i == s->torn)
			continue;
		s->on[i] = 0;
		if (judge_it(x, s))
			s->on[i] = 1;
	}
	judge_it(x, s);
}

static void tell(const struct explorer *x, const struct state *s)
{
	FILE *out = x->out;
	size_t i, k;

	fprintf(out, "VIOLATION in %s, after %u barriers: %s\n", x->name,
		x->interval, x->judge->fault);
	for (i = 0; i < x->n; i++) {
		fprintf(out, "  write %zu (%s, %zu bytes at %zu): ", i,
			region_name[x->op[i].region], x->op[i].len,
			x->op[i].at);
		if (s->on[i] && i == s->torn) {
			fprintf(out, "only its sectors");
			for (k = 0; k < explore_pieces(x, &x->op[i]); k++)
				if (s->sectors[k])
					fprintf(out, " %zu", k);
			fprintf(out, " of %zu\n",
				explore_pieces(x, &x->op[i]));
		} else {
			fprintf(out, "%s\n", s->on[i] ? "done" : "not done");
		}
	}
}

void explore_state(struct explorer *x, struct state *s)
{
	if (explore_enough(x))
		return;
	x->sum->states++;
	if (judge_it(x, s))
		return;
	x->sum->violations++;
	if (++x->violations > SHOWN_PER_JOB)
		return;
	minimise(x, s);
	if (!x->sum->first[0])
		memcpy(x->sum->first, x->judge->fault,
		       sizeof(x->sum->first));
	if (x->out)
		tell(x, s);
}

bool explore_enough(const struct explorer *x)
{
	return x->budget->stop_after &&
	       x->violations >= x->budget->stop_after;
}

static void explore_interval(struct explorer *x)
{
	struct state s = { .torn = SIZE_MAX };
	size_t i, most = 1;

	for (i = 0; i < x->n; i++)
		most = explore_pieces(x, &x->op[i]) > most ?
			       explore_pieces(x, &x->op[i]) : most;
	s.on = calloc(x->n + 1, 1);
	s.sectors = calloc(most, 1);
	if (!s.on || !s.sectors)
		abort();
	explore_subsets(x, &s);
	explore_torn(x, &s);
	free(s.on);
	free(s.sectors);
}

static void finish_interval(struct explorer *x)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		memcpy(x->base + x->op[i].at, x->op[i].bytes, x->op[i].len);
		memcpy(x->work + x->op[i].at, x->op[i].bytes, x->op[i].len);
	}
}

static uint64_t seed_of(const char *name)
{
	uint64_t h = 0xCBF29CE484222325u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001B3u;
	return h | 1;
}

/* After the last barrier there is one state, and it is the final one. */
static void explore_end(struct explorer *x, const struct log *log)
{
	struct state none = { .torn = SIZE_MAX };
	uint8_t nothing = 0;

	none.on = &nothing;
	x->n = 0;
	x->op = NULL;
	explore_state(x, &none);
	if (log->n && log->v[log->n - 1].kind != OP_SYNC) {
		x->sum->violations++;
		snprintf(x->sum->first, sizeof(x->sum->first),
			 "no barrier after the last write");
		if (x->out)
			fprintf(x->out, "VIOLATION in %s: %s\n", x->name,
				x->sum->first);
	}
}

void explore(const char *name, const uint8_t *before, const struct log *log,
	     struct judge *j, const struct budget *budget,
	     struct explored *sum, FILE *out)
{
	struct explorer x = { .name = name, .judge = j, .budget = budget,
			      .sum = sum, .out = out,
			      .sector = j->old.sector,
			      .seed = seed_of(name) };
	size_t i, from;

	x.base = malloc(j->size);
	x.work = malloc(j->size);
	if (!x.base || !x.work)
		abort();
	memcpy(x.base, before, j->size);
	memcpy(x.work, before, j->size);
	for (from = i = 0; i <= log->n; i++) {
		if (i < log->n && log->v[i].kind != OP_SYNC)
			continue;
		x.op = log->v + from;
		x.n = i - from;
		if (x.n)
			explore_interval(&x);
		finish_interval(&x);
		x.interval++;
		from = i + 1;
	}
	explore_end(&x, log);
	free(x.base);
	free(x.work);
}
