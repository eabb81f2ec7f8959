/*
 * unit_names.c - names are checked, and get short names and slots
 *
 * No expectation comes from the code under test.
 */
#include <check.h>
#include <stdio.h>
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

/* --- checking names --- */

static void refuses(const char *utf8, const char *why)
{
	struct error err = { 0 };

	ck_assert_int_eq(name_check(utf8, &err), ST_USAGE);
	ck_assert_msg(strstr(err.text, why), "%s: %s", utf8, err.text);
}

static void accepts(const char *utf8)
{
	struct error err = { 0 };

	ck_assert_msg(name_check(utf8, &err) == ST_OK, "%s", err.text);
}

START_TEST(check_characters)
{
	char name[] = "a?b";
	const char *p;

	refuses("a:b", "a FAT name cannot hold ':'");
	for (p = "\"*/:<>?\\|"; *p; p++) {
		name[1] = *p;
		refuses(name, "a FAT name cannot hold '");
	}
	for (name[1] = 1; name[1] < 0x20; name[1]++)
		refuses(name, "control character");
	refuses("a\x7F", "control character 0x7F");
	refuses("a\uFFFFz", "U+FFFF");
	accepts("+,;=[]");
	accepts("a b.c d");
	accepts("~$!#%&'()-@^_`{}");
	accepts("ÄÖÜ 你好 😀");
	accepts(".bashrc");
	accepts("..x");
	accepts(" x");
	accepts("CON");
	accepts("\u00A0x\xC2\x85y"); /* C1 is allowed, if unwise */
	ck_assert_int_eq(name_check("a:b", NULL), ST_USAGE);
}
END_TEST

START_TEST(check_ends)
{
	refuses("", "empty");
	refuses(".", "no name");
	refuses("..", "no name");
	refuses("...", "end in a dot or a blank");
	refuses("a.", "end in a dot or a blank");
	refuses("a ", "end in a dot or a blank");
	refuses(" ", "end in a dot or a blank");
	refuses("a\x80", "valid UTF-8");
	refuses("\xED\xA0\x80", "valid UTF-8");
}
END_TEST

static char *repeat(const char *what, unsigned n, char *buf)
{
	buf[0] = '\0';
	while (n--)
		strcat(buf, what);
	return buf;
}

START_TEST(check_length)
{
	char buf[3000];

	accepts(repeat("x", 255, buf));
	refuses(repeat("x", 256, buf), "255");
	refuses(repeat("x", 765, buf), "255");
	refuses(repeat("x", 2000, buf), "255");
	accepts(repeat("你", 255, buf)); /* 765 bytes */
	refuses(repeat("你", 256, buf), "255");
	/* A pair counts twice. */
	accepts(repeat("😀", 127, buf));
	refuses(repeat("😀", 128, buf), "255");
}
END_TEST

/* --- making names --- */

#define TAKEN_MAX 70000

struct taken {
	uint8_t (*names)[DIRENT_NAME_BYTES];
	unsigned n;
	unsigned long asked;
	bool all;
};

static bool is_taken(void *arg, const uint8_t name[DIRENT_NAME_BYTES])
{
	struct taken *t = arg;
	unsigned i;

	t->asked++;
	for (i = 0; i < t->n; i++)
		if (memcmp(t->names[i], name, DIRENT_NAME_BYTES) == 0)
			return true;
	return t->all;
}

static struct new_name made;

/* The short name, NTRes byte and slots that a free directory gives utf8. */
static void makes_in(unsigned number, const char *utf8, const char *name,
		     uint8_t ntres, unsigned slots)
{
	struct codepage *cp = NULL;
	struct taken t = { 0 };

	ck_assert_int_eq(codepage_open(&cp, number, NULL), ST_OK);
	ck_assert_int_eq(name_check(utf8, NULL), ST_OK);
	ck_assert_int_eq(lfn_make(cp, utf8, is_taken, &t, &made, NULL), ST_OK);
	ck_assert_msg(memcmp(made.short_name, name, DIRENT_NAME_BYTES) == 0,
		      "%s: %.11s, not %s", utf8,
		      (const char *)made.short_name, name);
	ck_assert_uint_eq(made.ntres, ntres);
	ck_assert_uint_eq(made.lfn_slots, slots);
	ck_assert(short_is_legal(made.short_name));
	codepage_close(cp);
}

