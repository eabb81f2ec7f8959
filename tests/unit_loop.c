/*
 * unit_loop.c - block devices, on a real loop device
 *
 * Needs root and loop devices; else skipped. What the kernel's tables say of
 * a device in use is the kernel's own here.
 */
#define _GNU_SOURCE 1
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev/blk_file.h"
#include "dev/inuse.h"

#define MIB (1u << 20)
#define PATH "PATH=$PATH:/usr/sbin:/sbin; "

/* Undoes what a test did to $LOOP. */
#define TAKE_DOWN \
	"umount $MNT; swapoff $LOOP; delpart $LOOP 1; " \
	"for i in $(losetup -n -O NAME -j $LOOP); do losetup -d $i; done"

static char dir[256], image[300], loop[64];
static struct error err;

/* Runs a command with $IMG, $LOOP and $MNT; true if it succeeds. */
static bool run(const char *command)
{
	char line[1500];

	snprintf(line, sizeof(line),
		 PATH "IMG='%s'; LOOP='%s'; MNT='%s/mnt'; { %s; } "
		      ">/dev/null 2>&1",
		 image, loop, dir, command);
	return !system(line);
}

/* An image of 16 MiB 'x', attached; false if that can't be done here. */
static bool attach(void)
{
	char line[600];
	FILE *f;

	if (!getcwd(dir, sizeof(dir) - 20) ||
	    !mkdtemp(strcat(dir, "/unit_loop.XXXXXX")))
		return false;
	snprintf(image, sizeof(image), "%s/disk.img", dir);
	run("mkdir $MNT; tr '\\0' x </dev/zero | head -c 16M >$IMG");
	snprintf(line, sizeof(line),
		 PATH "losetup -P -f --show '%s' 2>/dev/null", image);
	f = popen(line, "r");
	if (!f || !fgets(loop, sizeof(loop), f))
		loop[0] = '\0';
	loop[strcspn(loop, "\n")] = '\0';
	return f && !pclose(f) && loop[0];
}

/* Also after a test that failed. */
static void detach(void)
{
	run("test -z \"$LOOP\" || { " TAKE_DOWN "; losetup -d $LOOP; }");
	run("rmdir $MNT; rm $IMG; rmdir ${IMG%/*}");
}

static void setup(void)
{
	err = (struct error){0};
	ck_assert(run("tr '\\0' x </dev/zero | "
		      "dd of=$LOOP bs=1M count=16 iflag=fullblock"));
}

static void teardown(void)
{
	run(TAKE_DOWN);
}

static struct blk *open_ok(void)
{
	struct blk *b = NULL;

	ck_assert_msg(!blk_file_open(&b, loop, true, NULL, &err), "%s",
		      err.text);
	return b;
}

/* The sentence is "path: what where rest". */
static void refused(const char *path, const char *what, const char *where,
		    const char *rest)
{
	char want[1500];

	snprintf(want, sizeof(want), "%s: %s%s%s", path, what, where, rest);
	ck_assert_int_eq(inuse_check(path, NULL, &err), ST_REFUSED);
	ck_assert_str_eq(err.text, want);
}

START_TEST(reads_and_writes)
{
	struct blk *b = open_ok();
	char buf[8] = "";
	int fd;

	ck_assert_uint_eq(b->size_bytes, 16 * MIB);
	ck_assert_int_eq(blk_write(b, MIB + 5, "hello", 5, REGION_FAT, &err),
			 ST_OK);
	ck_assert_int_eq(blk_sync(b, &err), ST_OK);
	blk_drop_cache(b);
	ck_assert_int_eq(blk_read(b, MIB + 4, buf, 7, &err), ST_OK);
	ck_assert_str_eq(buf, "xhellox");
	ck_assert_int_eq(blk_close(b, &err), ST_OK);
	fd = open(image, O_RDONLY);
	ck_assert_int_eq(pread(fd, buf, 7, MIB + 4), 7);
	ck_assert_str_eq(buf, "xhellox");
	close(fd);
}
END_TEST

static const struct {
	uint64_t offset, len;
} ranges[] = {{0, 16 * MIB}, {512, 1024}, {100, 8192},	{10, 20},
	      {511, 2},	     {1000, 600}, {MIB - 1, MIB + 2}};

