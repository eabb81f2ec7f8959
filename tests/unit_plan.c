/* unit_plan.c - which clusters each request gets */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "prealloc/plan.h"

static const struct align every = { .step = 1 };
static struct error err;
static size_t failed;
static clus_t left;

/* free ends with a run of 0 clusters. */
static enum status plan_aligned(struct align align, const struct run *free,
				struct plan_request *q, size_t n)
{
	struct plan *p = NULL;
	enum status st;

	failed = SIZE_MAX;
	ck_assert_int_eq(plan_open(&p, q, n, align, &err), ST_OK);
	for (; free->count; free++)
		ck_assert_int_eq(plan_offer(p, *free, &err), ST_OK);
	st = plan_requests(p, &failed, &err);
	left = plan_first_left(p);
	plan_close(p);
	return st;
}

static enum status plan(const struct run *free, struct plan_request *q,
			size_t n)
{
	return plan_aligned(every, free, q, n);
}

/* Exactly these runs; then they are freed. */
static void got(struct plan_request *q, const char *want)
{
	char text[400] = "";
	size_t i;

	for (i = 0; i < q->runs.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%u+%u", i ? " " : "", q->runs.v[i].first,
			 q->runs.v[i].count);
	ck_assert_str_eq(text, want);
	runs_free(&q->runs);
}

START_TEST(behind_first)
{
	const struct run free[] = { { 10, 5 }, { 101, 8 }, { 200, 9 }, { 0 } };
	struct plan_request q[] = { { .clusters = 5, .max_runs = 1,
				      .behind = 100 },
				    { .clusters = 5, .max_runs = 1 } };

	ck_assert_int_eq(plan(free, q, 2), ST_OK);
	got(&q[0], "101+5");
	got(&q[1], "10+5");
	ck_assert_uint_eq(left, 106);
}
END_TEST

START_TEST(behind_is_too_short)
{
	const struct run free[] = { { 10, 5 }, { 101, 4 }, { 200, 9 }, { 0 } };
	struct plan_request q = { .clusters = 5, .max_runs = 1,
				  .behind = 100 };

	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "10+5");
	q = (struct plan_request){ .clusters = 7, .max_runs = 2,
				   .behind = 100 };
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "101+4 10+3");
	/* 101 and two more are too many, 200 and one are not */
	q = (struct plan_request){ .clusters = 14, .max_runs = 2,
				   .behind = 100 };
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "200+9 10+5");
}
END_TEST

/* What is behind one file is the only place for another. */
START_TEST(once_more_without)
{
	const struct run free[] = { { 10, 4 }, { 101, 9 }, { 0 } };
	struct plan_request q[] = { { .clusters = 4, .max_runs = 1,
				      .behind = 100 },
				    { .clusters = 9, .max_runs = 1 } };

	ck_assert_int_eq(plan(free, q, 2), ST_OK);
	got(&q[0], "10+4");
	got(&q[1], "101+9");
	ck_assert_uint_eq(left, 0);
}
END_TEST

START_TEST(best_fit)
{
	const struct run free[] = { { 10, 20 }, { 50, 7 }, { 70, 12 },
				    { 90, 7 }, { 0 } };
	struct plan_request q[] = { { .clusters = 7, .max_runs = 1 },
				    { .clusters = 10, .max_runs = 1 },
				    { .clusters = 2, .max_runs = 1 } };

	ck_assert_int_eq(plan(free, q, 3), ST_OK);
	got(&q[0], "50+7"); /* the first of equals */
	got(&q[1], "70+10");
	got(&q[2], "80+2"); /* what the larger one left */
	ck_assert_uint_eq(left, 10);
}
END_TEST