static void makes(const char *utf8, const char *name, uint8_t ntres,
		  unsigned slots)
{
	makes_in(437, utf8, name, ntres, slots);
}

START_TEST(make_plain)
{
	makes("README.TXT", "README  TXT", 0, 0);
	makes("readme.txt", "README  TXT", 0x18, 0);
	makes("readme.TXT", "README  TXT", 0x08, 0);
	makes("README.txt", "README  TXT", 0x10, 0);
	makes("A", "A          ", 0, 0);
	makes("a.b", "A       B  ", 0x18, 0);
	makes("12345678.123", "12345678123", 0, 0);
	makes("img_0001.raw", "IMG_0001RAW", 0x18, 0);
	makes("A1.1", "A1      1  ", 0, 0);
	makes("1.a", "1       A  ", 0x10, 0);
	makes("FOO~1.TXT", "FOO~1   TXT", 0, 0);
	makes("~$!#%&'(.)-@", "~$!#%&'()-@", 0, 0);
}
END_TEST

/* The first group is as mtools writes them; Linux and Windows agree. */
START_TEST(make_long)
{
	makes("The quick brown.fox", "THEQUI~1FOX", 0, 2);
	makes("ReadMe.txt", "README  TXT", 0, 1);
	makes("exactly13unit", "EXACTL~1   ", 0, 1);
	makes(".bashrc", "BASHRC~1   ", 0, 1);
	makes("a.b.c", "AB~1    C  ", 0, 1);
	makes("foo+bar.txt", "FOO_BA~1TXT", 0, 1);
	makes("index.html", "INDEX~1 HTM", 0, 1);
	makes("A B.TXT", "AB~1    TXT", 0, 1);
	makes("longextension.jpeg", "LONGEX~1JPE", 0, 2);
	makes("x.tar.gz", "XTAR~1  GZ ", 0, 1);
	makes("..dots", "DOTS~1     ", 0, 1);
	makes(" lead", "LEAD~1     ", 0, 1);
	makes_in(850, "Ünïcode.txt", "\x9AN\xD8" "CODE TXT", 0, 1);

	makes("READme", "README     ", 0, 1);
	makes("readme.Txt", "README  TXT", 0, 1);
	makes("123456789", "123456~1   ", 0, 1);
	makes("a.1234", "A~1     123", 0, 1);
	makes("a,b;c=[d]", "A_B_C_~1   ", 0, 1);
	makes(".a.b", "A~1     B  ", 0, 1);
	makes(" . .x", "X~1        ", 0, 1);
	makes("x. y", "X~1     Y  ", 0, 1);
	makes("a.+", "A~1     _  ", 0, 1);
}
END_TEST

/* What is not ASCII always gets slots: no code page is told on the disk. */
START_TEST(make_foreign)
{
	makes("é.txt", "\x90       TXT", 0, 1);
	makes("É.TXT", "\x90       TXT", 0, 1);
	makes("straße.txt", "STRA\xE1" "E  TXT", 0, 1);
	makes("µ", "\xE6          ", 0, 1);
	makes("ÿ", "\x98          ", 0, 1); /* its upper case is not there */
	makes("Ø.TXT", "_~1     TXT", 0, 1);
	makes_in(850, "ø.TXT", "\x9D       TXT", 0, 1);
	/* Dotless i is no I. */
	makes("ısı.txt", "_S_~1   TXT", 0, 1);
	makes_in(850, "ısı.txt", "\xD5S\xD5     TXT", 0, 1);
	makes("a😀b", "A_B~1      ", 0, 1);
	makes_in(866, "привет.txt", "\x8F\x90\x88\x82\x85\x92  TXT", 0, 1);
	makes("привет.txt", "______~1TXT", 0, 1);
}
END_TEST

