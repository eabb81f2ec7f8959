/* unit_base.c - errors, arrays, bitmaps and runs */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bitmap.h"
#include "base/run.h"

START_TEST(error_says_what)
{
	struct error err = {0};

	ck_assert_int_eq(error_set(&err, ST_REFUSED, "no %d", 7), ST_REFUSED);
	ck_assert_int_eq(err.code, ST_REFUSED);
	ck_assert_int_eq(err.sys_errno, 0);
	ck_assert(!err.has_offset);
	ck_assert_str_eq(err.text, "no 7");

	ck_assert_int_eq(error_set_sys(&err, ST_IO, ENOENT, "x"), ST_IO);
	ck_assert_int_eq(err.sys_errno, ENOENT);
	ck_assert_str_eq(err.text, "x: No such file or directory");

	ck_assert_int_eq(error_set_offset(&err, 1ull << 40), ST_IO);
	ck_assert(err.has_offset);
	ck_assert_uint_eq(err.offset_bytes, 1ull << 40);
	ck_assert_str_eq(err.text, "x: No such file or directory");

	/* The next error takes nothing over from the one before. */
	ck_assert_int_eq(error_set_nomem(&err), ST_NOMEM);
	ck_assert_str_eq(err.text, "out of memory");
	ck_assert(!err.has_offset);
	ck_assert_int_eq(err.sys_errno, 0);
}
END_TEST

START_TEST(error_quotes_itself)
{
	struct error err = {0};

	error_set(&err, ST_USAGE, "inner");
	error_set(&err, ST_USAGE, "outer: %s", err.text);
	ck_assert_str_eq(err.text, "outer: inner");
}
END_TEST

START_TEST(error_is_bounded)
{
	struct error err = {0};
	char big[3000];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	error_set_sys(&err, ST_IO, ENOENT, "%s", big);
	ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
}
END_TEST

START_TEST(error_may_be_null)
{
	ck_assert_int_eq(error_set(NULL, ST_NOT_FAT, "x"), ST_NOT_FAT);
	ck_assert_int_eq(error_set_sys(NULL, ST_IO, EIO, "x"), ST_IO);
	ck_assert_int_eq(error_set_offset(NULL, 1), ST_IO);
	ck_assert_int_eq(error_set_nomem(NULL), ST_NOMEM);
}
END_TEST

