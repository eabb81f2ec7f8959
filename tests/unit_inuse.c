/* unit_inuse.c - who uses an image or a device, by tables made up here */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dev/inuse.h"

static char dir[256]; /* absolute */
static char image[300], mountinfo[300], swaps[300], sysfs[300];
static struct inuse_sources sources = {mountinfo, swaps, sysfs};
static struct error err;

/* Makes a file below dir, with the folders that it needs. */
__attribute__((format(printf, 2, 3))) static void
put(const char *name, const char *fmt, ...)
{
	char path[600];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0755);
	}
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

static void make_link(const char *target, const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ck_assert_int_eq(symlink(target, path), 0);
}

#define ROOT "22 1 254:0 / / rw - ext4 /dev/vda rw\n"

static void setup(void)
{
	ck_assert_ptr_nonnull(getcwd(dir, sizeof(dir) - 20));
	strcat(dir, "/unit_inuse.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(image, sizeof(image), "%s/disk.img", dir);
	snprintf(mountinfo, sizeof(mountinfo), "%s/mountinfo", dir);
	snprintf(swaps, sizeof(swaps), "%s/swaps", dir);
	snprintf(sysfs, sizeof(sysfs), "%s/sys", dir);
	put("disk.img", "x");
	put("other.img", "x");
	put("mountinfo", ROOT);
	put("swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	/* sda with two partitions, loop3 with one */
	put("sys/devices/sda/dev", "8:0\n");
	put("sys/devices/sda/queue/dev", "9:9\n");
	put("sys/devices/sda/holders/.none", "%s", "");
	put("sys/devices/sda/sda1/dev", "8:1\n");
	put("sys/devices/sda/sda1/partition", "1\n");
	put("sys/devices/sda/sda1/holders/.none", "%s", "");
	put("sys/devices/sda/sda2/dev", "8:2\n");
	put("sys/devices/sda/sda2/partition", "2\n");
	put("sys/devices/loop3/dev", "7:3\n");
	put("sys/devices/loop3/loop3p1/dev", "259:0\n");
	put("sys/devices/loop3/loop3p1/partition", "1\n");
	put("sys/devices/loop4/dev", "7:4\n");
	put("sys/dev/block/.none", "%s", "");
	make_link("../../devices/sda", "sys/dev/block/8:0");
	make_link("../../devices/sda/sda1", "sys/dev/block/8:1");
	make_link("../../devices/sda/sda2", "sys/dev/block/8:2");
	make_link("../../devices/loop3", "sys/dev/block/7:3");
	make_link("../../devices/loop3/loop3p1", "sys/dev/block/259:0");
	make_link("../../devices/loop4", "sys/dev/block/7:4");
	make_link("devices", "sys/block");
	err = (struct error){0};
}

static void teardown(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

static void file_is_free(const char *path)
{
	ck_assert_msg(!inuse_check(path, &sources, &err), "%s", err.text);
}

static void file_is(const char *path, const char *why)
{
	char want[700];

	ck_assert_int_eq(inuse_check(path, &sources, &err), ST_REFUSED);
	snprintf(want, sizeof(want), "%s: %s", path, why);
	ck_assert_str_eq(err.text, want);
}

static void device_is_free(unsigned maj, unsigned min)
{
	ck_assert_msg(!inuse_check_device("dev", makedev(maj, min), &sources,
					  &err),
		      "%s", err.text);
}

static void device_is(unsigned maj, unsigned min, const char *want)
{
	ck_assert_int_eq(inuse_check_device("dev", makedev(maj, min), &sources,
					    &err),
			 ST_REFUSED);
	ck_assert_str_eq(err.text, want);
}

START_TEST(nobody)
{
	file_is_free(image);
	device_is_free(8, 0);
	device_is_free(8, 1);
	device_is_free(99, 99);
}
END_TEST

/* As a user-space driver mounts an image; by another name, too. */
START_TEST(file_is_mounted)
{
	char name[300];

	put("mountinfo",
	    ROOT "30 22 0:40 / /mnt/a rw - fuse.fat %s/other.img rw\n"
		 "31 22 0:41 / /mnt/my\\040card rw - fuse.fat %s/./disk.img "
		 "rw\n",
	    dir, dir);
	file_is(image, "is mounted on /mnt/my card; unmount it first");
	snprintf(name, sizeof(name), "%s/link", dir);
	ck_assert_int_eq(symlink("disk.img", name), 0);
	file_is(name, "is mounted on /mnt/my card; unmount it first");
	snprintf(name, sizeof(name), "%s/hard", dir);
	ck_assert_int_eq(link(image, name), 0);
	file_is(name, "is mounted on /mnt/my card; unmount it first");
	unlink(name);
}
END_TEST

START_TEST(file_is_swap)
{
	put("swaps",
	    "Filename\tType\tSize\tUsed\tPriority\n"
	    "%s/disk.img file\t1024\t0\t-2\n",
	    dir);
	file_is(image, "is in use as swap space; turn that off first (swapoff)");
}
END_TEST

START_TEST(file_backs_a_loop_device)
{
	put("sys/devices/loop4/loop/backing_file", "%s/other.img\n", dir);
	file_is_free(image);
	put("sys/devices/loop3/loop/backing_file", "%s/disk.img\n", dir);
	file_is(image,
		"backs /dev/loop3; detach it first (losetup -d /dev/loop3)");
	/* The device itself is free, and so is its partition. */
	device_is_free(7, 3);
	device_is_free(259, 0);

	put("mountinfo", ROOT "30 22 7:3 / /mnt rw - vfat /dev/loop3 rw\n");
	file_is(image,
		"is mounted on /mnt (through /dev/loop3); unmount it first");
	put("mountinfo", ROOT "30 22 259:0 / /mnt rw - vfat /dev/x rw\n");
	file_is(image,
		"is mounted on /mnt (through /dev/loop3p1); unmount it first");
}
END_TEST

START_TEST(loop_of_a_deleted_name)
{
	char name[300];

	/* What has a name again may be what was deleted, moved back. */
	put("sys/devices/loop3/loop/backing_file", "%s/gone (deleted)\n", dir);
	file_is_free(image);
	snprintf(name, sizeof(name), "%s/gone", dir);
	ck_assert_int_eq(link(image, name), 0);
	file_is(image,
		"backs /dev/loop3; detach it first (losetup -d /dev/loop3)");
	/* A name that really ends so. */
	snprintf(name, sizeof(name), "%s/odd (deleted)", dir);
	put("odd (deleted)", "x");
	put("sys/devices/loop3/loop/backing_file", "%s", name);
	file_is(name,
		"backs /dev/loop3; detach it first (losetup -d /dev/loop3)");
}
END_TEST

START_TEST(device_is_mounted)
{
	put("mountinfo", ROOT "30 22 8:1 / /mnt rw - vfat /dev/sda1 rw\n");
	device_is(8, 1, "dev: is mounted on /mnt; unmount it first");
	/* Its disk is in use, its neighbour is not. */
	device_is(8, 0,
		  "dev: is mounted on /mnt (through its partition /dev/sda1); "
		  "unmount it first");
	device_is_free(8, 2);
	device_is_free(8, 11);
}
END_TEST

START_TEST(disk_is_mounted)
{
	put("mountinfo", ROOT "30 22 8:0 / /mnt rw - vfat /dev/sda rw\n");
	device_is(8, 0, "dev: is mounted on /mnt; unmount it first");
	device_is(8, 2,
		  "dev: is mounted on /mnt (through its disk /dev/sda); "
		  "unmount it first");
}
END_TEST

START_TEST(device_is_held)
{
	put("sys/devices/sda/sda1/holders/dm-0", "%s", "");
	device_is(8, 1, "dev: is part of /dev/dm-0; take that down first");
	device_is(8, 0,
		  "dev: is part of /dev/dm-0 (through its partition "
		  "/dev/sda1); take that down first");
	device_is_free(8, 2);
}
END_TEST

START_TEST(names_are_escaped)
{
	put("mountinfo",
	    ROOT "30 22 8:1 / /mnt\\033[2J rw - vfat /dev/sda1 rw\n");
	device_is(8, 1, "dev: is mounted on /mnt\\x1B[2J; unmount it first");
}
END_TEST

START_TEST(slash_in_a_name)
{
	put("sys/devices/cciss!c0d0/dev", "104:0\n");
	put("sys/devices/cciss!c0d0/cciss!c0d0p1/dev", "104:1\n");
	put("sys/devices/cciss!c0d0/cciss!c0d0p1/partition", "1\n");
	make_link("../../devices/cciss!c0d0", "sys/dev/block/104:0");
	put("mountinfo", ROOT "30 22 104:1 / /mnt rw - vfat /dev/x rw\n");
	device_is(104, 0,
		  "dev: is mounted on /mnt (through its partition "
		  "/dev/cciss/c0d0p1); unmount it first");
}
END_TEST

START_TEST(sources_that_are_missing)
{
	char want[400];

	snprintf(sysfs, sizeof(sysfs), "%s/none", dir);
	snprintf(swaps, sizeof(swaps), "%s/none", dir);
	file_is_free(image);
	device_is_free(8, 1);
	snprintf(mountinfo, sizeof(mountinfo), "%s/none", dir);
	ck_assert_int_eq(inuse_check(image, &sources, &err), ST_IO);
	snprintf(want, sizeof(want),
		 "%s: cannot tell what is mounted: No such file or directory",
		 mountinfo);
	ck_assert_str_eq(err.text, want);
}
END_TEST

START_TEST(no_such_image)
{
	ck_assert_int_eq(inuse_check("no/such", NULL, &err), ST_IO);
	ck_assert_str_eq(err.text,
			 "no/such: cannot open: No such file or directory");
}
END_TEST

START_TEST(this_system)
{
	ck_assert_msg(!inuse_check(image, NULL, &err), "%s", err.text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("inuse");
	TCase *tc = tcase_create("inuse");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nobody);
	tcase_add_test(tc, file_is_mounted);
	tcase_add_test(tc, file_is_swap);
	tcase_add_test(tc, file_backs_a_loop_device);
	tcase_add_test(tc, loop_of_a_deleted_name);
	tcase_add_test(tc, device_is_mounted);
	tcase_add_test(tc, disk_is_mounted);
	tcase_add_test(tc, device_is_held);
	tcase_add_test(tc, names_are_escaped);
	tcase_add_test(tc, slash_in_a_name);
	tcase_add_test(tc, sources_that_are_missing);
	tcase_add_test(tc, no_such_image);
	tcase_add_test(tc, this_system);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
