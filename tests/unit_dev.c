/* unit_dev.c - the blk interface, slices, the ledger */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "crash/recorder.h"
#include "dev/blk_slice.h"

#define SIZE 4096u

static struct recorder *disk;
static struct ledger ledger;

static void setup(void)
{
	uint8_t image[SIZE];

	for (unsigned i = 0; i < SIZE; i++)
		image[i] = (uint8_t)(i / 512 + 1);
	disk = recorder_new(image, SIZE, 512);
	ledger = (struct ledger){.sector_bytes = 512};
	disk->blk.ledger = &ledger;
}

static void teardown(void)
{
	recorder_free(disk);
	disk = NULL;
}

START_TEST(counts)
{
	struct blk *b = &disk->blk;
	uint8_t buf[1024] = {0};

	ck_assert_int_eq(blk_read(b, 0, buf, 100, NULL), ST_OK);
	ck_assert_int_eq(blk_read(b, 4000, buf, 96, NULL), ST_OK);
	ck_assert_int_eq(blk_write(b, 0, buf, 1024, REGION_FAT, NULL), ST_OK);
	ck_assert_int_eq(blk_write(b, 512, buf, 512, REGION_FAT, NULL), ST_OK);
	ck_assert_int_eq(blk_write(b, 0, buf, 513, REGION_DIR, NULL), ST_OK);
	ck_assert_int_eq(blk_zero(b, 0, 2048, REGION_DIR, NULL), ST_OK);
	ck_assert_int_eq(blk_zero(b, 0, 1000, REGION_DATA, NULL), ST_OK);
	ck_assert_int_eq(blk_sync(b, NULL), ST_OK);

	ck_assert_uint_eq(ledger.bytes_read, 196);
	ck_assert_uint_eq(ledger.writes[REGION_FAT], 2);
	ck_assert_uint_eq(ledger.bytes_written[REGION_FAT], 1536);
	ck_assert_uint_eq(ledger_sectors(&ledger, REGION_FAT), 3);
	ck_assert_uint_eq(ledger.writes[REGION_DIR], 2);
	ck_assert_uint_eq(ledger_sectors(&ledger, REGION_DIR), 6);
	ck_assert_uint_eq(ledger.data_bytes_zeroed, 1000);
	ck_assert_uint_eq(ledger.writes[REGION_DATA], 1);
	ck_assert_uint_eq(ledger.writes[REGION_BOOT], 0);
	ck_assert_uint_eq(ledger.syncs, 1);
}
END_TEST

START_TEST(what_fails_or_is_empty_does_not_count)
{
	struct blk *b = &disk->blk;
	struct error err = {0};
	uint8_t buf[8] = {0};

	disk->fail_kind = OP_WRITE;
	disk->fail_at = 1;
	ck_assert_int_eq(blk_write(b, 0, buf, 8, REGION_FAT, &err), ST_IO);
	ck_assert_str_eq(err.text, "injected: write fails");
	ck_assert_int_eq(blk_write(b, 0, buf, 0, REGION_FAT, NULL), ST_OK);
	ck_assert_int_eq(blk_zero(b, SIZE, 0, REGION_DATA, NULL), ST_OK);
	ck_assert_int_eq(blk_read(b, SIZE, NULL, 0, NULL), ST_OK);
	ck_assert_uint_eq(disk->done[OP_WRITE], 1);
	ck_assert_uint_eq(disk->done[OP_READ], 0);
	ck_assert_uint_eq(ledger.writes[REGION_FAT], 0);
	ck_assert_uint_eq(ledger.writes[REGION_DATA], 0);
}
END_TEST

START_TEST(ranges)
{
	static const struct {
		uint64_t offset, len;
	} bad[] = {
		{SIZE, 1},	 {SIZE - 1, 2},
		{0, SIZE + 1},	 {UINT64_MAX, 1},
		{1, UINT64_MAX}, {UINT64_MAX, UINT64_MAX},
	};
	struct blk *b = &disk->blk;
	uint8_t buf[1] = {0};

	b->base_bytes = 1 << 20;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t at = bad[i].offset, len = bad[i].len;
		struct error err = {0};

		ck_assert_int_eq(blk_read(b, at, buf, (size_t)len, &err),
				 ST_IO);
		ck_assert_ptr_nonnull(strstr(err.text, "past the end"));
		ck_assert_int_eq(blk_write(b, at, buf, (size_t)len, REGION_DIR,
					   &err),
				 ST_IO);
		ck_assert_int_eq(blk_zero(b, at, len, REGION_DIR, &err),
				 ST_IO);
		/* The place is one on the whole device. */
		if (at < SIZE * 2)
			ck_assert_uint_eq(err.offset_bytes, at + (1 << 20));
		else
			ck_assert(!err.has_offset);
	}
	ck_assert_uint_eq(disk->done[OP_READ] + disk->done[OP_WRITE], 0);
}
END_TEST

START_TEST(read_only)
{
	struct blk *b = &disk->blk;
	struct error err = {0};
	uint8_t buf[1] = {0};

	b->read_only = true;
	ck_assert_int_eq(blk_write(b, 0, buf, 1, REGION_FAT, &err), ST_IO);
	ck_assert_str_eq(err.text, "cannot write: opened for reading only");
	ck_assert_int_eq(blk_zero(b, 0, 1, REGION_FAT, &err), ST_IO);
	ck_assert_int_eq(blk_sync(b, &err), ST_IO);
	ck_assert_int_eq(blk_read(b, 0, buf, 1, &err), ST_OK);
	ck_assert_uint_eq(disk->done[OP_WRITE] + disk->done[OP_SYNC], 0);
}
END_TEST

