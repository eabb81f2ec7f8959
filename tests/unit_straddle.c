/* unit_straddle.c - FAT12 links in two sectors: every torn state is sound */
#include <check.h>
#include <stdlib.h>

#include "base/ckd.h"
#include "change/straddle.h"

static const struct bpb fat12 = { .type = FAT12, .sector_bytes = 512,
				  .last_clus = 4085 };
static struct error err;

/* By the specification: byte 3c/2 is the last of its sector. */
START_TEST(which_straddle)
{
	static const clus_t of_512[] = { 341, 682, 1365, 1706, 2389, 2730,
					 3413, 3754 };
	struct bpb bpb = fat12;
	size_t i, n = 0;
	clus_t c;

	for (c = 2; c <= 4085; c++)
		if (straddle_is(&bpb, c))
			ck_assert_uint_eq(c, of_512[n++]);
	ck_assert_uint_eq(n, sizeof(of_512) / sizeof(*of_512));
	bpb.sector_bytes = 4096;
	for (c = 2; c <= 4085; c++)
		ck_assert_int_eq(straddle_is(&bpb, c), c == 2730);
	bpb.type = FAT16;
	for (i = 0; i < n; i++)
		ck_assert(!straddle_is(&bpb, of_512[i]));
}
END_TEST

static bool find(clus_t tail, uint32_t old, uint32_t value, struct run run,
		 struct straddle_step *step)
{
	struct runs chain = { .v = &run, .n = 1 };

	return straddle_find(tail, old, value, run.count ? &chain : NULL,
			     step);
}

struct example {
	clus_t tail;
	uint32_t old, value;
	struct run chain;
	uint32_t step; /* 0 = none */
	clus_t before;
};

START_TEST(examples)
{
	static const struct example all[] = {
		/* odd: the low digit first, then the others, or the reverse */
		{ 341, 0xFFF, 0x158, { 0 }, 0xFF8, 0 },
		{ 341, 0xFFF, 0x157, { 0 }, 0, 0 }, /* FF7 is bad */
		{ 341, 0xFF8, 0x157, { 0x157, 1 }, 0, 0 },
		{ 341, 0xFFF, 0x156, { 0x156, 9 }, 0, 0 },
		{ 341, 0xFFF, 0x156, { 0x156, 10 }, 0x15F, 0x15E },
		{ 341, 0xFF9, 0x156, { 0x156, 4 }, 0x159, 0x158 },
		/* the two agree in one sector: one edit */
		{ 341, 0xFFA, 0x15A, { 0 }, 0xFFA, 0 },
		/* even: the two low digits first */
		{ 682, 0xFFF, 0x1F8, { 0 }, 0xFF8, 0 },
		{ 682, 0xFFF, 0x1F7, { 0 }, 0, 0 },
		{ 682, 0xFFF, 0x2AB, { 0x2AB, 0x54 }, 0, 0 },
		{ 682, 0xFFF, 0x2AB, { 0x2AB, 0x55 }, 0x2FF, 0x2FE },
		{ 682, 0xFFF, 0x3FF, { 0 }, 0xFFF, 0 },
		/* the link between the parts straddles as well */
		{ 341, 0xFFB, 0x2A5, { 0x2A5, 30 }, 0, 0 },
	};
	struct straddle_step step;
	size_t i;
	bool found;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct example *e = &all[i];

		found = find(e->tail, e->old, e->value, e->chain, &step);
		ck_assert_msg(found == !!e->step, "example %zu", i);
		if (!found)
			continue;
		ck_assert_msg(step.value == e->step, "example %zu", i);
		ck_assert_msg(step.before == e->before, "example %zu", i);
	}
}
END_TEST

/* What the two bytes of an entry say (format.md 31), by the parity of c. */
static uint32_t entry(clus_t c, const uint8_t b[2])
{
	return c & 1 ? (uint32_t)(b[0] >> 4 | b[1] << 4)
		     : (uint32_t)(b[0] | (b[1] & 0x0F) << 8);
}

static void put_entry(clus_t c, uint8_t b[2], uint32_t v)
{
	b[0] = c & 1 ? (uint8_t)(v << 4) : (uint8_t)v;
	b[1] = c & 1 ? (uint8_t)(v >> 4) : (uint8_t)(v >> 8);
}

