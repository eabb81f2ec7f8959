/* unit_overlay.c - reads its own writes, never touches what lies below */
#define _FILE_OFFSET_BITS 64
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash/recorder.h"
#include "dev/blk_file.h"
#include "dev/blk_overlay.h"

#define PAGE   4096u
#define SIZE   (40 * PAGE + 777) /* the last page is cut short */
#define EXTENT 32u		 /* bytes of bookkeeping, about */

static uint8_t model[SIZE], below[SIZE];
static struct recorder *disk;
static struct ledger ledger;
static struct blk *b;
static struct error err;

static void open_overlay(uint64_t limit_bytes)
{
	for (unsigned i = 0; i < SIZE; i++)
		below[i] = (uint8_t)(i % 251 + 1);
	memcpy(model, below, SIZE);
	err = (struct error){0};
	disk = recorder_new(below, SIZE, 512);
	disk->blk.read_only = true;
	disk->blk.ledger = &ledger;
	ledger = (struct ledger){0};
	ck_assert_int_eq(blk_overlay_open(&b, &disk->blk, limit_bytes, &err),
			 ST_OK);
}

static void close_overlay(void)
{
	/* Nothing reached the parent. */
	ck_assert_uint_eq(disk->done[OP_WRITE] + disk->done[OP_SYNC], 0);
	ck_assert_mem_eq(disk->image, below, SIZE);
	ck_assert_int_eq(blk_close(b, &err), ST_OK);
}

static void agrees(void)
{
	static uint8_t buf[SIZE];

	ck_assert_int_eq(blk_read(b, 0, buf, SIZE, &err), ST_OK);
	for (unsigned i = 0; i < SIZE; i++)
		if (buf[i] != model[i])
			ck_abort_msg("byte %u is %u, not %u", i, buf[i],
				     model[i]);
}

static void do_zero(uint64_t offset, uint64_t len)
{
	memset(model + offset, 0, len);
	ck_assert_int_eq(blk_zero(b, offset, len, REGION_DATA, &err), ST_OK);
}

static void do_write(uint64_t offset, size_t len, int byte)
{
	memset(model + offset, byte, len);
	ck_assert_int_eq(
		blk_write(b, offset, model + offset, len, REGION_DIR, &err),
		ST_OK);
}

START_TEST(basics)
{
	open_overlay(1 << 20);
	ck_assert_uint_eq(b->size_bytes, SIZE);
	ck_assert(!b->read_only);
	agrees();
	do_write(PAGE - 1, 2, 0xAA);
	do_write(SIZE - 1, 1, 0xBB);
	agrees();
	do_zero(5 * PAGE, 10 * PAGE);
	agrees();
	/* Into the middle of a zeroed range, and its ends. */
	do_write(7 * PAGE + 5, 3, 0xCC);
	do_write(5 * PAGE, 1, 0xCD);
	do_write(15 * PAGE - 1, 1, 0xCE);
	agrees();
	/* Over it all, unaligned; then the cut page at the end. */
	do_zero(4 * PAGE + 1, 12 * PAGE);
	do_zero(39 * PAGE + 5, PAGE + 700);
	agrees();
	ck_assert_int_eq(blk_sync(b, &err), ST_OK);
	blk_drop_cache(b);
	agrees();
	ck_assert_uint_eq(ledger.writes[REGION_DIR], 5);
	ck_assert_uint_eq(ledger.bytes_read, 6 * SIZE);
	close_overlay();
}
END_TEST

/* Any order of writes and zeroes, against an array. */
START_TEST(random_operations)
{
	uint32_t seed = 12345u + (uint32_t)_i;
	uint64_t offset, len;

	open_overlay(1 << 20);
	for (int i = 0; i < 400; i++) {
		seed = seed * 1103515245 + 12345;
		offset = seed / 7 % SIZE;
		seed = seed * 1103515245 + 12345;
		len = seed / 7 % (seed & 0x10000 ? 30 * PAGE : PAGE + 100) + 1;
		if (len > SIZE - offset)
			len = SIZE - offset;
		if (seed & 0x20000)
			offset -= offset % PAGE;
		if (seed & 0x40000)
			do_zero(offset, len);
		else
			do_write(offset, len, i % 255 + 1);
		if (i % 10 == 0)
			agrees();
	}
	agrees();
	close_overlay();
}
END_TEST

START_TEST(memory_is_bounded)
{
	open_overlay(3 * (PAGE + EXTENT) + EXTENT);
	do_write(0, 1, 1);
	do_write(PAGE * 9, 1, 2);
	do_write(PAGE * 20, 1, 3);
	ck_assert_int_eq(blk_write(b, PAGE * 30, "x", 1, REGION_FAT, &err),
			 ST_NOMEM);
	ck_assert_str_eq(err.text, "too many changes to hold in memory");
	agrees();
	/* Pages that there are, may change; zeroing gives them back. */
	do_write(PAGE * 9 + 7, 100, 4);
	do_zero(0, PAGE * 10);
	do_write(PAGE * 30, 1, 5);
	agrees();
	close_overlay();
}
END_TEST

/* A range of zeros costs the same whatever its length; neighbours merge. */
START_TEST(zeros_are_ranges)
{
	char path[] = "unit_overlay.XXXXXX", byte = 'x';
	const uint64_t size = 1ull << 36;
	int fd = mkstemp(path);
	struct blk *file = NULL;

	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	ck_assert_int_eq(pwrite(fd, "abc", 3, 1ll << 33), 3);
	unlink(path);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	ck_assert_int_eq(blk_file_open(&file, path, false, NULL, &err), ST_OK);
	ck_assert_int_eq(blk_overlay_open(&b, file, 4 * EXTENT, &err), ST_OK);
	ck_assert_int_eq(blk_zero(b, 0, size, REGION_DATA, &err), ST_OK);
	ck_assert_int_eq(blk_read(b, (1ull << 33) + 1, &byte, 1, &err), ST_OK);
	ck_assert_int_eq(byte, 0);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_int_eq(blk_zero(b, i * 2 * PAGE, 2 * PAGE,
					  REGION_DATA, &err),
				 ST_OK);
	blk_close(b, NULL);

	ck_assert_int_eq(blk_file_open(&file, path, false, NULL, &err), ST_OK);
	ck_assert_int_eq(blk_overlay_open(&b, file, 4 * EXTENT, &err), ST_OK);
	for (uint64_t i = 1000; i > 0; i--)
		ck_assert_int_eq(blk_zero(b, i * PAGE, PAGE, REGION_DATA,
					  &err),
				 ST_OK);
	for (uint64_t i = 1001; i < 2000; i++)
		ck_assert_int_eq(blk_zero(b, i * PAGE, PAGE, REGION_DATA,
					  &err),
				 ST_OK);
	blk_close(b, NULL);
	close(fd);
}
END_TEST

START_TEST(parent_fails)
{
	char byte;

	open_overlay(1 << 20);
	disk->fail_kind = OP_READ;
	disk->fail_at = 2;
	ck_assert_int_eq(blk_read(b, 0, &byte, 1, &err), ST_OK);
	ck_assert_int_eq(blk_write(b, 5, "x", 1, REGION_FAT, &err), ST_IO);
	ck_assert_str_eq(err.text, "injected: read fails");
	agrees();
	close_overlay();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("overlay");
	TCase *tc = tcase_create("overlay");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, basics);
	tcase_add_loop_test(tc, random_operations, 0, 8);
	tcase_add_test(tc, memory_is_bounded);
	tcase_add_test(tc, zeros_are_ranges);
	tcase_add_test(tc, parent_fails);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
