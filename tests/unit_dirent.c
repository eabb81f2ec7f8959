/* unit_dirent.c - the fields of a directory entry */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fat/dirent.h"
#include "slots.h"

START_TEST(entry_cluster)
{
	uint8_t slot[DIRENT_BYTES] = { 0 };

	slot[20] = 0x34;
	slot[21] = 0xF2;
	slot[26] = 0x78;
	slot[27] = 0x56;
	ck_assert_uint_eq(dirent_clus(FAT32, slot), 0x02345678);
	ck_assert_uint_eq(dirent_clus(FAT16, slot), 0x5678);
	ck_assert_uint_eq(dirent_clus(FAT12, slot), 0x5678);
	/* OS/2's handle stays. */
	dirent_set_clus(FAT16, slot, 0xABCD);
	ck_assert_mem_eq(slot + 20, "\x34\xF2\0\0\0\0\xCD\xAB\0\0\0\0", 12);
	dirent_set_clus(FAT32, slot, 0x0FEDCBA9);
	ck_assert_mem_eq(slot + 20, "\xED\x0F\0\0\0\0\xA9\xCB\0\0\0\0", 12);
	dirent_set_size(slot, 0xFFFFFFFE);
	ck_assert_mem_eq(slot + 26, "\xA9\xCB\xFE\xFF\xFF\xFF", 6);
	ck_assert_uint_eq(dirent_size(slot), 0xFFFFFFFE);
}
END_TEST

START_TEST(entry_kinds)
{
	uint8_t slot[DIRENT_BYTES];

	memcpy(slot, ".          ", 11);
	slot[11] = 0x10;
	ck_assert(dirent_is_dot(slot) && dirent_is_dir(slot));
	slot[1] = '.';
	ck_assert(dirent_is_dot(slot));
	slot[2] = '.';
	ck_assert(!dirent_is_dot(slot));
	slot[11] = 0x0F;
	ck_assert(dirent_is_lfn(slot) && !dirent_is_label(slot) &&
		  !dirent_is_dir(slot));
	slot[11] = 0xCF; /* the two bits above do not count */
	ck_assert(dirent_is_lfn(slot));
	slot[11] = 0x08;
	ck_assert(dirent_is_label(slot) && !dirent_is_dir(slot));
	slot[11] = 0x2F; /* a 20 with 0F is no long name */
	ck_assert(!dirent_is_lfn(slot) && dirent_is_label(slot));
	slot[11] = 0x37;
	ck_assert(dirent_is_dir(slot));
}
END_TEST

static void time_is(int64_t seconds, int ns, uint16_t date, uint16_t time,
		    uint8_t tenths)
{
	struct dos_time t = dos_time_from_unix(seconds, ns);

	ck_assert_uint_eq(t.date, date);
	ck_assert_uint_eq(t.time, time);
	ck_assert_uint_eq(t.tenths, tenths);
}

START_TEST(entry_times)
{
	time_is(1700000001, 0, 0x576E, 0xB1AA, 100); /* 2023-11-14 22:13:21 */
	time_is(1700000001, 999999999, 0x576E, 0xB1AA, 199);
	time_is(1700000000, 990000000, 0x576E, 0xB1AA, 99);
	time_is(951782400, 0, 0x285D, 0, 0);	     /* 2000-02-29 */
	time_is(1709251199, 0, 0x585D, 0xBF7D, 100); /* 2024-02-29 23:59:59 */
	time_is(315532800, 0, 0x0021, 0, 0);	     /* 1980-01-01 */
	time_is(315532799, 999999999, 0x0021, 0, 0);
	time_is(0, 0, 0x0021, 0, 0);
	time_is(INT64_MIN, 0, 0x0021, 0, 0);
	time_is(4354819199, 0, 0xFF9F, 0xBF7D, 100); /* 2107-12-31 23:59:59 */
	time_is(4354819200, 0, 0xFF9F, 0xBF7D, 199);
	time_is(INT64_MAX, 0, 0xFF9F, 0xBF7D, 199);
}
END_TEST

START_TEST(entry_init_and_touch)
{
	static const uint8_t name[11] = "README  TXT";
	const struct dos_time made_at = { 0x576E, 0xB1AA, 100 };
	const struct dos_time later = { 0x585D, 0xBF7D, 0 };
	uint8_t slot[DIRENT_BYTES], want[DIRENT_BYTES];

	memset(slot, 0xEE, sizeof(slot));
	dirent_init(slot, name, ATTR_ARCHIVE, 0x18, made_at);
	from_hex("524541444d45202054585420 18 64 aab1 6e57 6e57 0000 "
		 "aab1 6e57 0000 00000000", want);
	ck_assert_mem_eq(slot, want, DIRENT_BYTES);
	slot[11] = ATTR_HIDDEN;
	slot[20] = 0x99;
	dirent_touch(slot, later);
	from_hex("524541444d45202054585422 18 64 aab1 6e57 5d58 9900 "
		 "7dbf 5d58 0000 00000000", want);
	ck_assert_mem_eq(slot, want, DIRENT_BYTES);
}
END_TEST

static void add_tests(Suite *s)
{
	TCase *t = tcase_create("entry fields");

	tcase_add_test(t, entry_cluster);
	tcase_add_test(t, entry_kinds);
	tcase_add_test(t, entry_times);
	tcase_add_test(t, entry_init_and_touch);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("dirent");
	SRunner *sr;
	int failed;

	add_tests(s);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