START_TEST(make_first_byte_e5)
{
	makes_in(850, "Õ.TXT", "\x05       TXT", 0, 1);
	makes_in(850, "õ", "\x05          ", 0, 1);
	makes_in(850, "Õ b", "\x05" "B~1       ", 0, 1);
	makes_in(932, "蕁", "\x05\x40         ", 0, 1);
	/* Elsewhere it is what it is. */
	makes_in(850, "AÕ.Õ", "A\xE5      \xE5  ", 0, 1);
	/* In 437, E5 is a lower-case letter with its upper case at E4. */
	makes("σ", "\xE4          ", 0, 1);
}
END_TEST

/* No cut goes through a double-byte character. */
START_TEST(make_double_byte)
{
	makes_in(932, "ソソソソ", "\x83\x5C\x83\x5C\x83\x5C\x83\x5C   ", 0, 1);
	makes_in(932, "ソソソソソ", "\x83\x5C\x83\x5C\x83\x5C~1   ", 0, 1);
	makes_in(932, "aソソソソ.dat", "A\x83\x5C\x83\x5C~1 DAT", 0, 1);
	makes_in(932, "a.ソソ", "A~1     \x83\x5C ", 0, 1);
	makes_in(932, "a.bソ", "A       B\x83\x5C", 0, 1);
}
END_TEST

static void give(struct taken *t, const char *name)
{
	memcpy(t->names[t->n++], name, DIRENT_NAME_BYTES);
}

static void taken_init(struct taken *t)
{
	*t = (struct taken){ 0 };
	t->names = calloc(TAKEN_MAX, DIRENT_NAME_BYTES);
	ck_assert_ptr_nonnull(t->names);
}

static const char *make_with(struct codepage *cp, struct taken *t,
			     const char *utf8)
{
	static char name[DIRENT_NAME_BYTES + 1];

	ck_assert_int_eq(lfn_make(cp, utf8, is_taken, t, &made, NULL), ST_OK);
	memcpy(name, made.short_name, DIRENT_NAME_BYTES);
	give(t, name);
	return name;
}

START_TEST(tails_in_order)
{
	struct codepage *cp932 = NULL;
	struct taken t;
	char name[32];
	int i;

	taken_init(&t);
	ck_assert_int_eq(codepage_open(&cp932, 932, NULL), ST_OK);
	for (i = 1; i <= 4; i++) {
		char want[32];

		snprintf(name, sizeof(name), "similar name %04d.txt", i);
		snprintf(want, sizeof(want), "SIMILA~%dTXT", i);
		ck_assert_str_eq(make_with(cp437, &t, name), want);
	}
	/* From here on FNV-1a of the name, its halves xored. */
	ck_assert_str_eq(make_with(cp437, &t, "similar name 0005.txt"),
			 "SI1434~1TXT");
	/* The same name, then the same hash's other tails. */
	ck_assert_str_eq(make_with(cp437, &t, "similar name 0005.txt"),
			 "SI1434~2TXT");
	for (i = 1; i <= 4; i++)
		give(&t, (const char[]){ 'A', '\x83', '\x5C', '\x83', '\x5C',
					 '~', (char)('0' + i), ' ', 'D', 'A',
					 'T' });
	ck_assert_str_eq(make_with(cp932, &t, "aソソソソ.dat"),
			 "A6892~1 DAT");
	codepage_close(cp932);
	free(t.names);
}
END_TEST

START_TEST(tail_for_a_taken_name)
{
	struct taken t;

	taken_init(&t);
	ck_assert_str_eq(make_with(cp437, &t, "readme.txt"), "README  TXT");
	ck_assert_uint_eq(made.lfn_slots, 0);
	/* What the caller would not ask for, but must not go wrong. */
	ck_assert_str_eq(make_with(cp437, &t, "ReadMe.txt"), "README~1TXT");
	ck_assert_uint_eq(made.lfn_slots, 1);
	ck_assert_str_eq(make_with(cp437, &t, "readme.txt"), "README~2TXT");
	ck_assert_uint_eq(made.lfn_slots, 1);
	ck_assert_uint_eq(made.ntres, 0);
	free(t.names);
}
END_TEST

