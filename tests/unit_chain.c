/* unit_chain.c - chains, whatever they do, end and are reported soundly */
#include "fat/chain.h"
#include "fatdisk.h"

#define LAST  4000u
#define N(array) (sizeof(array) / sizeof((array)[0]))

static const enum fat_type types[] = { FAT12, FAT16, FAT32 };
/* what the digits FF0-FFF of FAT12 have before them elsewhere */
static const uint32_t top[] = { 0, 0xF000, 0x0FFFF000 };
static struct fatdisk d;
static struct fatwin win;
static struct chain chain;
static struct runs runs;
static struct error err;

static void open_volume(enum fat_type type, clus_t last)
{
	fatdisk_open(&d, type, 1, last, 0, 65536);
	ck_assert_int_eq(fatwin_open(&win, &d.vol, 0, &err), ST_OK);
}

static void close_volume(void)
{
	runs_free(&runs);
	fatwin_close(&win);
	fatdisk_close(&d, 1);
}

static void put(clus_t c, uint32_t value)
{
	fatdisk_put(&d, 0, c, value);
}

static enum status collect(void *arg, struct run run, struct error *e)
{
	ck_assert_ptr_eq(arg, &runs);
	ck_assert_uint_ge(run.count, 1);
	/* Each run is as long as it can be. */
	ck_assert(!runs.n || run_end(runs.v[runs.n - 1]) != run.first);
	return runs_push(&runs, run, e);
}

static enum status walk(clus_t first, uint64_t limit)
{
	runs_free(&runs);
	memset(&chain, 0xA5, sizeof(chain));
	/* What was put since the last walk is not in its window. */
	fatwin_close(&win);
	ck_assert_int_eq(fatwin_open(&win, &d.vol, 0, &err), ST_OK);
	return chain_walk(&win, first, limit, collect, &runs, &chain, &err);
}

/* Walks, and holds what is reported against itself. */
static void ends(clus_t first, uint64_t limit, enum chain_end end,
		 clus_t clusters)
{
	ck_assert_int_eq(walk(first, limit), ST_OK);
	ck_assert_int_eq(chain.end, end);
	ck_assert_uint_eq(chain.clusters, clusters);
	ck_assert_uint_eq(runs_clusters(&runs), clusters);
	ck_assert_uint_eq(chain.runs, runs.n);
	ck_assert_uint_eq(chain.first, clusters ? first : 0);
	ck_assert_uint_eq(chain.last, clusters ? runs_at(&runs, clusters - 1)
					       : 0);
	if (clusters)
		ck_assert_uint_eq(chain.last_run, runs.v[runs.n - 1].count);
	ck_assert_uint_gt(strlen(chain_end_text(end)), 5);
}

START_TEST(sound)
{
	open_volume(types[_i], LAST);
	ends(0, UINT64_MAX, CHAIN_EOC, 0);
	/* 5-7, 3, 9-10, LAST */
	put(5, 6);
	put(6, 7);
	put(7, 3);
	put(3, 9);
	put(9, 10);
	put(10, LAST);
	for (uint32_t mark = 0xFF8; mark <= 0xFFF; mark++) {
		put(LAST, top[_i] | mark);
		ends(5, UINT64_MAX, CHAIN_EOC, 7);
		ck_assert_uint_eq(chain.end_value, top[_i] | mark);
	}
	ck_assert_uint_eq(runs.n, 4);
	ck_assert_uint_eq(runs.v[0].count, 3);
	ck_assert_uint_eq(runs.v[1].first, 3);
	ck_assert_uint_eq(runs.v[2].count, 2);
	ck_assert_uint_eq(runs.v[3].first, LAST);
	ck_assert_uint_eq(chain.last_run, 1);
	ends(LAST, 1, CHAIN_EOC, 1);
	ck_assert_int_eq(chain_walk(&win, 5, 100, NULL, NULL, &chain, &err),
			 ST_OK);
	ck_assert_uint_eq(chain.runs, 4);
	close_volume();
}
END_TEST

