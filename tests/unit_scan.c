/* unit_scan.c - the pass over the FAT: free runs, copies, links watched */
#include <stdio.h>

#include "fatdisk.h"
#include "prealloc/scan.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const enum fat_type types[] = { FAT12, FAT16, FAT32 };
static const clus_t lasts[] = { 4085, 65525, 200001 };
static struct fatdisk d;
static struct scan_stats stats;
static struct runs runs;
static struct error err;

static void open_volume(enum fat_type type, unsigned copies, clus_t last,
			size_t window)
{
	/* the copies begin at odd places; the slack is not free */
	fatdisk_open(&d, type, copies, last, 77, window);
	for (unsigned i = 0; i + 1 < copies; i++)
		memset(d.disk->image + FATDISK_AT +
			       (i + 1) * d.vol.bpb.fat_bytes - 77,
		       0xA0 + (int)i, 77);
}

static void close_volume(void)
{
	runs_free(&runs);
	fatdisk_close(&d, 2);
}

static void put_all(clus_t c, uint32_t value)
{
	for (unsigned i = 0; i < d.vol.bpb.fat_copies; i++)
		fatdisk_put(&d, i, c, value);
}

static enum status collect(void *arg, struct run run, struct error *e)
{
	struct runs *rs = arg;

	/* Maximal, and in the order of the clusters. */
	ck_assert(!rs->n || run_end(rs->v[rs->n - 1]) < run.first);
	ck_assert_uint_ge(run.count, 1);
	return runs_push(rs, run, e);
}

static enum status scan(const struct bitmap *watch)
{
	runs_free(&runs);
	d.ledger.bytes_read = 0;
	memset(&stats, 0xA5, sizeof(stats));
	return scan_free(&d.vol, watch, collect, &runs, &stats, &err);
}

START_TEST(literal)
{
	static const clus_t used[] = { 5, 6, 8, 16 };

	open_volume(types[_i], 2, 30, 65536);
	put_all(0, 0); /* no clusters, whatever they hold */
	put_all(1, 0);
	for (size_t i = 0; i < N(used); i++)
		put_all(used[i], (uint32_t)i + 1);
	ck_assert_int_eq(scan(NULL), ST_OK);
	/* 2-4, 7, 9-15, 17-30 */
	ck_assert_uint_eq(runs.n, 4);
	ck_assert_uint_eq(runs.v[0].first, 2);
	ck_assert_uint_eq(runs.v[0].count, 3);
	ck_assert_uint_eq(runs.v[1].first, 7);
	ck_assert_uint_eq(runs.v[1].count, 1);
	ck_assert_uint_eq(runs.v[2].first, 9);
	ck_assert_uint_eq(runs.v[2].count, 7);
	ck_assert_uint_eq(runs.v[3].first, 17);
	ck_assert_uint_eq(runs.v[3].count, 14);
	ck_assert_uint_eq(stats.free, 25);
	ck_assert_uint_eq(stats.free_runs, 4);
	ck_assert_uint_eq(stats.largest.first, 17);
	ck_assert_uint_eq(stats.largest.count, 14);
	for (unsigned i = 0; i < SCAN_BUCKETS; i++)
		ck_assert_uint_eq(stats.histogram[i], i < 4);
	ck_assert_uint_eq(stats.links_watched, 0);
	/* Of two as long the first one. */
	put_all(24, 1);
	ck_assert_int_eq(scan(NULL), ST_OK);
	ck_assert_uint_eq(stats.largest.first, 9);
	ck_assert_uint_eq(stats.largest.count, 7);
	ck_assert_uint_eq(stats.histogram[2], 3);
	ck_assert_int_eq(scan_free(&d.vol, NULL, NULL, NULL, &stats, &err),
			 ST_OK);
	ck_assert_uint_eq(stats.free, 24);
	close_volume();
}
END_TEST