/* Byte 0 of one write and byte 1 of the other, both ways. */
static void never_torn(clus_t c, uint32_t from, uint32_t to)
{
	uint8_t a[2], b[2], torn[2];
	uint32_t v;

	put_entry(c, a, from);
	put_entry(c, b, to);
	torn[0] = a[0];
	torn[1] = b[1];
	v = entry(c, torn);
	ck_assert(v == from || v == to);
	torn[0] = b[0];
	torn[1] = a[1];
	v = entry(c, torn);
	ck_assert(v == from || v == to);
}

static bool is_sound(uint32_t v, uint32_t old, uint32_t value, struct run run,
		     uint32_t before)
{
	if (v == old || v == value || v >= 0xFF8)
		return true;
	return v > run.first && v < run_end(run) && before == v - 1 &&
	       before % 1024 != 341 && before % 1024 != 682;
}

START_TEST(all_links)
{
	static const clus_t lens[] = { 1, 7, 16, 255, 4000 };
	const clus_t tail = _i & 1 ? 341 : 682;
	const uint32_t old = 0xFF8 + (uint32_t)_i / 2;
	struct straddle_step step;
	struct run run;
	unsigned found = 0;
	size_t k;
	clus_t v;

	for (v = 2; v <= 4085; v++)
		for (k = 0; k < sizeof(lens) / sizeof(*lens); k++) {
			run = (struct run){ v, MIN(lens[k], 4086 - v) };
			if (!find(tail, old, v, run, &step))
				continue;
			found++;
			ck_assert(is_sound(step.value, old, v, run,
					   step.before));
			never_torn(tail, old, step.value);
			never_torn(tail, step.value, v);
		}
	ck_assert_uint_gt(found, 4000);
}
END_TEST

static void same_link(const struct link_edit *l, enum phase phase, clus_t clus,
		      uint32_t expect, uint32_t value)
{
	ck_assert_int_eq(l->phase, phase);
	ck_assert_uint_eq(l->clus, clus);
	ck_assert_uint_eq(l->expect, expect);
	ck_assert_uint_eq(l->value, value);
}

/* Two runs; the step leads into the first, which is made in two parts. */
START_TEST(chain_in_parts)
{
	struct run v[] = { { 0x156, 20 }, { 0x300, 5 } };
	struct runs runs = { .v = v, .n = 2 };
	struct edits e = { 0 };

	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 341, 0xFFE, &runs,
					    true, &err), ST_OK);
	ck_assert_uint_eq(e.n_chains, 3);
	ck_assert_uint_eq(e.chains[0].run.first, 0x156);
	ck_assert_uint_eq(e.chains[0].run.count, 8);
	ck_assert_uint_eq(e.chains[0].next, 0xFFF);
	ck_assert_uint_eq(e.chains[1].run.first, 0x15E);
	ck_assert_uint_eq(e.chains[1].run.count, 12);
	ck_assert_uint_eq(e.chains[1].next, 0x300);
	ck_assert_uint_eq(e.chains[2].next, 0xFFF);
	ck_assert_uint_eq(e.n_links, 3);
	same_link(&e.links[0], PHASE_JOINS, 0x15D, 0xFFF, 0x15E);
	same_link(&e.links[1], PHASE_STEPS, 341, 0xFFE, 0x15E);
	same_link(&e.links[2], PHASE_LINKS, 341, 0x15E, 0x156);
	edits_free(&e);
}
END_TEST

/* The second part may begin with a run, too. */
START_TEST(chain_in_whole_runs)
{
	struct run v[] = { { 0x153, 2 }, { 0x15F, 5 } };
	struct runs runs = { .v = v, .n = 2 };
	struct edits e = { 0 };

	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 341, 0xFFF, &runs,
					    true, &err), ST_OK);
	ck_assert_uint_eq(e.n_chains, 2);
	ck_assert_uint_eq(e.chains[0].next, 0xFFF);
	ck_assert_uint_eq(e.chains[1].run.first, 0x15F);
	ck_assert_uint_eq(e.chains[1].run.count, 5);
	ck_assert_uint_eq(e.n_links, 3);
	same_link(&e.links[0], PHASE_JOINS, 0x154, 0xFFF, 0x15F);
	edits_free(&e);
}
END_TEST

