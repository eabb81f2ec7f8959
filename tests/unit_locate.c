/* unit_locate.c - IMAGE@@OFFSET, and what is said of what is no FAT volume */
#define _FILE_OFFSET_BITS 64
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "dev/locate.h"

#define KIB 1024u

static char path[64];
static int fd;

static void setup(void)
{
	strcpy(path, "unit_locate.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
}

static void teardown(void)
{
	close(fd);
	unlink(path);
}

static void resize(uint64_t bytes)
{
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0);
}

static void put(uint64_t offset, const void *bytes, size_t len)
{
	ck_assert_int_eq(pwrite(fd, bytes, len, (off_t)offset), (ssize_t)len);
}

static void is(uint64_t offset, const char *want)
{
	char buf[512];

	memset(buf, 'x', sizeof(buf));
	locate_describe(path, offset, buf, sizeof(buf));
	ck_assert_str_eq(buf, want);
}

static void splits(const char *operand, const char *want_path,
		   uint64_t want_offset, bool want_has)
{
	char *got = NULL;
	uint64_t offset = 42;
	bool has = !want_has;

	ck_assert_int_eq(locate_split(operand, &got, &offset, &has, NULL),
			 ST_OK);
	ck_assert_str_eq(got, want_path);
	ck_assert_uint_eq(offset, want_offset);
	ck_assert_int_eq(has, want_has);
	free(got);
}

START_TEST(split)
{
	char name[100];

	splits("a.img", "a.img", 0, false);
	splits("a.img@@1M", "a.img", 1048576, true);
	splits("a.img@@2048s", "a.img", 1048576, true);
	splits("a.img@@0", "a.img", 0, true);
	splits("d@@x/a@@b.img@@512", "d@@x/a@@b.img", 512, true);
	splits("user@host", "user@host", 0, false);
	/* What exists under the whole name, is it. */
	snprintf(name, sizeof(name), "%s@@1M", path);
	ck_assert_int_eq(link(path, name), 0);
	splits(name, name, 0, false);
	unlink(name);
	splits(name, path, 1048576, true);
}
END_TEST

START_TEST(split_refuses)
{
	static const char *const bad[] = {"a@@", "a@@b", "a@@1M@@", "a@@-1",
					  "a@@1Q"};
	struct error err = {0};
	char *got = NULL;
	uint64_t offset;
	bool has;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_int_eq(locate_split(bad[i], &got, &offset, &has,
					      &err),
				 ST_USAGE);
		ck_assert_ptr_nonnull(strstr(err.text, "is not an offset"));
		ck_assert_ptr_null(got);
	}
}
END_TEST

START_TEST(nothing)
{
	is(0, "an empty file");
	resize(64 * KIB);
	is(0, "only zeros");
	is(65535, "only zeros");
	is(65536, "nothing, the image ends before");
	put(40000, "x", 1);
	is(0, "nothing that is known");
	is(40001, "only zeros");
	unlink(path);
	is(0, "nothing that can be read");
}
END_TEST

START_TEST(short_buffer)
{
	char buf[8];

	locate_describe(path, 0, buf, sizeof(buf));
	ck_assert_str_eq(buf, "an empt");
	locate_describe(path, 0, buf, 1);
	ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(dos1)
{
	static const struct {
		unsigned kib;
		const char *fat;
	} disks[] = {{160, "\xFE\xFF\xFF"},
		     {180, "\xFC\xFF\xFF"},
		     {320, "\xFF\xFF\xFF"},
		     {360, "\xFD\xFF\xFF"}};

	for (size_t i = 0; i < 4; i++) {
		resize(disks[i].kib * KIB);
		put(0, "\xEB\x27\x90", 3);
		put(512, disks[i].fat, 3);
		is(0, "a DOS 1.x volume without a BPB");
		put(514, "\x0F", 1);
		is(0, "nothing that is known");
	}
	/* Another size of disk than the media byte says. */
	resize(160 * KIB);
	put(512, "\xFD\xFF\xFF", 3);
	is(0, "nothing that is known");
}
END_TEST

START_TEST(ntfs)
{
	/* 512-byte sectors, 8 a cluster; MFT at cluster 4, records of 1 KiB */
	static const uint8_t boot[] = {
		0xEB, 0x52, 0x90, 'N',	'T',  'F',  'S', ' ', ' ', ' ', ' ',
		0x00, 0x02, 8,	  0,	0,    0,    0,	 0,   0,   0,	0xF8,
		0,    0,    63,	  0,	0xFF, 0,    0,	 0,   0,   0,	0,
		0,    0,    0,	  0x80, 0,    0x80, 0,	 0xFF, 0x3F, 0, 0,
		0,    0,    0,	  0,	4,    0,    0,	 0,   0,   0,	0,
		0,    2,    0,	  0,	0,    0,    0,	 0,   0,   0xF6, 0,
		0,    0,    1,	  0,	0,    0};

	resize(8 * KIB * KIB);
	put(0, boot, sizeof(boot));
	put(510, "\x55\xAA", 2);
	put(4 * 4096, "FILE", 4);
	put(4 * 4096 + 1024, "FILE", 4);
	put(4 * 4096 + 3072, "FILE", 4);
	put(2 * 4096, "FILE", 4);
	is(0, "an NTFS file system");
}
END_TEST

/* The checksum of the boot region: Microsoft's exFAT specification, 3.4. */
static uint32_t exfat_checksum(const uint8_t *region)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 11 * 512; i++)
		if (i != 106 && i != 107 && i != 112)
			sum = (sum << 31 | sum >> 1) + region[i];
	return sum;
}