/* format.md 8, 9: as the value of the third cluster. */
START_TEST(bad_links)
{
	open_volume(types[_i], LAST);
	put(2, 3);
	put(3, 7);
	put(7, 1);
	ends(2, 100, CHAIN_RANGE, 3);
	ck_assert_uint_eq(chain.end_value, 1);
	put(7, LAST + 1);
	ends(2, 100, CHAIN_RANGE, 3);
	put(7, top[_i] | 0xFEF);
	ends(2, 100, CHAIN_RANGE, 3);
	for (uint32_t v = 0xFF0; v <= 0xFF6; v++) {
		put(7, top[_i] | v);
		ends(2, 100, CHAIN_RESERVED, 3);
		ck_assert_uint_eq(chain.end_value, top[_i] | v);
	}
	/* Free and bad clusters are not taken. */
	put(7, 0);
	ends(2, 100, CHAIN_FREE, 2);
	ck_assert_uint_eq(chain.end_value, 7);
	put(7, top[_i] | 0xFF7);
	ends(2, 100, CHAIN_BAD, 2);
	ck_assert_uint_eq(chain.last, 3);
	close_volume();
}
END_TEST

START_TEST(bad_starts)
{
	static const clus_t outside[] = { 1, LAST + 1, 0x0FFFFFFF, 0x10000002,
					  UINT32_MAX };

	open_volume(types[_i], LAST);
	for (size_t i = 0; i < N(outside); i++)
		ends(outside[i], 100, CHAIN_RANGE, 0);
	ck_assert_uint_eq(d.disk->done[OP_READ], 0);
	ends(2, 100, CHAIN_FREE, 0);
	put(2, top[_i] | 0xFF7);
	ends(2, 100, CHAIN_BAD, 0);
	close_volume();
}
END_TEST

/* The biggest FAT12 and FAT16 have clusters FF0 to FF5. */
START_TEST(reserved_clusters)
{
	open_volume(types[_i], top[_i] | 0xFF5);
	put(2, top[_i] | 0xFF0);
	put(top[_i] | 0xFF0, top[_i] | 0xFF5);
	put(top[_i] | 0xFF5, top[_i] | 0xFF8);
	ends(2, 100, CHAIN_EOC, 3);
	put(top[_i] | 0xFF5, top[_i] | 0xFF6);
	ends(2, 100, CHAIN_RESERVED, 3);
	close_volume();
}
END_TEST

/* format.md 7. */
START_TEST(upper_bits)
{
	open_volume(FAT32, LAST);
	put(2, 0xF0000003);
	put(3, 0x5FFFFFF8);
	ends(2, 100, CHAIN_EOC, 2);
	ck_assert_uint_eq(chain.end_value, 0x0FFFFFF8);
	put(3, 0xF0000000);
	ends(2, 100, CHAIN_FREE, 1);
	put(3, 0xAFFFFFF7);
	ends(2, 100, CHAIN_BAD, 1);
	close_volume();
}
END_TEST

START_TEST(limits)
{
	open_volume(types[_i], LAST);
	for (clus_t c = 2; c < 101; c++)
		put(c, c + 1);
	put(101, top[_i] | 0xFFF);
	ends(2, 100, CHAIN_EOC, 100);
	ends(2, 99, CHAIN_LIMIT, 99);
	ck_assert_uint_eq(chain.end_value, 101);
	ends(2, 1, CHAIN_LIMIT, 1);
	ends(2, 0, CHAIN_LIMIT, 0);
	put(101, 2);
	ends(2, 7, CHAIN_LIMIT, 7);
	close_volume();
}
END_TEST

/* tail clusters lead into a ring; odd steps make them hop. */
static void rho(clus_t tail, clus_t ring, clus_t step)
{
	const clus_t n = tail + ring, size = LAST - 1;
	clus_t i;

	open_volume(types[n % 3], LAST);
	for (i = 0; i < n; i++)
		put(2 + i * step % size,
		    2 + (i + 1 < n ? i + 1 : tail) * step % size);
	ck_assert_int_eq(walk(2, UINT64_MAX), ST_OK);
	ck_assert_int_eq(chain.end, CHAIN_LOOP);
	/* All of it, and not for long. */
	ck_assert_uint_ge(chain.clusters, n);
	ck_assert_uint_le(chain.clusters, 4 * n);
	ck_assert_uint_eq(runs_clusters(&runs), chain.clusters);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(runs_at(&runs, i), 2 + i * step % size);
	close_volume();
}