START_TEST(array_grows)
{
	uint32_t *v = NULL;
	size_t cap = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_int_eq(
			array_reserve(&v, &cap, i + 1, sizeof(*v), NULL),
			ST_OK);
		ck_assert_uint_ge(cap, i + 1);
		v[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(v[i], i);
	free(v);
}
END_TEST

START_TEST(array_refuses_the_impossible)
{
	struct error err = {0};
	uint64_t *v = NULL, *old;
	size_t cap = 0;

	ck_assert_int_eq(array_reserve(&v, &cap, 3, sizeof(*v), &err), ST_OK);
	old = v;
	ck_assert_int_eq(array_reserve(&v, &cap, SIZE_MAX / 2, sizeof(*v),
				       &err),
			 ST_NOMEM);
	ck_assert_ptr_eq(v, old);
	ck_assert_uint_lt(cap, 100);
	free(v);
}
END_TEST

START_TEST(bitmap_single_bits)
{
	static const uint64_t bits[] = {0, 1, 63, 64, 65, 127, 128, 199};
	struct bitmap *bm = bitmap_new(200);

	ck_assert_ptr_nonnull(bm);
	ck_assert_uint_eq(bitmap_bits(bm), 200);
	for (size_t i = 0; i < 8; i++) {
		ck_assert(!bitmap_get(bm, bits[i]));
		bitmap_set(bm, bits[i]);
		ck_assert(bitmap_get(bm, bits[i]));
		ck_assert_uint_eq(bitmap_count(bm), i + 1);
	}
	ck_assert(!bitmap_get(bm, 2));
	ck_assert(!bitmap_get(bm, 62));
	bitmap_clear(bm, 64);
	ck_assert(!bitmap_get(bm, 64));
	ck_assert(bitmap_get(bm, 63));
	ck_assert(bitmap_get(bm, 65));
	ck_assert_uint_eq(bitmap_count(bm), 7);
	bitmap_free(bm);
	bitmap_free(NULL);
}
END_TEST

/* Every range in three words, against one bit at a time. */
START_TEST(bitmap_ranges)
{
	for (uint64_t first = 0; first <= 150; first++) {
		for (uint64_t count = 0; count <= 150 - first; count++) {
			struct bitmap *bm = bitmap_new(150);
			bool in;

			bitmap_set_range(bm, first, count);
			ck_assert_uint_eq(bitmap_count(bm), count);
			for (uint64_t b = 0; b < 150; b++) {
				in = b >= first && b < first + count;
				if (bitmap_get(bm, b) != in)
					ck_abort_msg("%u", (unsigned)b);
			}
			bitmap_free(bm);
		}
	}
}
END_TEST

START_TEST(bitmap_searches)
{
	struct bitmap *bm = bitmap_new(200);

	ck_assert_uint_eq(bitmap_next_set(bm, 0), 200);
	ck_assert_uint_eq(bitmap_next_clear(bm, 0), 0);
	ck_assert_uint_eq(bitmap_next_clear(bm, 199), 199);
	ck_assert_uint_eq(bitmap_next_clear(bm, 200), 200);
	ck_assert_uint_eq(bitmap_next_set(bm, UINT64_MAX), 200);
	bitmap_set_range(bm, 60, 70);
	ck_assert_uint_eq(bitmap_next_set(bm, 0), 60);
	ck_assert_uint_eq(bitmap_next_set(bm, 60), 60);
	ck_assert_uint_eq(bitmap_next_set(bm, 129), 129);
	ck_assert_uint_eq(bitmap_next_set(bm, 130), 200);
	ck_assert_uint_eq(bitmap_next_clear(bm, 59), 59);
	ck_assert_uint_eq(bitmap_next_clear(bm, 60), 130);
	bitmap_set_range(bm, 130, 70);
	ck_assert_uint_eq(bitmap_next_clear(bm, 60), 200);
	bitmap_free(bm);
}
END_TEST

START_TEST(bitmap_sizes)
{
	struct bitmap *bm = bitmap_new(0);

	ck_assert_uint_eq(bitmap_next_set(bm, 0), 0);
	ck_assert_uint_eq(bitmap_next_clear(bm, 0), 0);
	ck_assert_uint_eq(bitmap_count(bm), 0);
	bitmap_free(bm);

	/* More bits than 32 bits count. */
	bm = bitmap_new((1ull << 33) + 3);
	ck_assert_ptr_nonnull(bm);
	bitmap_set(bm, (1ull << 33) + 2);
	ck_assert_uint_eq(bitmap_next_set(bm, (1ull << 33) - 5),
			  (1ull << 33) + 2);
	ck_assert(!bitmap_get(bm, 2));
	bitmap_free(bm);
}
END_TEST

START_TEST(runs_merge)
{
	struct runs rs = {0};

	ck_assert_int_eq(runs_push(&rs, (struct run){10, 5}, NULL), ST_OK);
	ck_assert_int_eq(runs_push(&rs, (struct run){15, 5}, NULL), ST_OK);
	ck_assert_int_eq(runs_push(&rs, (struct run){99, 0}, NULL), ST_OK);
	ck_assert_int_eq(runs_push(&rs, (struct run){5, 5}, NULL), ST_OK);
	ck_assert_int_eq(runs_push(&rs, (struct run){2, 1}, NULL), ST_OK);
	ck_assert_uint_eq(rs.n, 3);
	ck_assert_uint_eq(rs.v[0].first, 10);
	ck_assert_uint_eq(rs.v[0].count, 10);
	ck_assert_uint_eq(runs_clusters(&rs), 16);
	ck_assert_uint_eq(runs_at(&rs, 0), 10);
	ck_assert_uint_eq(runs_at(&rs, 9), 19);
	ck_assert_uint_eq(runs_at(&rs, 10), 5);
	ck_assert_uint_eq(runs_at(&rs, 15), 2);
	ck_assert_uint_eq(runs_at(&rs, 16), 0);
	ck_assert_uint_eq(runs_at(&rs, UINT64_MAX), 0);
	runs_free(&rs);
	ck_assert_uint_eq(rs.n, 0);
	ck_assert_ptr_null(rs.v);
	runs_free(&rs);
}
END_TEST

START_TEST(runs_do_not_wrap)
{
	struct runs rs = {0};

	/* Ends at 2^32, which is no cluster 0; the sum of counts, neither. */
	runs_push(&rs, (struct run){0xFFFFFFFF, 1}, NULL);
	runs_push(&rs, (struct run){0, 0xFFFFFFFF}, NULL);
	runs_push(&rs, (struct run){0xFFFFFFFF, 1}, NULL);
	ck_assert_uint_eq(rs.n, 3);
	ck_assert_uint_eq(runs_clusters(&rs), (1ull << 32) + 1);
	ck_assert_uint_eq(run_end(rs.v[0]), 1ull << 32);
	runs_free(&rs);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base");
	TCase *tc = tcase_create("base");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, error_says_what);
	tcase_add_test(tc, error_quotes_itself);
	tcase_add_test(tc, error_is_bounded);
	tcase_add_test(tc, error_may_be_null);
	tcase_add_test(tc, array_grows);
	tcase_add_test(tc, array_refuses_the_impossible);
	tcase_add_test(tc, bitmap_single_bits);
	tcase_add_test(tc, bitmap_ranges);
	tcase_add_test(tc, bitmap_searches);
	tcase_add_test(tc, bitmap_sizes);
	tcase_add_test(tc, runs_merge);
	tcase_add_test(tc, runs_do_not_wrap);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
