/* unit_pool.c - keeps what can be needed, of any number of runs */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "prealloc/pool.h"

#define RUNS 1000000u

static struct error err;
static struct run all[RUNS];

/* Lengths from 1 on, few of them long; some are very frequent. */
static void make_runs(unsigned seed)
{
	uint64_t r = seed * 0x9E3779B97F4A7C15u + 1;
	clus_t at = 2, i;

	for (i = 0; i < RUNS; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		all[i].first = at;
		all[i].count = 1 + (clus_t)(r >> 60) * (clus_t)(r >> 56 & 15) *
					   (r >> 40 & 63 ? 1 : 50);
		at += all[i].count + 1;
	}
}

/* Shorter, or as long and further in. */
static int by_length(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->first > y->first ? -1 : 1;
}

static bool has(const struct pool *p, struct run r)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!memcmp(&p->v[i], &r, sizeof(r)))
			return true;
	return false;
}

/* The first n runs of those in `all` that are `length` or, if none, longer. */
static void has_fits(const struct pool *p, clus_t length, size_t n)
{
	clus_t least = UINT32_MAX;
	size_t i, found = 0;

	for (i = 0; i < RUNS; i++)
		if (all[i].count >= length && all[i].count < least)
			least = all[i].count;
	for (i = 0; i < RUNS && found < n; i++)
		if (all[i].count == least) {
			ck_assert(has(p, all[i]));
			found++;
		}
}

START_TEST(bounded)
{
	static const clus_t sizes[] = { 1, 2, 30, 226, 700, 5000 };
	struct pool p = { .largest = 100, .n_classes = 6 };
	size_t i, most = 0, kept = 0;

	make_runs((unsigned)_i);
	for (i = 0; i < 6; i++)
		p.classes[i] = (struct pool_class){ sizes[i], 20 };
	pool_init_limit(&p);
	for (i = 0; i < RUNS; i++) {
		ck_assert_int_eq(pool_add(&p, all[i], &err), ST_OK);
		most = p.n > most ? p.n : most;
	}
	ck_assert_uint_le(most, 2 * (100 + 6 * 20) + 64);
	for (i = 0; i < 6; i++)
		has_fits(&p, sizes[i], 20);
	qsort(all, RUNS, sizeof(*all), by_length);
	for (i = RUNS - 100; i < RUNS; i++)
		kept += has(&p, all[i]);
	ck_assert_uint_eq(kept, 100);
	pool_free(&p);
}
END_TEST

/* More equal ones than are kept: the first of them stay. */
START_TEST(equals)
{
	struct pool p = { .largest = 3 };
	struct run r;
	size_t i, index;

	pool_init_limit(&p);
	for (i = 0; i < RUNS; i++)
		ck_assert_int_eq(pool_add(&p, (struct run){ 2 + 9 * (clus_t)i,
							    7 }, &err),
				 ST_OK);
	pool_sort(&p);
	for (i = 0; i < 3; i++) {
		ck_assert(pool_longest(&p, &index));
		r = pool_remove(&p, index);
		ck_assert_uint_eq(r.first, 2 + 9 * i);
	}
	pool_free(&p);
}
END_TEST

START_TEST(sorted)
{
	static const struct run runs[] = { { 50, 4 }, { 20, 4 }, { 90, 1 },
					   { 30, 9 }, { 60, 4 }, { 70, 9 } };
	struct pool p = { .largest = 9 }, copy = { 0 };
	size_t i, at;

	pool_init_limit(&p);
	ck_assert(!pool_longest(&p, &at));
	ck_assert(!pool_best_fit(&p, 1, &at));
	for (i = 0; i < 6; i++)
		ck_assert_int_eq(pool_add(&p, runs[i], &err), ST_OK);
	ck_assert_int_eq(pool_add(&p, (struct run){ 5, 0 }, &err), ST_OK);
	ck_assert_uint_eq(p.n, 6);
	ck_assert_int_eq(pool_copy(&copy, &p, &err), ST_OK);
	pool_free(&p);
	pool_sort(&copy);
	ck_assert(pool_best_fit(&copy, 2, &at));
	ck_assert_uint_eq(pool_remove(&copy, at).first, 20);
	ck_assert(pool_best_fit(&copy, 4, &at));
	ck_assert_uint_eq(copy.v[at].first, 50);
	ck_assert_int_eq(pool_insert(&copy, (struct run){ 10, 4 }, &err),
			 ST_OK);
	ck_assert_int_eq(pool_insert(&copy, (struct run){ 1, 0 }, &err), ST_OK);
	ck_assert(pool_best_fit(&copy, 4, &at));
	ck_assert_uint_eq(pool_remove(&copy, at).first, 10);
	ck_assert(pool_longest(&copy, &at));
	ck_assert_uint_eq(pool_remove(&copy, at).first, 30);
	ck_assert(pool_best_fit(&copy, 5, &at));
	ck_assert_uint_eq(pool_remove(&copy, at).first, 70);
	ck_assert(!pool_best_fit(&copy, 5, &at));
	ck_assert_uint_eq(copy.n, 3);
	pool_free(&copy);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("pool");
	TCase *tc = tcase_create("pool");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, bounded, 0, 3);
	tcase_add_test(tc, equals);
	tcase_add_test(tc, sorted);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