START_TEST(zeroes)
{
	const uint64_t at = ranges[_i].offset, len = ranges[_i].len;
	static char buf[16 * MIB];

	/* By the device, then as if it could not. */
	for (int plain = 0; plain < 2; plain++) {
		struct blk *b = open_ok();

		memset(buf, 'x', sizeof(buf));
		ck_assert_int_eq(blk_write(b, 0, buf, sizeof(buf), REGION_DATA,
					   &err),
				 ST_OK);
		if (plain)
			blk_file_zero_by_write(b);
		ck_assert_int_eq(blk_zero(b, at, len, REGION_DATA, &err),
				 ST_OK);
		ck_assert_int_eq(blk_sync(b, &err), ST_OK);
		blk_drop_cache(b);
		ck_assert_int_eq(blk_read(b, 0, buf, sizeof(buf), &err),
				 ST_OK);
		for (uint64_t i = 0; i < sizeof(buf); i++)
			if (buf[i] != (i < at || i >= at + len ? 'x' : 0))
				ck_abort_msg("byte %lu", (unsigned long)i);
		blk_close(b, NULL);
	}
}
END_TEST

START_TEST(one_writer)
{
	struct blk *b = open_ok(), *second = NULL;
	char want[200];

	ck_assert_int_eq(blk_file_open(&second, loop, true, NULL, &err),
			 ST_REFUSED);
	snprintf(want, sizeof(want),
		 "%s: is in use by the system or another program", loop);
	ck_assert_str_eq(err.text, want);
	blk_close(b, NULL);
}
END_TEST

START_TEST(attached)
{
	char want[200];

	snprintf(want, sizeof(want),
		 "%s; detach it first (losetup -d %s)", loop, loop);
	refused(image, "backs ", want, "");
	/* The device itself is free. */
	ck_assert_msg(!inuse_check(loop, NULL, &err), "%s", err.text);
}
END_TEST

/* A loop device of a loop device. */
START_TEST(attached_twice)
{
	char want[200], outer[64] = "";
	FILE *f = NULL;

	if (!run("losetup -f $LOOP"))
		return;
	ck_assert_int_lt(snprintf(want, sizeof(want),
				  PATH "losetup -n -O NAME -j %s", loop),
			 200);
	f = popen(want, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(outer, sizeof(outer), f));
	pclose(f);
	outer[strcspn(outer, " \n")] = '\0';
	snprintf(want, sizeof(want), "%s; detach it first (losetup -d %s)",
		 outer, outer);
	refused(loop, "backs ", want, "");
}
END_TEST

/* What some containers don't permit. */
static void not_tried(const char *what)
{
	printf("not tried: this system can't %s\n", what);
}

/* Whatever file system this kernel and machine have for a test. */
static bool mount_one(const char *device)
{
	char command[500];

	snprintf(command, sizeof(command),
		 "{ mkfs.fat %s && mount -t vfat %s $MNT; } || "
		 "{ mke2fs -q -F -t ext4 %s && mount -t ext4 %s $MNT; }",
		 device, device, device, device);
	return run(command);
}

START_TEST(mounted)
{
	char mnt[300], where[500];

	if (!mount_one(loop))
		return not_tried("mount");
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	refused(loop, "is mounted on ", mnt, "; unmount it first");
	snprintf(where, sizeof(where), "%s (through %s)", mnt, loop);
	refused(image, "is mounted on ", where, "; unmount it first");
}
END_TEST

START_TEST(partition_mounted)
{
	char mnt[300], where[500], part[80];

	snprintf(part, sizeof(part), "%sp1", loop);
	/* Kernels differ in which partition tables they can read. */
	if (!run("addpart $LOOP 1 2048 16384 && "
		 "for i in 1 2 3 4 5; do test -b ${LOOP}p1 && break; sleep 1; "
		 "done") ||
	    !mount_one(part))
		return not_tried("mount a partition of a loop device");
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	refused(part, "is mounted on ", mnt, "; unmount it first");
	snprintf(where, sizeof(where), "%s (through %s)", mnt, part);
	refused(image, "is mounted on ", where, "; unmount it first");
	snprintf(where, sizeof(where), "%s (through its partition %s)", mnt,
		 part);
	refused(loop, "is mounted on ", where, "; unmount it first");
}
END_TEST

START_TEST(swap)
{
	if (!run("mkswap $LOOP && swapon $LOOP"))
		return not_tried("swapon");
	refused(loop, "is in use as swap space; ", "turn that off first ",
		"(swapoff)");
	refused(image, "is in use as swap space (through ", loop,
		"); turn that off first (swapoff)");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("loop");
	TCase *tc = tcase_create("loop");
	SRunner *sr = srunner_create(s);
	int failed;

	if (!attach()) {
		detach();
		puts("skipped: no loop device can be set up (needs root)");
		srunner_free(sr);
		return 77;
	}
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, reads_and_writes);
	tcase_add_loop_test(tc, zeroes, 0, sizeof(ranges) / sizeof(*ranges));
	tcase_add_test(tc, one_writer);
	tcase_add_test(tc, attached);
	tcase_add_test(tc, attached_twice);
	tcase_add_test(tc, mounted);
	tcase_add_test(tc, partition_mounted);
	tcase_add_test(tc, swap);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	detach();
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