START_TEST(chain_in_one_piece)
{
	struct run v = { 0x156, 20 };
	struct runs runs = { .v = &v, .n = 1 };
	struct edits e = { 0 };

	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 341, 0xFFF, &runs,
					    false, &err), ST_REFUSED);
	ck_assert_uint_eq(e.n_links + e.n_chains, 0);
	v.first = 0x159; /* by way of an end mark */
	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 341, 0xFFF, &runs,
					    false, &err), ST_OK);
	ck_assert_uint_eq(e.n_chains, 1);
	ck_assert_uint_eq(e.n_links, 2);
	same_link(&e.links[0], PHASE_STEPS, 341, 0xFFF, 0xFF9);
	same_link(&e.links[1], PHASE_LINKS, 341, 0xFF9, 0x159);
	edits_free(&e);
	v.first = 0x15F; /* differs in one sector only */
	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 341, 0xFFF, &runs,
					    false, &err), ST_OK);
	ck_assert_uint_eq(e.n_links, 1);
	same_link(&e.links[0], PHASE_LINKS, 341, 0xFFF, 0x15F);
	edits_free(&e);
	v.first = 0x156; /* not in two sectors */
	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 340, 0xFFF, &runs,
					    false, &err), ST_OK);
	ck_assert_uint_eq(e.n_links, 1);
	edits_free(&e);
	ck_assert_int_eq(straddle_add_chain(&e, &fat12, 0, 0, &runs, true,
					    &err), ST_OK);
	ck_assert_uint_eq(e.n_links, 0);
	ck_assert_uint_eq(e.n_chains, 1);
	edits_free(&e);
}
END_TEST

/* What is cut off is in two parts before the step leads into it. */
START_TEST(cuts)
{
	struct run v[] = { { 0x123, 1 }, { 0x110, 1 }, { 0x12A, 5 } };
	struct runs goes = { .v = v, .n = 3 };
	struct edits e = { 0 };

	ck_assert_int_eq(straddle_add_cut(&e, &fat12, 341, 0x123, &goes, &err),
			 ST_OK);
	ck_assert_uint_eq(e.n_links, 3);
	/* FFF leads to 12F, FFE to 12E; before 12E comes 12D */
	same_link(&e.links[0], PHASE_CHAINS, 0x12D, 0x12E, 0xFFF);
	same_link(&e.links[1], PHASE_STEPS, 341, 0x123, 0x12E);
	same_link(&e.links[2], PHASE_LINKS, 341, 0x12E, 0xFFE);
	edits_free(&e);
	v[2].count = 1; /* by way of 12A, behind 110 */
	ck_assert_int_eq(straddle_add_cut(&e, &fat12, 341, 0x123, &goes, &err),
			 ST_OK);
	ck_assert_uint_eq(e.n_links, 3);
	same_link(&e.links[0], PHASE_CHAINS, 0x110, 0x12A, 0xFFF);
	same_link(&e.links[2], PHASE_LINKS, 341, 0x12A, 0xFFA);
	edits_free(&e);
	goes.n = 2;
	ck_assert_int_eq(straddle_add_cut(&e, &fat12, 341, 0x123, &goes, &err),
			 ST_REFUSED);
	ck_assert_uint_eq(e.n_links, 0);
	ck_assert_int_eq(straddle_add_cut(&e, &fat12, 340, 0x123, &goes, &err),
			 ST_OK);
	ck_assert_uint_eq(e.n_links, 1);
	same_link(&e.links[0], PHASE_LINKS, 340, 0x123, 0xFFF);
	edits_free(&e);
	ck_assert_int_eq(straddle_add_cut(&e, &fat12, 682, 0x1FA, NULL, &err),
			 ST_OK);
	ck_assert_uint_eq(e.n_links, 2);
	same_link(&e.links[0], PHASE_STEPS, 682, 0x1FA, 0xFFA);
	same_link(&e.links[1], PHASE_LINKS, 682, 0xFFA, 0xFFF);
	edits_free(&e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("straddle");
	TCase *tc = tcase_create("straddle");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, which_straddle);
	tcase_add_test(tc, examples);
	tcase_add_loop_test(tc, all_links, 0, 16);
	tcase_add_test(tc, chain_in_parts);
	tcase_add_test(tc, chain_in_whole_runs);
	tcase_add_test(tc, chain_in_one_piece);
	tcase_add_test(tc, cuts);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