START_TEST(loops)
{
	static const clus_t tail[] = { 0, 1, 2, 3, 7, 8, 100, 500 };
	static const clus_t ring[] = { 1, 2, 3, 4, 5, 16, 17, 333 };

	/* 3,999 is 3 * 31 * 43: no step has a factor of it */
	for (size_t i = 0; i < N(tail); i++)
		for (size_t k = 0; k < N(ring); k++) {
			rho(tail[i], ring[k], 1);
			rho(tail[i], ring[k], 1009);
		}
	rho(0, LAST - 1, 1);
	rho(LAST - 2, 1, 1);
	rho(1, LAST - 2, 1009);
}
END_TEST

START_TEST(self_loops)
{
	open_volume(types[_i], LAST);
	put(2, 2);
	ends(2, UINT64_MAX, CHAIN_LOOP, 1);
	put(LAST, LAST);
	ends(LAST, UINT64_MAX, CHAIN_LOOP, 1);
	close_volume();
}
END_TEST

static enum status stop(void *arg, struct run run, struct error *e)
{
	unsigned *calls = arg;

	ck_assert_uint_eq(run.count, 1);
	return ++*calls == 2 ? error_set(e, ST_NOMEM, "enough") : ST_OK;
}

START_TEST(stops)
{
	unsigned calls = 0;

	open_volume(FAT16, LAST);
	for (clus_t c = 2; c < LAST; c += 2)
		put(c, c + 2);
	ck_assert_int_eq(chain_walk(&win, 2, 100, stop, &calls, &chain, &err),
			 ST_NOMEM);
	ck_assert_uint_eq(calls, 2);
	ck_assert_str_eq(err.text, "enough");
	/* An entry that can't be read, in the second block of the FAT. */
	d.disk->fail_at = d.disk->done[OP_READ] + 2;
	ck_assert_int_eq(walk(2, UINT64_MAX), ST_IO);
	close_volume();
}
END_TEST

/* A million clusters: one after the other, every second one, backwards. */
START_TEST(long_chains)
{
	const clus_t n = 1 << 20, last = 2 * n + 1;
	clus_t i;

	open_volume(FAT32, last);
	for (i = 0; i < n; i++)
		put(2 + i, i + 1 < n ? 3 + i : 0x0FFFFFFF);
	ends(2, n, CHAIN_EOC, n);
	ck_assert_uint_eq(runs.n, 1);
	/* read once, in windows of 64 KiB, the last of which reads ahead */
	ck_assert_uint_le(d.ledger.bytes_read, 4 * n + 65536);
	ck_assert_uint_le(d.disk->done[OP_READ], n / 16384 + 6);
	ends(2, n - 1, CHAIN_LIMIT, n - 1);
	put(1 + n, 2);
	ck_assert_int_eq(walk(2, UINT64_MAX), ST_OK);
	ck_assert_int_eq(chain.end, CHAIN_LOOP);
	ck_assert_uint_le(chain.clusters, 4 * n);

	for (i = 0; i < n; i++)
		put(2 + 2 * i, i + 1 < n ? 4 + 2 * i : 0x0FFFFFF8);
	ends(2, UINT64_MAX, CHAIN_EOC, n);
	ck_assert_uint_eq(runs.n, n);

	d.ledger.bytes_read = 0;
	for (i = 0; i < n; i++)
		put(last - i, i + 1 < n ? last - i - 1 : 0x0FFFFFF8);
	ends(last, UINT64_MAX, CHAIN_EOC, n);
	ck_assert_uint_eq(runs.n, n);
	ck_assert_uint_le(d.ledger.bytes_read, 4 * n + 8192);
	close_volume();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("chain");
	TCase *tc = tcase_create("chain");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, sound, 0, 3);
	tcase_add_loop_test(tc, bad_links, 0, 3);
	tcase_add_loop_test(tc, bad_starts, 0, 3);
	tcase_add_loop_test(tc, reserved_clusters, 0, 2);
	tcase_add_test(tc, upper_bits);
	tcase_add_loop_test(tc, limits, 0, 3);
	tcase_add_test(tc, loops);
	tcase_add_loop_test(tc, self_loops, 0, 3);
	tcase_add_test(tc, stops);
	tcase_add_test(tc, long_chains);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