START_TEST(no_room)
{
	const struct run free[] = { { 10, 6 }, { 50, 7 }, { 0 } };
	struct plan_request q[] = { { .clusters = 1, .max_runs = 1 },
				    { .clusters = 8, .max_runs = 1 } };

	ck_assert_int_eq(plan(free, q, 2), ST_REFUSED);
	ck_assert_uint_eq(failed, 1);
	ck_assert(!q[1].no_step);
	runs_free(&q[0].runs);
	q[1].max_runs = 2;
	ck_assert_int_eq(plan(free, q, 2), ST_OK);
	got(&q[0], "11+1");
	got(&q[1], "50+7 10+1");
	q[1].clusters = 14;
	ck_assert_int_eq(plan(free, q, 2), ST_REFUSED);
	ck_assert_uint_eq(failed, 1);
	runs_free(&q[1].runs);
	ck_assert_int_eq(plan(free, q, 0), ST_OK);
	ck_assert_uint_eq(left, 10);
	ck_assert_int_eq(plan(free + 2, q, 1), ST_REFUSED);
}
END_TEST

START_TEST(extents)
{
	const struct run free[] = { { 10, 3 }, { 20, 5 }, { 30, 5 }, { 40, 2 },
				    { 50, 4 }, { 0 } };
	struct plan_request q = { .clusters = 12, .max_runs = 3 };

	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "20+5 30+5 40+2"); /* the last is the best fit */
	q.clusters = 15;
	ck_assert_int_eq(plan(free, &q, 1), ST_REFUSED);
	runs_free(&q.runs);
	q.max_runs = 4;
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "20+5 30+5 50+4 40+1");
	q = (struct plan_request){ .clusters = 19, .max_runs = 5,
				   .behind = 49 };
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "50+4 20+5 30+5 10+3 40+2");
	/* runs that follow each other are one */
	q = (struct plan_request){ .clusters = 9, .max_runs = 1,
				   .behind = 19 };
	ck_assert_int_eq(plan((const struct run[]){ { 20, 9 }, { 0 } }, &q, 1),
			 ST_OK);
	got(&q, "20+9");
}
END_TEST

START_TEST(max)
{
	const struct run free[] = { { 10, 9 }, { 101, 9 }, { 200, 5 }, { 0 } };
	struct plan_request q[] = { { .clusters = 1000, .max_runs = 1,
				      .max = true },
				    { .clusters = 4, .max_runs = 1 } };

	ck_assert_int_eq(plan(free, q, 2), ST_OK);
	got(&q[0], "10+9"); /* the other one goes first, into 200 */
	got(&q[1], "200+4");
	q[0].behind = 100;
	ck_assert_int_eq(plan(free, q, 1), ST_OK);
	got(&q[0], "101+9");
	q[0].at_least = 10;
	ck_assert_int_eq(plan(free, q, 1), ST_OK);
	got(&q[0], "");
	q[0] = (struct plan_request){ .clusters = 6, .max_runs = 1,
				      .max = true };
	ck_assert_int_eq(plan(free, q, 1), ST_OK);
	got(&q[0], "10+6");
	ck_assert_int_eq(plan(free + 3, q, 1), ST_OK);
	got(&q[0], "");
}
END_TEST

/* By the definition, cluster by cluster. */
static void check_align(uint64_t align, uint64_t data, uint32_t cluster)
{
	struct align a;
	bool any = false;
	clus_t c, end = 2 + 3 * 4096;

	if (!align_init(&a, align, data, cluster)) {
		for (c = 2; c < end; c++)
			ck_assert_uint_ne((data + (uint64_t)(c - 2) * cluster)
					  % align, 0);
		return;
	}
	for (c = 2; c < end; c++) {
		ck_assert_int_eq(align_has(&a, c),
				 (data + (uint64_t)(c - 2) * cluster) % align
				 == 0);
		any |= align_has(&a, c);
	}
	ck_assert(any);
}

START_TEST(align)
{
	static const uint64_t aligns[] = { 2, 512, 1536, 4096, 5000, 65536,
					   100000, 1 << 20, 3 << 19 };
	static const uint64_t datas[] = { 0, 512, 4096, 32256, 66048, 1001472,
					  (1ull << 40) + 512 };
	static const uint32_t clusters[] = { 512, 4096, 32768 };
	struct align a;
	size_t i, k, m;

	for (i = 0; i < sizeof(aligns) / sizeof(*aligns); i++)
		for (k = 0; k < sizeof(datas) / sizeof(*datas); k++)
			for (m = 0; m < 3; m++)
				check_align(aligns[i], datas[k], clusters[m]);
	ck_assert(align_init(&a, 0, 77, 512));
	ck_assert_uint_eq(a.step, 1);
	ck_assert(align_init(&a, 1, 77, 512));
	ck_assert(align_has(&a, 12345));
	ck_assert(!align_init(&a, 4096, 66047, 512));
}
END_TEST

