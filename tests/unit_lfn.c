/* unit_lfn.c - long and short names are read, whatever is on the disk */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fat/lfn.h"
#include "slots.h"

static struct codepage *cp437;

static void setup(void)
{
	ck_assert_int_eq(codepage_open(&cp437, 437, NULL), ST_OK);
}

static void teardown(void)
{
	codepage_close(cp437);
	cp437 = NULL;
}

START_TEST(checksums)
{
	/* From slots written by mtools. */
	static const struct { const char *name; uint8_t sum; } v[] = {
		{ "THEQUI~1FOX", 0x07 }, { "README  TXT", 0x73 },
		{ "EXACTL~1   ", 0xF6 }, { "EXACTL~2   ", 0x57 },
		{ "\x9AN\xD8" "CODE TXT", 0xEE }, { "BASHRC~1   ", 0x76 },
		{ "LONGEX~1JPE", 0xEB }, { "XTAR~1  GZ ", 0x4C },
		{ "DOTS~1     ", 0x30 }, { "LEAD~1     ", 0xAC },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++)
		ck_assert_uint_eq(lfn_checksum((const uint8_t *)v[i].name),
				  v[i].sum);
}
END_TEST

static struct lfn lfn; /* a test begins with zeros: check forks */
static char long_name[NAME_UTF8_MAX];

static void push(const char *hex)
{
	uint8_t slot[DIRENT_BYTES];

	ck_assert_uint_eq(from_hex(hex, slot), DIRENT_BYTES);
	lfn_push(&lfn, slot);
}

static void finish(const char *name, bool complete, enum lfn_fault expect)
{
	enum lfn_fault fault;

	long_name[0] = '\0';
	ck_assert_int_eq(lfn_finish(&lfn, (const uint8_t *)name, long_name,
				    &fault), complete);
	ck_assert_int_eq(fault, expect);
}

START_TEST(lfn_reads_names)
{
	memset(&lfn, 0, sizeof(lfn));
	push(QUICK_2);
	push(QUICK_1);
	finish(QUICK, true, LFN_FINE);
	ck_assert_str_eq(long_name, "The quick brown.fox");
	push(BASHRC_1);
	finish(BASHRC, true, LFN_FINE);
	ck_assert_str_eq(long_name, ".bashrc");
	/* Fills its slot, so there is no end mark. */
	push(EXACT_1);
	finish(EXACT, true, LFN_FINE);
	ck_assert_str_eq(long_name, "exactly13unit");
	finish(QUICK, false, LFN_FINE);
}
END_TEST