START_TEST(exfat)
{
	uint8_t region[12 * 512] = {0};
	uint32_t sum;

	memcpy(region, "\xEB\x76\x90" "EXFAT   ", 11);
	put_le32(region + 72, 8192); /* sectors of the volume */
	put_le32(region + 80, 128);  /* FAT: start, length */
	put_le32(region + 84, 64);
	put_le32(region + 88, 256);  /* cluster heap: start, clusters */
	put_le32(region + 92, 900);
	put_le32(region + 96, 4);    /* root's cluster */
	put_le16(region + 104, 0x100);
	region[108] = 9;
	region[109] = 3;
	region[110] = 1;
	region[111] = 0x80;
	memcpy(region + 510, "\x55\xAA", 2);
	sum = exfat_checksum(region);
	for (unsigned i = 0; i < 512; i += 4)
		put_le32(region + 11 * 512 + i, sum);
	resize(8192 * 512);
	put(0, region, sizeof(region));
	is(0, "an exFAT file system");
}
END_TEST

START_TEST(other_superblocks)
{
	static const struct {
		uint64_t offset;
		const char *bytes;
		size_t len;
		const char *want;
	} t[] = {
#define T(at, b, want) {at, b, sizeof(b) - 1, want}
		T(1024 + 56, "\x53\xEF", "an ext2 file system"),
		T(0, "LUKS\xBA\xBE\0\1", "a LUKS encrypted volume"),
		T(0, "XFSB\0\0\x10\0", "nothing that is known"),
		T(2048, "\xF5\xF5\xF5\xF5", "nothing that is known"),
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		/* At a place inside of the image, too. */
		for (uint64_t at = 0; at <= 3584; at += 3584) {
			resize(KIB * KIB);
			put(0, "\1", 1);
			put(at + t[i].offset, t[i].bytes, t[i].len);
			is(at, t[i].want);
		}
	}
}
END_TEST

START_TEST(swap)
{
	uint8_t page[4096] = {0};

	put_le32(page + 1024, 1);  /* version */
	put_le32(page + 1028, 99); /* last page */
	memcpy(page + 4086, "SWAPSPACE2", 10);
	resize(400 * KIB);
	put(0, page, sizeof(page));
	is(0, "Linux swap space");
}
END_TEST

/* An MBR entry: type, first sector, sectors. CHS values mean nothing. */
static void mbr_entry(uint64_t table, unsigned slot, uint8_t type,
		      uint32_t start, uint32_t count)
{
	uint8_t e[16] = {0};

	e[4] = type;
	put_le32(e + 8, start);
	put_le32(e + 12, count);
	put(table + 446 + slot * 16, e, sizeof(e));
	put(table + 510, "\x55\xAA", 2);
}