START_TEST(align_split_runs)
{
	/* The last two: step and what is added to it pass 2^64. */
	static const struct {
		struct align a;
		clus_t before;
	} all[] = {
		{ { 1, 0 }, 0 }, { { 8, 2 }, 0 }, { { 8, 1 }, 7 },
		{ { 8, 3 }, 1 }, { { 100, 109 - 100 }, 10 },
		{ { UINT64_MAX, UINT64_MAX - 1 }, 10 },
		{ { UINT64_MAX, 50 }, 10 },
	};
	const struct run r = { 42, 10 };
	struct run before, rest;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		align_split(&all[i].a, r, &before, &rest);
		if (i == 6) { /* 50 is in it */
			ck_assert_uint_eq(before.count, 8);
			continue;
		}
		ck_assert_uint_eq(before.first, 42);
		ck_assert_uint_eq(before.count, all[i].before);
		ck_assert_uint_eq(rest.first, 42 + all[i].before);
		ck_assert_uint_eq(rest.count, 10 - all[i].before);
	}
}
END_TEST

START_TEST(aligned_requests)
{
	/* clusters 2, 8, 14, ... */
	const struct align six = { 6, 2 };
	const struct run free[] = { { 10, 8 }, { 33, 15 }, { 60, 5 }, { 0 } };
	struct plan_request q[] = { { .clusters = 4, .max_runs = 1 },
				    { .clusters = 4, .max_runs = 1,
				      .behind = 59 },
				    { .clusters = 5, .max_runs = 9,
				      .directory = true } };

	ck_assert_int_eq(plan_aligned(six, free, q, 3), ST_OK);
	got(&q[0], "14+4");
	got(&q[1], "38+4"); /* 60 is not aligned */
	got(&q[2], "33+5"); /* what lies before 38 is for nobody else */
	ck_assert_uint_eq(left, 10);
	q[0].clusters = 11;
	ck_assert_int_eq(plan_aligned(six, free, q, 1), ST_REFUSED);
	runs_free(&q[0].runs);
	q[0].max_runs = 2;
	ck_assert_int_eq(plan_aligned(six, free, q, 1), ST_OK);
	got(&q[0], "38+10 62+1");
}
END_TEST

/* A request behind 341, odd (its entry straddles), or 682, even. */
#define ODD  .behind = 341, .straddles = true, .end_value = 0xFFF
#define EVEN .behind = 682, .straddles = true, .end_value = 0xFFF

START_TEST(straddling_behind)
{
	const struct run free[] = { { 100, 5 }, { 342, 12 }, { 0 } };
	struct plan_request q = { .clusters = 10, .max_runs = 1, ODD };

	/* 342 = 156h, by way of 15Fh, which is the tenth */
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "342+10");
	/* nine from there end before it */
	q.clusters = 9;
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "343+9");
	/* three from 158h on by way of FF8, and none from 64h on */
	q.clusters = 3;
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "344+3");
	ck_assert_uint_eq(left, 100);
}
END_TEST

START_TEST(straddling_best_fit)
{
	/* 70h-76h, 88h-8Ch, 200h-210h */
	const struct run free[] = { { 0x70, 7 }, { 0x86, 5 }, { 0x200, 17 },
				    { 0 } };
	struct plan_request q[] = { { .clusters = 3, .max_runs = 1, ODD },
				    { .clusters = 2, .max_runs = 1 },
				    { .clusters = 2, .max_runs = 1 } };

	ck_assert_int_eq(plan(free, q, 3), ST_OK);
	got(&q[0], "136+3");
	got(&q[1], "134+2"); /* what lies before is not lost */
	got(&q[2], "112+2");
	q[0].clusters = 16;
	ck_assert_int_eq(plan(free, q, 1), ST_OK);
	got(&q[0], "512+16"); /* by way of 20Fh */
	q[0].clusters = 17;
	ck_assert_int_eq(plan(free, q, 1), ST_OK);
	got(&q[0], "512+17");
}
END_TEST