START_TEST(lfn_surrogates)
{
	memset(&lfn, 0, sizeof(lfn));
	/* a, U+1F600, b */
	push("41 61003dd800de62000000 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, true, LFN_FINE);
	ck_assert_str_eq(long_name, "a😀b");
	/* High half alone, low half alone, in the wrong order, at the end. */
	push("41 61003dd8620000000000 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_UNICODE);
	push("41 610000de62000000ffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_UNICODE);
	push("41 610000de3dd80000ffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_UNICODE);
	push("41 61003dd80000ffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_UNICODE);
}
END_TEST

START_TEST(lfn_ends)
{
	memset(&lfn, 0, sizeof(lfn));
	/* Padding without an end mark. */
	push("41 61006200ffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_UNICODE);
	/* An empty name. */
	push("41 0000ffffffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_UNICODE);
	/* The end in the last slot's place but one: 13 units, 2 slots. */
	push("42 0000ffffffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	push(QUICK_1);
	finish(QUICK, false, LFN_UNICODE);
	/* The end in the first part. */
	push("42 61006200ffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	push("01 54006800650000000000 0f 00 07 7500690063006b0020006200 0000 "
	     "72006f00");
	finish(QUICK, false, LFN_UNICODE);
	/* Zeros for padding are odd, but clear. */
	push("41 61006200000000000000 0f 00 07 000000000000000000000000 0000 "
	     "00000000");
	finish(QUICK, true, LFN_FINE);
	ck_assert_str_eq(long_name, "ab");
}
END_TEST

START_TEST(lfn_order)
{
	memset(&lfn, 0, sizeof(lfn));
	/* No first slot. */
	push(QUICK_1);
	finish(QUICK, false, LFN_ORDER);
	/* The second is missing. */
	push(QUICK_2);
	finish(QUICK, false, LFN_ORDER);
	/* Twice the second. */
	push(QUICK_2);
	push(QUICK_1);
	push(QUICK_1);
	finish(QUICK, false, LFN_ORDER);
	/* Wrong way round: the first is an orphan, the second incomplete. */
	push(QUICK_1);
	push(QUICK_2);
	finish(QUICK, false, LFN_ORDER);
	/* Ordinals 0, 21 and one with the unused bit. */
	push("40 61000000ffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_ORDER);
	push("55 61000000ffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_ORDER);
	push("c1 61000000ffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_ORDER);
	push("00 61000000ffffffffffff 0f 00 07 ffffffffffffffffffffffff 0000 "
	     "ffffffff");
	finish(QUICK, false, LFN_ORDER);
	/* Nothing of it stays behind. */
	push(BASHRC_1);
	finish(BASHRC, true, LFN_FINE);
}
END_TEST

START_TEST(lfn_checksum_differs)
{
	memset(&lfn, 0, sizeof(lfn));
	/* The short name was changed by a system without long names. */
	push(BASHRC_1);
	finish("BASHRC  OLD", false, LFN_CHECKSUM);
	/* Slots of two names. */
	push(QUICK_2);
	push("01 54006800650020007100 0f 00 08 7500690063006b0020006200 0000 "
	     "72006f00");
	finish(QUICK, false, LFN_CHECKSUM);
}
END_TEST

START_TEST(lfn_orphans)
{
	memset(&lfn, 0, sizeof(lfn));
	/* A set, then another: the first has lost its entry. */
	push(EXACT_1);
	push(QUICK_2);
	push(QUICK_1);
	finish(QUICK, true, LFN_ORPHAN);
	ck_assert_str_eq(long_name, "The quick brown.fox");
	/* In the middle of a set. */
	push(QUICK_2);
	push(BASHRC_1);
	finish(BASHRC, true, LFN_ORPHAN);
	ck_assert_str_eq(long_name, ".bashrc");
	/* Before a deleted slot or the end. */
	push(QUICK_2);
	push(QUICK_1);
	ck_assert_uint_eq(lfn_drop(&lfn), 2);
	ck_assert_uint_eq(lfn_drop(&lfn), 0);
	/* A set can't be continued behind them. */
	push(QUICK_2);
	ck_assert_uint_eq(lfn_drop(&lfn), 1);
	push(QUICK_1);
	finish(QUICK, false, LFN_ORDER);
	finish(QUICK, false, LFN_FINE);
}
END_TEST

/* 20 slots have room for 260 units; a name has 255. */
static void push_full(unsigned units_in_last)
{
	uint8_t slot[DIRENT_BYTES];
	unsigned ordinal, i;

	for (ordinal = 20; ordinal >= 1; ordinal--) {
		memset(slot, 0, sizeof(slot));
		slot[0] = (uint8_t)(ordinal == 20 ? 0x54 : ordinal);
		slot[11] = 0x0F;
		slot[13] = 0x07;
		for (i = 0; i < 13; i++) {
			unsigned at = i < 5 ? 1 + 2 * i :
				      i < 11 ? 14 + 2 * (i - 5) :
					       28 + 2 * (i - 11);
			bool in = ordinal < 20 || i < units_in_last;

			slot[at] = in ? 'x' : i == units_in_last ? 0 : 0xFF;
			slot[at + 1] = in || i == units_in_last ? 0 : 0xFF;
		}
		lfn_push(&lfn, slot);
	}
}

START_TEST(lfn_longest)
{
	memset(&lfn, 0, sizeof(lfn));
	push_full(8);
	finish(QUICK, true, LFN_FINE);
	ck_assert_uint_eq(strlen(long_name), 255);
	push_full(9);
	finish(QUICK, false, LFN_UNICODE);
	push_full(13);
	finish(QUICK, false, LFN_UNICODE);
}
END_TEST

/* Any bytes at all, in any order: no crash, and what is believed is valid. */
START_TEST(lfn_noise)
{
	uint32_t seed = 1;
	unsigned i, k, believed = 0;
	uint8_t slot[DIRENT_BYTES];
	enum lfn_fault fault;

	memset(&lfn, 0, sizeof(lfn));
	for (i = 0; i < 200000; i++) {
		for (k = 0; k < DIRENT_BYTES; k++) {
			seed = seed * 1664525 + 1013904223;
			slot[k] = (uint8_t)(seed >> 24);
		}
		slot[0] &= 0x43; /* so that some sets come together */
		slot[13] &= 1;
		lfn_push(&lfn, slot);
		if (slot[1] & 1)
			continue;
		if (lfn_finish(&lfn, (const uint8_t *)"\0\0\0\0\0\0\0\0\0\0\0",
			       long_name, &fault)) {
			char *key = name_fold(long_name);

			ck_assert_ptr_nonnull(key);
			free(key);
			believed++;
		}
	}
	ck_assert_uint_gt(believed, 0);
}
END_TEST

/* --- short names as people see them --- */

static void shows(unsigned number, const char *name, uint8_t ntres,
		  const char *utf8)
{
	struct codepage *cp = NULL;
	char buf[SHORT_UTF8_MAX];

	ck_assert_int_eq(codepage_open(&cp, number, NULL), ST_OK);
	short_to_utf8(cp, (const uint8_t *)name, ntres, buf);
	ck_assert_str_eq(buf, utf8);
	codepage_close(cp);
}

START_TEST(short_display)
{
	shows(437, "README  TXT", 0, "README.TXT");
	shows(437, "README  TXT", 0x08, "readme.TXT");
	shows(437, "README  TXT", 0x10, "README.txt");
	shows(437, "README  TXT", 0x18, "readme.txt");
	shows(437, "README  TXT", 0x03, "README.TXT"); /* EFS bits */
	shows(437, "README     ", 0x18, "readme");
	shows(437, "A B     C D", 0, "A B.C D");
	shows(437, ".          ", 0, ".");
	shows(437, "..         ", 0, "..");
	shows(437, "\x80\x8E      TXT", 0x08, "çä.TXT");
	shows(437, "\x05      XTXT", 0, "σ      X.TXT");
	shows(850, "\x05       TXT", 0, "Õ.TXT");
	shows(932, "\x05\x40      \x83\x5C ", 0, "蕁.ソ");
	shows(437, "           ", 0, "");
	/* The longest there can be. */
	shows(437, "\xB0\xB0\xB0\xB0\xB0\xB0\xB0\xB0\xB0\xB0\xB0", 0,
	      "░░░░░░░░.░░░");
	/* A first half does not reach over into the extension. */
	shows(932, "ABCDEFG\x83\x5C  ", 0, "ABCDEFG\uFFFD.\\");
}
END_TEST

START_TEST(label_display)
{
	char buf[SHORT_UTF8_MAX];

	label_to_utf8(cp437, (const uint8_t *)"MY VOLUME  ", buf);
	ck_assert_str_eq(buf, "MY VOLUME");
	label_to_utf8(cp437, (const uint8_t *)"ABCDEFGHIJK", buf);
	ck_assert_str_eq(buf, "ABCDEFGHIJK");
}
END_TEST

static bool legal(const char *name)
{
	return short_is_legal((const uint8_t *)name);
}

START_TEST(short_legality)
{
	char name[] = "ABCDEFGHIJK";
	const char *p;
	int c;

	ck_assert(legal(name));
	for (p = "\"*+,./:;<=>?[\\]|"; *p; p++) {
		name[4] = *p;
		ck_assert(!legal(name));
	}
	for (c = 0; c < 0x20; c++) {
		name[4] = (char)c;
		ck_assert(!legal(name));
	}
	for (c = 'a'; c <= 'z'; c++) {
		name[4] = (char)c;
		ck_assert(!legal(name));
	}
	ck_assert(!legal(" BC        "));
	ck_assert(legal("A C     D F"));
	ck_assert(legal("\x05" "BC        "));
	ck_assert(!legal("A\x05" "C        "));
	ck_assert(legal("\x80\x9A\xFF        "));
	/* Second halves of Japanese characters. */
	ck_assert(legal("\x83\x5C\x83\x61    TXT"));
	ck_assert(legal("\x05\x7C         "));
	/* But that of one character is not that of the next. */
	ck_assert(!legal("\x83\x83\x61     TXT"));
	ck_assert(!legal("ABCDEFG\x83" "aBC"));
	ck_assert(!legal("\x83:         "));
}
END_TEST

static void add_tests(Suite *s)
{
	TCase *t = tcase_create("reading names");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, checksums);
	tcase_add_test(t, lfn_reads_names);
	tcase_add_test(t, lfn_surrogates);
	tcase_add_test(t, lfn_ends);
	tcase_add_test(t, lfn_order);
	tcase_add_test(t, lfn_checksum_differs);
	tcase_add_test(t, lfn_orphans);
	tcase_add_test(t, lfn_longest);
	tcase_add_test(t, lfn_noise);
	tcase_add_test(t, short_display);
	tcase_add_test(t, label_display);
	tcase_add_test(t, short_legality);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("lfn");
	SRunner *sr;
	int failed;

	add_tests(s);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