static void mkfs(uint32_t first_sec, uint32_t kib)
{
	char command[200];

	snprintf(command, sizeof(command),
		 "PATH=$PATH:/usr/sbin:/sbin; "
		 "mkfs.fat --offset=%u -F 12 %s %u >/dev/null 2>&1",
		 first_sec, path, kib);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(mbr)
{
	resize(20 * KIB * KIB);
	mbr_entry(0, 0, 0x83, 2048, 2048);
	is(0, "an MBR partition table without a FAT partition");
	/* The type lies; a logical partition; one that ends too late. */
	mbr_entry(0, 1, 0x07, 4096, 4096);
	mkfs(4096, 1000);
	is(0, "an MBR partition table; its partition 2 (FAT) begins at byte "
	      "2097152");
	mbr_entry(0, 2, 0x05, 10240, 8192);
	mbr_entry(10240ull * 512, 0, 0x01, 2048, 2048);
	mkfs(10240 + 2048, 1000);
	mbr_entry(0, 3, 0x0C, 30720, 0xFFFFFFFF);
	mkfs(30720, 1000);
	is(0, "an MBR partition table; its partition 2 (FAT) begins at byte "
	      "2097152, partition 4 (FAT) at byte 15728640, partition 5 (FAT) "
	      "at byte 6291456");
}
END_TEST

START_TEST(mbr_inside_of_an_image)
{
	resize(20 * KIB * KIB);
	mbr_entry(KIB * KIB, 0, 0x06, 2048, 4096);
	mkfs(2048 + 2048, 1000);
	is(KIB * KIB, "an MBR partition table; its partition 1 (FAT) begins "
		      "at byte 2097152");
}
END_TEST

static uint32_t crc32(const uint8_t *p, size_t len)
{
	uint32_t crc = 0xFFFFFFFF;

	while (len--) {
		crc ^= *p++;
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return ~crc;
}

/* n partitions of 1 MiB each from 1 MiB on, "basic data". UEFI 2.10, 5.3. */
static void gpt(unsigned n)
{
	static const uint8_t basic_data[16] = {
		0xA2, 0xA0, 0xD0, 0xEB, 0xE5, 0xB9, 0x33, 0x44,
		0x87, 0xC0, 0x68, 0xB6, 0xB7, 0x26, 0x99, 0xC7};
	uint8_t entries[128 * 128] = {0}, h[512] = {0};
	uint32_t last = 20 * 2048 - 1;

	for (unsigned i = 0; i < n; i++) {
		memcpy(entries + i * 128, basic_data, 16);
		entries[i * 128 + 16] = (uint8_t)(i + 1); /* its own GUID */
		put_le32(entries + i * 128 + 32, 2048 * (i + 1));
		put_le32(entries + i * 128 + 40, 2048 * (i + 2) - 1);
	}
	memcpy(h, "EFI PART\0\0\1\0\x5C\0\0\0", 16);
	put_le32(h + 24, 1);
	put_le32(h + 32, last);
	put_le32(h + 40, 34);
	put_le32(h + 48, last - 33);
	h[56] = 0x77;
	put_le32(h + 72, 2);
	put_le32(h + 80, 128);
	put_le32(h + 84, 128);
	put_le32(h + 88, crc32(entries, sizeof(entries)));
	put_le32(h + 16, crc32(h, 92));
	resize(20 * KIB * KIB);
	mbr_entry(0, 0, 0xEE, 1, last);
	put(512, h, sizeof(h));
	put(1024, entries, sizeof(entries));
}

START_TEST(gpt_partitions)
{
	gpt(2);
	is(0, "a GPT partition table without a FAT partition");
	mkfs(4096, 1000);
	is(0, "a GPT partition table; its partition 2 (FAT) begins at byte "
	      "2097152");
	gpt(6);
	for (unsigned i = 1; i <= 6; i++)
		mkfs(2048 * i, 1000);
	is(0, "a GPT partition table; its partition 1 (FAT) begins at byte "
	      "1048576, partition 2 (FAT) at byte 2097152, partition 3 (FAT) "
	      "at byte 3145728, partition 4 (FAT) at byte 4194304, and more");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locate");
	TCase *tc = tcase_create("locate");
	SRunner *sr = srunner_create(s);
	int failed;

	if (system("PATH=$PATH:/usr/sbin:/sbin; "
		   "command -v mkfs.fat >/dev/null")) {
		puts("skipped: mkfs.fat is missing");
		return 77;
	}
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, split);
	tcase_add_test(tc, split_refuses);
	tcase_add_test(tc, nothing);
	tcase_add_test(tc, short_buffer);
	tcase_add_test(tc, dos1);
	tcase_add_test(tc, ntfs);
	tcase_add_test(tc, exfat);
	tcase_add_test(tc, other_superblocks);
	tcase_add_test(tc, swap);
	tcase_add_test(tc, mbr);
	tcase_add_test(tc, mbr_inside_of_an_image);
	tcase_add_test(tc, gpt_partitions);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