/* Bytes 512 to 2559 of the disk. Ops that are logged have the disk's offset. */
START_TEST(slice)
{
	struct blk *b = NULL;
	struct error err = {0};
	uint8_t buf[SIZE];

	ck_assert_int_eq(blk_slice_open(&b, &disk->blk, 512, 2048, &err),
			 ST_OK);
	ck_assert_uint_eq(b->size_bytes, 2048);
	ck_assert_uint_eq(b->base_bytes, 512);
	ck_assert_int_eq(blk_read(b, 0, buf, 2048, &err), ST_OK);
	ck_assert_uint_eq(buf[0], 2);
	ck_assert_uint_eq(buf[2047], 5);
	ck_assert_int_eq(blk_read(b, 2047, buf, 2, &err), ST_IO);
	ck_assert_uint_eq(err.offset_bytes, 512 + 2047);
	ck_assert_int_eq(blk_write(b, 10, "hello", 5, REGION_DIR, &err),
			 ST_OK);
	ck_assert_int_eq(blk_zero(b, 2046, 2, REGION_DATA, &err), ST_OK);
	ck_assert_int_eq(blk_sync(b, &err), ST_OK);
	blk_drop_cache(b);

	ck_assert_mem_eq(disk->image + 522, "hello", 5);
	ck_assert_uint_eq(disk->image[521], 2);
	ck_assert_uint_eq(disk->image[2557], 5);
	ck_assert_uint_eq(disk->image[2558], 0);
	ck_assert_uint_eq(disk->image[2559], 0);
	ck_assert_uint_eq(disk->image[2560], 6);
	ck_assert_uint_eq(disk->log.n, 3);
	ck_assert_int_eq(disk->log.v[0].region, REGION_DIR);
	ck_assert_int_eq(disk->log.v[1].region, REGION_DATA);
	ck_assert_int_eq(disk->log.v[2].kind, OP_SYNC);
	/* Counted once. */
	ck_assert_uint_eq(ledger.bytes_read, 2048);
	ck_assert_uint_eq(ledger.writes[REGION_DIR], 1);
	ck_assert_uint_eq(ledger.data_bytes_zeroed, 2);
	ck_assert_uint_eq(ledger.syncs, 1);

	ck_assert_int_eq(blk_close(b, &err), ST_OK);
	disk = NULL; /* went with the slice */
}
END_TEST

START_TEST(slice_of_a_slice)
{
	struct blk *a = NULL, *b = NULL;
	uint8_t byte;

	disk->blk.read_only = true;
	ck_assert_int_eq(blk_slice_open(&a, &disk->blk, 1024, 2048, NULL),
			 ST_OK);
	ck_assert_int_eq(blk_slice_open(&b, a, 512, 512, NULL), ST_OK);
	ck_assert_uint_eq(b->base_bytes, 1536);
	ck_assert(b->read_only);
	ck_assert_int_eq(blk_read(b, 0, &byte, 1, NULL), ST_OK);
	ck_assert_uint_eq(byte, 4);
	ck_assert_uint_eq(ledger.bytes_read, 1);
	blk_close(b, NULL);
	disk = NULL;
}
END_TEST

START_TEST(slice_past_the_end)
{
	struct blk *b = NULL;
	struct error err = {0};

	ck_assert_int_eq(blk_slice_open(&b, &disk->blk, 1, SIZE, &err), ST_IO);
	ck_assert_ptr_nonnull(strstr(err.text, "past the end"));
	ck_assert_int_eq(blk_slice_open(&b, &disk->blk, UINT64_MAX, 2, &err),
			 ST_IO);
	ck_assert_ptr_null(b);
	/* The disk stayed the caller's, with its ledger. */
	ck_assert_ptr_eq(disk->blk.ledger, &ledger);
}
END_TEST

START_TEST(close_accepts_null)
{
	ck_assert_int_eq(blk_close(NULL, NULL), ST_OK);
}
END_TEST

START_TEST(buffers)
{
	struct ledger lg = {0};

	ledger_buffer_add(&lg, 100);
	ledger_buffer_add(&lg, 50);
	ledger_buffer_sub(&lg, 100);
	ledger_buffer_add(&lg, 20);
	ck_assert_uint_eq(lg.buffer_bytes, 70);
	ck_assert_uint_eq(lg.peak_buffer_bytes, 150);
	ledger_buffer_add(NULL, 1);
	ledger_buffer_sub(NULL, 1);
	lg.bytes_written[REGION_FAT] = 512;
	ck_assert_uint_eq(ledger_sectors(&lg, REGION_FAT), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dev");
	TCase *tc = tcase_create("dev");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counts);
	tcase_add_test(tc, what_fails_or_is_empty_does_not_count);
	tcase_add_test(tc, ranges);
	tcase_add_test(tc, read_only);
	tcase_add_test(tc, slice);
	tcase_add_test(tc, slice_of_a_slice);
	tcase_add_test(tc, slice_past_the_end);
	tcase_add_test(tc, close_accepts_null);
	tcase_add_test(tc, buffers);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