START_TEST(full_and_empty)
{
	const clus_t last = lasts[_i];

	open_volume(types[_i], 1, last, 65536);
	ck_assert_int_eq(scan(NULL), ST_OK);
	ck_assert_uint_eq(runs.n, 1);
	ck_assert_uint_eq(stats.largest.first, 2);
	ck_assert_uint_eq(stats.free, last - 1);
	ck_assert_uint_eq(stats.largest.count, last - 1);
	for (clus_t c = 2; c <= last; c++)
		put_all(c, 0xFF7);
	ck_assert_int_eq(scan(NULL), ST_OK);
	ck_assert_uint_eq(runs.n + stats.free + stats.free_runs, 0);
	ck_assert_uint_eq(stats.largest.count, 0);
	close_volume();
}
END_TEST

/* Runs that end at, begin at and lie over any window's end. */
START_TEST(windows)
{
	static const size_t window[] = { 65536, 65537, 65539, 70001, 81918,
					 131072, 1 << 20 };
	const clus_t last = lasts[_i];
	uint32_t seed = 7, left = 0;
	struct runs want = { 0 };
	clus_t used = 1;

	open_volume(types[_i], 2, last, 65536);
	for (clus_t c = 2; c <= last; c++, left--) {
		if (!left) {
			seed = seed * 1103515245 + 12345;
			left = 1 + (seed >> 16) % (seed & 0x8000 ? 9 : 9000);
			used = !used;
		}
		/* FAT32: nothing but the upper 4 bits is free, too */
		put_all(c, used ? c : types[_i] == FAT32 ? c << 28 : 0);
		if (!used)
			ck_assert_int_eq(runs_push(&want, (struct run){ c, 1 },
						   &err), ST_OK);
	}
	for (size_t i = 0; i < N(window); i++) {
		d.vol.window_bytes = window[i];
		ck_assert_int_eq(scan(NULL), ST_OK);
		ck_assert_uint_eq(runs.n, want.n);
		ck_assert_mem_eq(runs.v, want.v, want.n * sizeof(*want.v));
		ck_assert_uint_eq(stats.free, runs_clusters(&want));
		ck_assert_uint_eq(stats.free_runs, want.n);
		/* Each copy's entries once, its slack never. */
		ck_assert_uint_eq(d.ledger.bytes_read,
				  2 * fatdisk_bytes_to(types[_i], last));
	}
	runs_free(&want);
	close_volume();
}
END_TEST

/* format.md 18: whichever entry, whichever copy. */
START_TEST(copies_differ)
{
	const clus_t last = lasts[_i];
	const clus_t at[] = { 0, 1, 2, 341, 4084, last / 2, last - 1, last };
	char entry[32];

	open_volume(types[_i], 3, last, 65536);
	put_all(1, 0xFFF);
	ck_assert_int_eq(scan(NULL), ST_OK);
	for (size_t i = 0; i < 2 * N(at); i++) {
		const unsigned copy = 1 + i % 2;
		const clus_t c = at[i / 2];

		fatdisk_put(&d, copy, c, 0x800);
		ck_assert_int_eq(scan(NULL), ST_REFUSED);
		snprintf(entry, sizeof(entry), "1 and %u differ at entry %u;",
			 copy + 1, c);
		ck_assert_msg(strstr(err.text, entry), "%s", err.text);
		ck_assert(err.has_offset);
		ck_assert_uint_eq(err.offset_bytes,
				  FATDISK_AT + copy * d.vol.bpb.fat_bytes +
					  c * (uint64_t)types[_i] / 8);
		fatdisk_put(&d, copy, c, c == 1 ? 0xFFF : 0);
	}
	ck_assert_int_eq(scan(NULL), ST_OK);
	close_volume();
}
END_TEST

