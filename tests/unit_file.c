/* unit_file.c - image files: transfers, zeroing, locks, what can't be opened */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev/blk_file.h"

#define MIB (1u << 20)

static char path[] = "unit_file.XXXXXX";
static int fd;
static struct blk *b;
static struct error err;

static void setup(void)
{
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	b = NULL;
	err = (struct error){0};
}

static void teardown(void)
{
	blk_close(b, NULL);
	close(fd);
	unlink(path);
}

/* The file becomes len bytes 'x'. */
static void fill(size_t len)
{
	char *buf = malloc(len);

	memset(buf, 'x', len);
	ck_assert_int_eq(pwrite(fd, buf, len, 0), (ssize_t)len);
	ck_assert_int_eq(fsync(fd), 0);
	free(buf);
}

static void open_ok(bool writable)
{
	ck_assert_msg(!blk_file_open(&b, path, writable, NULL, &err), "%s",
		      err.text);
}

static long blocks(void)
{
	struct stat sb;

	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_int_eq(fstat(fd, &sb), 0);
	return (long)sb.st_blocks;
}

START_TEST(reads_and_writes)
{
	struct ledger lg = {0};
	char buf[16] = "";

	fill(5000);
	ck_assert_int_eq(blk_file_open(&b, path, true, &lg, &err), ST_OK);
	ck_assert_uint_eq(b->size_bytes, 5000);
	ck_assert_uint_eq(b->base_bytes, 0);
	ck_assert(!b->read_only);
	ck_assert_int_eq(blk_write(b, 4990, "0123456789", 10, REGION_FAT,
				   &err),
			 ST_OK);
	ck_assert_int_eq(blk_sync(b, &err), ST_OK);
	blk_drop_cache(b);
	ck_assert_int_eq(blk_read(b, 4988, buf, 12, &err), ST_OK);
	ck_assert_str_eq(buf, "xx0123456789");
	memset(buf, 0, sizeof(buf));
	ck_assert_int_eq(pread(fd, buf, 16, 4988), 12);
	ck_assert_str_eq(buf, "xx0123456789");
	ck_assert_uint_eq(lg.bytes_read, 12);
	ck_assert_uint_eq(lg.writes[REGION_FAT], 1);
	ck_assert_uint_eq(lg.syncs, 1);
	ck_assert_int_eq(blk_close(b, &err), ST_OK);
	b = NULL;
}
END_TEST

START_TEST(past_four_gigabytes)
{
	const uint64_t at = (5ull << 30) + 3;
	char buf[8] = "";

	ck_assert_int_eq(ftruncate(fd, (off_t)at + 100), 0);
	open_ok(true);
	ck_assert_uint_eq(b->size_bytes, at + 100);
	ck_assert_int_eq(blk_write(b, at, "far", 3, REGION_FAT, &err), ST_OK);
	ck_assert_int_eq(pread(fd, buf, 5, (off_t)at - 1), 5);
	ck_assert_mem_eq(buf, "\0far", 5);
	ck_assert_int_eq(blk_read(b, at & 0xFFFFFFFF, buf, 3, &err), ST_OK);
	ck_assert_mem_eq(buf, "\0\0\0", 3);
	/* One call zeroes more than 32 bits count. */
	ck_assert_int_eq(blk_zero(b, 0, at + 2, REGION_DATA, &err), ST_OK);
	ck_assert_int_eq(pread(fd, buf, 4, (off_t)at), 4);
	ck_assert_mem_eq(buf, "\0\0r", 4);
	ck_assert_uint_eq(b->size_bytes, at + 100);
}
END_TEST

START_TEST(shrinks_while_open)
{
	char buf[10], want[200];

	fill(5000);
	open_ok(false);
	ck_assert_int_eq(ftruncate(fd, 4095), 0);
	ck_assert_int_eq(blk_read(b, 4090, buf, 10, &err), ST_IO);
	snprintf(want, sizeof(want),
		 "%s: cannot read 5 bytes at byte 4095: "
		 "the file has become shorter",
		 path);
	ck_assert_str_eq(err.text, want);
	ck_assert(err.has_offset);
	ck_assert_uint_eq(err.offset_bytes, 4095);
}
END_TEST

/* A limit on the file's size cuts a write short, then makes it fail. */
START_TEST(write_that_fails)
{
	struct rlimit old, small;
	char buf[8192], want[200];

	memset(buf, 'y', sizeof(buf));
	fill(10000);
	open_ok(true);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 4096 + 7;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	ck_assert_int_eq(blk_write(b, 0, buf, sizeof(buf), REGION_DIR, &err),
			 ST_IO);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
	snprintf(want, sizeof(want),
		 "%s: cannot write 4089 bytes at byte 4103: File too large",
		 path);
	ck_assert_str_eq(err.text, want);
	ck_assert_int_eq(err.sys_errno, EFBIG);
	ck_assert_uint_eq(err.offset_bytes, 4103);
	ck_assert_int_eq(pread(fd, buf, 2, 4102), 2);
	ck_assert_mem_eq(buf, "yx", 2);
}
END_TEST

static void zeroes(bool by_write, uint64_t offset, uint64_t len)
{
	static char buf[3 * MIB];

	fill(3 * MIB);
	open_ok(true);
	if (by_write)
		blk_file_zero_by_write(b);
	ck_assert_int_eq(blk_zero(b, offset, len, REGION_DATA, &err), ST_OK);
	ck_assert_int_eq(pread(fd, buf, sizeof(buf), 0), (ssize_t)sizeof(buf));
	for (uint64_t i = 0; i < 3 * MIB; i++)
		if (buf[i] != (i < offset || i >= offset + len ? 'x' : 0))
			ck_abort_msg("byte %lu", (unsigned long)i);
	blk_close(b, NULL);
	b = NULL;
}