/* Every name gets one of its own, and few questions are needed for it. */
static void many(unsigned n, const char *before, const char *after)
{
	struct taken t;
	char name[64];
	unsigned i;

	taken_init(&t);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s%u%s", before, i, after);
		make_with(cp437, &t, name);
		ck_assert_uint_ne(made.lfn_slots, 0);
	}
	/* make_with() took free names only, so they are all different. */
	ck_assert_uint_eq(t.n, n);
	ck_assert_uint_lt(t.asked, 10ul * n);
	free(t.names);
}

START_TEST(tails_many)
{
	many(2000, "similar name ", ".txt");
	many(2000, "a ", "");
	many(2000, "", " long enough.jpeg");
}
END_TEST

START_TEST(tails_run_out)
{
	struct taken t = { .all = true };
	struct error err = { 0 };

	ck_assert_int_eq(lfn_make(cp437, "a b", is_taken, &t, &made, &err),
			 ST_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "no short name left"));
	ck_assert_uint_eq(t.asked, 4 + 9 * 65536ul);
}
END_TEST

static bool all_but_the_last(void *arg, const uint8_t name[DIRENT_NAME_BYTES])
{
	unsigned long *asked = arg;

	(void)name;
	return ++*asked < 4 + 9 * 65536ul;
}

START_TEST(tails_to_the_last)
{
	unsigned long asked = 0;

	ck_assert_int_eq(lfn_make(cp437, "q q", all_but_the_last, &asked,
				  &made, NULL), ST_OK);
	/* One before the hash, around all others. */
	ck_assert_mem_eq(made.short_name, "QQ9930~9   ", 11);
}
END_TEST

static void slot_is(unsigned index, const char *hex)
{
	uint8_t slot[DIRENT_BYTES];

	ck_assert_uint_eq(from_hex(hex, slot), DIRENT_BYTES);
	ck_assert_mem_eq(made.slots[index], slot, DIRENT_BYTES);
}

START_TEST(make_slots)
{
	makes("The quick brown.fox", "THEQUI~1FOX", 0, 2);
	slot_is(0, QUICK_2);
	slot_is(1, QUICK_1);
	makes("exactly13unit", "EXACTL~1   ", 0, 1);
	slot_is(0, EXACT_1);
	makes(".bashrc", "BASHRC~1   ", 0, 1);
	slot_is(0, BASHRC_1);
	makes("a😀b", "A_B~1      ", 0, 1);
	slot_is(0, "41 61003dd800de62000000 0f 00 40 "
		   "ffffffffffffffffffffffff 0000 ffffffff");
}
END_TEST

/* Names of every length, read back by the code that unit_lfn.c tests. */
START_TEST(make_then_read)
{
	char utf8[NAME_UTF8_MAX] = "", back[NAME_UTF8_MAX];
	struct lfn lfn;
	enum lfn_fault fault;
	unsigned n, i;

	for (n = 1; n <= 255; n++) {
		struct taken t = { 0 };

		strcat(utf8, n % 3 ? "ж" : "Q");
		ck_assert_int_eq(lfn_make(cp437, utf8, is_taken, &t, &made,
					  NULL), ST_OK);
		ck_assert_uint_eq(made.lfn_slots, (n + 12) / 13);
		memset(&lfn, 0, sizeof(lfn));
		for (i = 0; i < made.lfn_slots; i++)
			lfn_push(&lfn, made.slots[i]);
		ck_assert(lfn_finish(&lfn, made.short_name, back, &fault));
		ck_assert_str_eq(back, utf8);
	}
}
END_TEST

static void add_tests(Suite *s)
{
	TCase *t = tcase_create("making names");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, check_characters);
	tcase_add_test(t, check_ends);
	tcase_add_test(t, check_length);
	tcase_add_test(t, make_plain);
	tcase_add_test(t, make_long);
	tcase_add_test(t, make_foreign);
	tcase_add_test(t, make_first_byte_e5);
	tcase_add_test(t, make_double_byte);
	tcase_add_test(t, tails_in_order);
	tcase_add_test(t, tail_for_a_taken_name);
	tcase_add_test(t, tails_many);
	tcase_add_test(t, tails_run_out);
	tcase_add_test(t, tails_to_the_last);
	tcase_add_test(t, make_slots);
	tcase_add_test(t, make_then_read);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("names");
	SRunner *sr;
	int failed;

	add_tests(s);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
