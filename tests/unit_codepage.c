/* unit_codepage.c - code pages and Unicode case */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fat/codepage.h"

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

static void decodes(unsigned number, const char *bytes, const char *utf8)
{
	struct codepage *cp = NULL;
	char buf[100];

	ck_assert_int_eq(codepage_open(&cp, number, NULL), ST_OK);
	codepage_to_utf8(cp, (const uint8_t *)bytes, strlen(bytes), buf,
			 3 * strlen(bytes) + 1);
	ck_assert_str_eq(buf, utf8);
	codepage_close(cp);
}

static void encodes(unsigned number, uint32_t uc, const char *bytes)
{
	struct codepage *cp = NULL;
	uint8_t buf[4] = { 0 };

	ck_assert_int_eq(codepage_open(&cp, number, NULL), ST_OK);
	ck_assert_uint_eq(codepage_from_char(cp, uc, buf), strlen(bytes));
	ck_assert_mem_eq(buf, bytes, strlen(bytes));
	codepage_close(cp);
}

START_TEST(codepage_single_byte)
{
	decodes(437, "ABC~\\", "ABC~\\");
	decodes(437, "\x80\xE1\xE6\x9B", "Çßµ¢");
	decodes(850, "\x9B\x9D\xD5", "øØı");
	decodes(866, "\x8F\xF0", "ПЁ");
	decodes(857, "\x98\x8D", "İı");
	/* 1252 has nothing at 81. */
	decodes(1252, "A\x81" "B", "A\uFFFD" "B");
	encodes(437, 0xC7, "\x80");
	encodes(850, 0xD8, "\x9D");
	encodes(437, 0xD8, "");	    /* no O with stroke in 437 */
	encodes(437, 0x1F600, "");
	encodes(437, 0xD800, "");   /* no character at all */
	encodes(437, 'a', "a");
}
END_TEST

START_TEST(codepage_double_byte)
{
	/* Katakana "so" has the backslash's number as its second byte. */
	decodes(932, "\x83\x5C" "A", "ソA");
	decodes(932, "\xB1\xE5\xF8", "ｱ褸");
	decodes(932, "\\~", "\\~");
	decodes(936, "\xC4\xE3", "你");
	decodes(949, "\xB0\xA1", "가");
	decodes(950, "\xA4\xA4", "中");
	/* A first half at the end stands alone. */
	decodes(932, "A\x83", "A\uFFFD");
	/* One with a second byte that can't be. */
	decodes(932, "\x83 A", "\uFFFD A");
	encodes(932, 0x30BD, "\x83\x5C");
	encodes(932, 0xFF71, "\xB1");
	/* Yen would become a backslash and not come back. */
	encodes(932, 0xA5, "");
}
END_TEST

START_TEST(codepage_combining)
{
	/* Hebrew letters are held back by iconv for a point to combine. */
	decodes(1255, "\xE0\xE1", "אב");
	encodes(1255, 0x5D0, "\xE0");
}
END_TEST

START_TEST(codepage_nul_and_room)
{
	char buf[7];

	codepage_to_utf8(cp437, (const uint8_t *)"A\0", 2, buf, sizeof(buf));
	ck_assert_str_eq(buf, "A\uFFFD");
	/* Cut at a character when there is less room than asked for. */
	codepage_to_utf8(cp437, (const uint8_t *)"AAAAA\x80", 6, buf, 7);
	ck_assert_str_eq(buf, "AAAAA");
}
END_TEST

START_TEST(codepage_unknown)
{
	struct codepage *cp = NULL;
	struct error err = { 0 };

	ck_assert_int_eq(codepage_open(&cp, 12345, &err), ST_USAGE);
	ck_assert_str_eq(err.text, "code page 12345 is not known to iconv");
	ck_assert_int_eq(codepage_open(&cp, 0, &err), ST_USAGE);
	/* EBCDIC */
	ck_assert_int_eq(codepage_open(&cp, 500, &err), ST_USAGE);
	ck_assert_ptr_nonnull(strstr(err.text, "ASCII"));
	ck_assert_ptr_null(cp);
	codepage_close(NULL);
}
END_TEST

/* --- case --- */

static void folds(const char *utf8, const char *key)
{
	char *k = name_fold(utf8);

	ck_assert_ptr_nonnull(k);
	ck_assert_str_eq(k, key);
	free(k);
}

START_TEST(fold_pairs)
{
	folds("", "");
	folds("readme.TXT", "README.TXT");
	folds("äöüéñ", "ÄÖÜÉÑ");
	folds("ÿ", "Ÿ");
	folds("привет", "ПРИВЕТ");
	folds("αβγ", "ΑΒΓ");
	folds("ɐɫ", "ⱯⱢ"); /* two bytes become three */
	folds("😀𐐨", "😀𐐀");
	folds("你好{}[]@`", "你好{}[]@`");
}
END_TEST

/* What Windows keeps apart or together against plain Unicode mappings. */
START_TEST(fold_exceptions)
{
	folds("ß", "ß");
	folds("ẞ", "ẞ");
	folds("ı", "ı"); /* dotless i */
	folds("İ", "İ"); /* I with dot */
	folds("i", "I");
	folds("ſ", "ſ"); /* long s */
	folds("µ", "µ"); /* micro sign */
	folds("K", "K"); /* kelvin sign */
	folds("ςσ", "ΣΣ");
	folds("ǆǅ", "Ǆǅ");
	folds("ŉ", "ŉ");
	folds("ﬁ", "ﬁ");
}
END_TEST

START_TEST(fold_is_stable)
{
	uint32_t uc;

	for (uc = 0; uc < 0x11000; uc++) {
		uint32_t up = name_upper(uc);

		ck_assert_uint_eq(name_upper(up), up);
		/* Nothing foreign becomes ASCII. */
		ck_assert(uc < 0x80 || up >= 0x80);
	}
}
END_TEST

START_TEST(fold_invalid)
{
	static const char *const bad[] = {
		"\x80", "a\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80",
		"a\xFFz",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ck_assert_ptr_null(name_fold(bad[i]));
		ck_assert(!name_same(bad[i], bad[i]));
	}
}
END_TEST

START_TEST(same_names)
{
	ck_assert(name_same("ReadMe", "README"));
	ck_assert(name_same("ÄTNA", "ätna"));
	ck_assert(name_same("Ɐ", "ɐ")); /* three bytes and two */
	ck_assert(!name_same("a", "ab"));
	ck_assert(!name_same("ab", "a"));
	ck_assert(!name_same("ı", "I"));
	ck_assert(!name_same("e\u0301", "é")); /* no normalisation */
	ck_assert(name_same("", ""));
	ck_assert(!name_same("a", "a\xFF"));
}
END_TEST

static void add_tests(Suite *s)
{
	TCase *t = tcase_create("code pages and case");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, codepage_single_byte);
	tcase_add_test(t, codepage_double_byte);
	tcase_add_test(t, codepage_combining);
	tcase_add_test(t, codepage_nul_and_room);
	tcase_add_test(t, codepage_unknown);
	tcase_add_test(t, fold_pairs);
	tcase_add_test(t, fold_exceptions);
	tcase_add_test(t, fold_is_stable);
	tcase_add_test(t, fold_invalid);
	tcase_add_test(t, same_names);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("codepage");
	SRunner *sr;
	int failed;

	add_tests(s);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