START_TEST(straddling_refused)
{
	const struct run free[] = { { 0x70, 7 }, { 0x200, 40 }, { 0 } };
	struct plan_request q = { .clusters = 20, .max_runs = 1, EVEN };

	ck_assert_int_eq(plan(free, &q, 1), ST_REFUSED);
	ck_assert(q.no_step);
	q.clusters = 41; /* there is no room anyway */
	ck_assert_int_eq(plan(free, &q, 1), ST_REFUSED);
	ck_assert(!q.no_step);
	q.max_runs = 9; /* there is, and no step */
	ck_assert_int_eq(plan(free, &q, 1), ST_REFUSED);
	ck_assert(q.no_step);
}
END_TEST

START_TEST(straddling_extents)
{
	/* the only start is F8h, in the short run */
	const struct run free[] = { { 0xF6, 4 }, { 0x200, 40 }, { 0x300, 30 },
				    { 0 } };
	struct plan_request q = { .clusters = 60, .max_runs = 3, EVEN };

	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "248+2 512+40 768+18");
	q.max_runs = 2;
	ck_assert_int_eq(plan(free, &q, 1), ST_REFUSED);
	ck_assert(q.no_step);
	/* the longest safe run is not the one to begin with */
	q = (struct plan_request){ .clusters = 29, .max_runs = 2, ODD };
	ck_assert_int_eq(plan((const struct run[]){ { 0x200, 20 }, { 0x1E8, 9 },
						    { 0x300, 5 }, { 0 } },
			      &q, 1), ST_OK);
	got(&q, "488+9 512+20");
}
END_TEST

START_TEST(straddling_goes_first)
{
	/* The larger request would take the only place of the other one. */
	const struct run free[] = { { 0xF8, 20 }, { 0x200, 25 }, { 0 } };
	struct plan_request q[] = { { .clusters = 18, .max_runs = 1 },
				    { .clusters = 4, .max_runs = 1, EVEN } };

	ck_assert_int_eq(plan(free, q, 2), ST_OK);
	got(&q[0], "512+18");
	got(&q[1], "248+4");
}
END_TEST

START_TEST(straddling_max)
{
	const struct run free[] = { { 0x1F0, 20 }, { 0x2AB, 40 }, { 0x380, 30 },
				    { 0 } };
	struct plan_request q = { .clusters = 9999, .max_runs = 1, .max = true,
				  EVEN };

	/* 1F0h by way of 1FFh */
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "496+20");
	q.at_least = 21;
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "");
	ck_assert(q.no_step);
	q.at_least = 41;
	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "");
	ck_assert(!q.no_step);
	/* of equals the one behind */
	q = (struct plan_request){ .clusters = 9999, .max_runs = 1,
				   .max = true, ODD };
	ck_assert_int_eq(plan((const struct run[]){ { 0x100, 20 },
						    { 342, 20 }, { 400, 20 },
						    { 0 } }, &q, 1), ST_OK);
	got(&q, "342+20");
}
END_TEST

/* All of a directory or none: by way of an end mark only. */
START_TEST(straddling_directory)
{
	const struct run free[] = { { 342, 50 }, { 0x1F4, 6 }, { 0 } };
	struct plan_request q = { .clusters = 12, .max_runs = UINT32_MAX,
				  .directory = true, ODD };
	const struct align none = { 1 << 20, 9 };

	ck_assert_int_eq(plan(free, &q, 1), ST_OK);
	got(&q, "344+12");
	/* in a scrap; the rest comes from where it likes */
	q.behind = 682;
	ck_assert_int_eq(plan_aligned(none, free, &q, 1), ST_OK);
	got(&q, "504+2 342+10");
	ck_assert_int_eq(plan_aligned(none, (const struct run[]){ { 342, 99 },
								  { 0 } },
				      &q, 1), ST_REFUSED);
	ck_assert(q.no_step);
}
END_TEST