static const struct {
	uint64_t offset, len;
} ranges[] = {
	{0, 3 * MIB}, {1, 1},		   {511, 2},
	{4096, 4096}, {12345, 2 * MIB + 1}, {3 * MIB - 1, 1},
};

START_TEST(zeroes_by_any_means)
{
	zeroes(false, ranges[_i].offset, ranges[_i].len);
}
END_TEST

START_TEST(zeroes_by_writes)
{
	zeroes(true, ranges[_i].offset, ranges[_i].len);
}
END_TEST

/* Does the file system of the test know holes? */
static bool has_holes(void)
{
	long before;

	fill(MIB);
	before = blocks();
	return !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  MIB) &&
	       blocks() < before;
}

START_TEST(stays_sparse)
{
	long before;

	if (!has_holes())
		return;
	/* A hole stays one, data becomes one; size and neighbours stay. */
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(ftruncate(fd, 64 * MIB), 0);
	open_ok(true);
	before = blocks();
	ck_assert_int_eq(blk_zero(b, 100, 60 * MIB, REGION_DATA, &err), ST_OK);
	ck_assert_int_eq(blocks(), before);
	fill(4 * MIB);
	ck_assert_int_ge(blocks(), 4 * MIB / 512);
	ck_assert_int_eq(blk_zero(b, MIB, 2 * MIB, REGION_DATA, &err), ST_OK);
	ck_assert_int_le(blocks(), 3 * MIB / 512);
	ck_assert_uint_eq(b->size_bytes, 64 * MIB);
	/* Plain writes can't do that, so the switch does what it says. */
	blk_file_zero_by_write(b);
	ck_assert_int_eq(blk_zero(b, 10 * MIB, MIB, REGION_DATA, &err), ST_OK);
	ck_assert_int_ge(blocks(), 3 * MIB / 512);
}
END_TEST

static void refused(const char *name, bool writable, enum status st,
		    const char *why)
{
	char want[300];

	ck_assert_int_eq(blk_file_open(&b, name, writable, NULL, &err), st);
	snprintf(want, sizeof(want), "%s: %s", name, why);
	ck_assert_str_eq(err.text, want);
	ck_assert_ptr_null(b);
}

START_TEST(cannot_be_opened)
{
	refused("no such/image", false, ST_IO,
		"cannot open: No such file or directory");
	refused(".", true, ST_IO,
		"is a directory, not an image or a block device");
	refused("/dev/null", true, ST_IO,
		"is something else, not an image or a block device");
}
END_TEST

START_TEST(cannot_be_written)
{
	/* A file that not even root can open for writing. */
	static const char attribute[] = "/sys/kernel/uevent_seqnum";

	if (!access(attribute, F_OK))
		refused(attribute, true, ST_IO,
			"cannot open for writing: Permission denied");
	ck_assert_int_eq(fchmod(fd, 0444), 0);
	if (geteuid())
		refused(path, true, ST_IO,
			"cannot open for writing: Permission denied");
	open_ok(false);
}
END_TEST

START_TEST(pipe_does_not_hang)
{
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	refused(path, false, ST_IO,
		"is something else, not an image or a block device");
}
END_TEST

START_TEST(one_writer)
{
	struct blk *first = NULL, *second = NULL;

	ck_assert_int_eq(blk_file_open(&first, path, true, NULL, &err), ST_OK);
	refused(path, true, ST_REFUSED, "is locked by another program");
	refused(path, false, ST_REFUSED, "is locked by another program");
	blk_close(first, NULL);
	/* Readers share. */
	ck_assert_int_eq(blk_file_open(&first, path, false, NULL, &err),
			 ST_OK);
	ck_assert_int_eq(blk_file_open(&second, path, false, NULL, &err),
			 ST_OK);
	ck_assert(first->read_only);
	refused(path, true, ST_REFUSED, "is locked by another program");
	blk_close(first, NULL);
	blk_close(second, NULL);
	open_ok(true);
}
END_TEST

/* Each of the two kinds of lock alone is noticed. */
START_TEST(locks_of_others)
{
	/* As a virtual machine locks its image: a read lock on a few bytes. */
	struct flock vm = {.l_type = F_RDLCK,
			   .l_whence = SEEK_SET,
			   .l_start = 100,
			   .l_len = 1};

	ck_assert_int_eq(flock(fd, LOCK_SH), 0);
	refused(path, true, ST_REFUSED, "is locked by another program");
	open_ok(false);
	blk_close(b, NULL);
	b = NULL;
	ck_assert_int_eq(flock(fd, LOCK_UN), 0);

	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &vm), 0);
	refused(path, true, ST_REFUSED, "is locked by another program");
	open_ok(false);
	blk_close(b, NULL);
	b = NULL;
	vm.l_type = F_UNLCK;
	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &vm), 0);
	open_ok(true);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("file");
	TCase *tc = tcase_create("file");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, reads_and_writes);
	tcase_add_test(tc, past_four_gigabytes);
	tcase_add_test(tc, shrinks_while_open);
	tcase_add_test(tc, write_that_fails);
	tcase_add_loop_test(tc, zeroes_by_any_means, 0, 6);
	tcase_add_loop_test(tc, zeroes_by_writes, 0, 6);
	tcase_add_test(tc, stays_sparse);
	tcase_add_test(tc, cannot_be_opened);
	tcase_add_test(tc, pipe_does_not_hang);
	tcase_add_test(tc, cannot_be_written);
	tcase_add_test(tc, one_writer);
	tcase_add_test(tc, locks_of_others);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