/* format.md 6, 7: what is no part of a value may differ. */
START_TEST(what_may_differ)
{
	/* Entry 4084 of a FAT12 shares its last byte with no other one. */
	open_volume(FAT12, 2, 4084, 65536);
	fatdisk_put(&d, 0, 4085, 0x00B);
	ck_assert_int_eq(scan(NULL), ST_OK);
	ck_assert_uint_eq(stats.free, 4083);
	fatdisk_put(&d, 0, 4084, 0xB00);
	ck_assert_int_eq(scan(NULL), ST_REFUSED);
	close_volume();
	open_volume(FAT32, 2, 40000, 65536);
	for (clus_t c = 0; c <= 40000; c++)
		fatdisk_put(&d, 1, c, 0xF0000000);
	ck_assert_int_eq(scan(NULL), ST_OK);
	ck_assert_uint_eq(stats.free, 39999);
	close_volume();
}
END_TEST

/* format.md 16. */
START_TEST(mirroring_off)
{
	open_volume(FAT32, 3, 40000, 65536);
	d.vol.bpb.mirrored = false;
	for (unsigned copy = 0; copy < 3; copy++)
		for (clus_t c = 0; c < 100 * (copy + 1); c++)
			fatdisk_put(&d, copy, c, 0x0FFFFFFF);
	for (unsigned copy = 0; copy < 3; copy++) {
		d.vol.bpb.active_fat = copy;
		ck_assert_int_eq(scan(NULL), ST_OK);
		ck_assert_uint_eq(runs.n, 1);
		ck_assert_uint_eq(runs.v[0].first, 100 * (copy + 1));
		ck_assert_uint_eq(d.ledger.bytes_read, 4 * 40001);
	}
	close_volume();
}
END_TEST

START_TEST(links_watched)
{
	const clus_t last = lasts[_i];
	struct bitmap *watch = bitmap_new((uint64_t)last + 1);

	open_volume(types[_i], 2, last, 65536);
	bitmap_set(watch, 2);
	bitmap_set(watch, 1000);
	bitmap_set(watch, last);
	put_all(0, 1000); /* FAT[0] and FAT[1] are no links */
	put_all(1, 2);
	put_all(3, 1000);
	put_all(last, 1000);
	put_all(1000, last);
	put_all(2, 999);
	put_all(4, 1);
	put_all(5, last + 1);
	put_all(6, types[_i] == FAT32 ? 0xF0000002 : 2);
	put_all(7, 0x0FFFFFFF);
	ck_assert_int_eq(scan(watch), ST_OK);
	ck_assert_uint_eq(stats.links_watched, 4);
	bitmap_free(watch);
	close_volume();
}
END_TEST

static enum status stop(void *arg, struct run run, struct error *e)
{
	(void)run;
	++*(unsigned *)arg;
	return error_set(e, ST_NOMEM, "enough");
}

START_TEST(stops)
{
	unsigned calls = 0;
	size_t reads;

	open_volume(FAT16, 2, 65525, 65536);
	put_all(9, 1);
	ck_assert_int_eq(scan_free(&d.vol, NULL, stop, &calls, &stats, &err),
			 ST_NOMEM);
	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(d.ledger.buffer_bytes, 0);
	d.disk->done[OP_READ] = 0;
	ck_assert_int_eq(scan(NULL), ST_OK);
	reads = d.disk->done[OP_READ];
	for (size_t i = 1; i <= reads; i++) {
		d.disk->done[OP_READ] = 0;
		d.disk->fail_at = i;
		ck_assert_int_eq(scan(NULL), ST_IO);
		ck_assert_uint_eq(d.ledger.buffer_bytes, 0);
	}
	ck_assert_uint_eq(d.disk->done[OP_WRITE], 0);
	close_volume();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("scan");
	TCase *tc = tcase_create("scan");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, literal, 0, 3);
	tcase_add_loop_test(tc, full_and_empty, 0, 3);
	tcase_add_loop_test(tc, windows, 0, 3);
	tcase_add_loop_test(tc, copies_differ, 0, 3);
	tcase_add_test(tc, what_may_differ);
	tcase_add_test(tc, mirroring_off);
	tcase_add_loop_test(tc, links_watched, 0, 3);
	tcase_add_test(tc, stops);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