#define MANY 1000000u

/* The length of the free run at 2 + 64 * i; gaps divide them. */
static clus_t length(clus_t i)
{
	return 1 + (clus_t)((i * 2654435761u) >> 28) % 15;
}

static struct plan *plan_many(struct plan_request *q, size_t n, clus_t fixed)
{
	struct plan *p = NULL;
	clus_t i, len;

	ck_assert_int_eq(plan_open(&p, q, n, every, &err), ST_OK);
	for (i = 0; i < MANY; i++) {
		len = fixed ? fixed : length(i);
		if (i == MANY / 2)
			len += 20;
		ck_assert_int_eq(plan_offer(p, (struct run){ 2 + 64 * i, len },
					    &err), ST_OK);
	}
	ck_assert_int_eq(plan_requests(p, &failed, &err), ST_OK);
	return p;
}

static clus_t first_of(clus_t len)
{
	clus_t i = 0;

	while (length(i) != len)
		i++;
	return 2 + 64 * i;
}

/* Best fit among all of them, though few can be kept. */
START_TEST(many_runs)
{
	struct plan_request q[16] = { { 0 } };
	struct plan *p;
	clus_t len;

	for (len = 1; len < 16; len++)
		q[len] = (struct plan_request){ .clusters = len,
						.max_runs = 1 };
	q[0] = (struct plan_request){ .clusters = UINT32_MAX, .max = true,
				      .max_runs = 1 };
	p = plan_many(q, 16, 0);
	ck_assert_uint_eq(q[0].runs.v[0].first, 2 + 64 * (MANY / 2));
	ck_assert_uint_eq(q[0].runs.v[0].count, length(MANY / 2) + 20);
	for (len = 1; len < 16; len++) {
		ck_assert_uint_eq(q[len].runs.n, 1);
		ck_assert_uint_eq(q[len].runs.v[0].first, first_of(len));
		ck_assert_uint_eq(q[len].runs.v[0].count, len);
		runs_free(&q[len].runs);
	}
	runs_free(&q[0].runs);
	plan_close(p);
}
END_TEST

/* Half of them into one file; quadratic work would not end. */
START_TEST(many_extents)
{
	struct plan_request q = { .clusters = MANY, .max_runs = UINT32_MAX };
	struct plan *p = plan_many(&q, 1, 2);
	size_t i;

	ck_assert_uint_eq(runs_clusters(&q.runs), MANY);
	ck_assert_uint_eq(q.runs.v[0].first, 2 + 64 * (MANY / 2));
	for (i = 1; i < q.runs.n; i++)
		ck_assert_uint_eq(q.runs.v[i].first, 2 + 64 * (i - 1));
	ck_assert_uint_gt(plan_first_left(p), q.runs.v[q.runs.n - 1].first);
	runs_free(&q.runs);
	plan_close(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plan");
	TCase *tc = tcase_create("plan");
	SRunner *sr = srunner_create(s);
	int n;

	tcase_add_test(tc, behind_first);
	tcase_add_test(tc, behind_is_too_short);
	tcase_add_test(tc, once_more_without);
	tcase_add_test(tc, best_fit);
	tcase_add_test(tc, no_room);
	tcase_add_test(tc, extents);
	tcase_add_test(tc, max);
	tcase_add_test(tc, align);
	tcase_add_test(tc, align_split_runs);
	tcase_add_test(tc, aligned_requests);
	tcase_add_test(tc, straddling_behind);
	tcase_add_test(tc, straddling_best_fit);
	tcase_add_test(tc, straddling_refused);
	tcase_add_test(tc, straddling_extents);
	tcase_add_test(tc, straddling_goes_first);
	tcase_add_test(tc, straddling_max);
	tcase_add_test(tc, straddling_directory);
	tcase_add_test(tc, many_runs);
	tcase_add_test(tc, many_extents);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	n = srunner_ntests_failed(sr);
	srunner_free(sr);
	return n ? EXIT_FAILURE : EXIT_SUCCESS;
}
