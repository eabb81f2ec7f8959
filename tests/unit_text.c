/* unit_text.c - sizes, escaped names, manifests */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/manifest.h"
#include "base/text.h"

static const struct {
	const char *text;
	uint64_t bytes;
} sizes[] = {
	{"0", 0},
	{"1", 1},
	{"010", 10},
	{"18446744073709551615", UINT64_MAX},
	{"0x10", 16},
	{"0XfFk", 255 * 1024},
	{"1K", 1024},
	{"1k", 1024},
	{"1KiB", 1024},
	{"1kib", 1024},
	{"1KB", 1000},
	{"16MiB", 16777216},
	{"16M", 16777216},
	{"16MB", 16000000},
	{"2G", 2147483648},
	{"2GiB", 2147483648},
	{"2GB", 2000000000},
	{"4T", 4398046511104},
	{"4TiB", 4398046511104},
	{"4TB", 4000000000000},
	{"16777215T", 18446742974197923840u},
	{"1.5M", 1572864},
	{"1.50M", 1572864},
	{"0.001KB", 1},
	{"3.0", 3},
};

START_TEST(parses_size)
{
	uint64_t bytes = 42;

	ck_assert_msg(text_parse_size(sizes[_i].text, &bytes), "%s",
		      sizes[_i].text);
	ck_assert_uint_eq(bytes, sizes[_i].bytes);
	ck_assert(text_parse_offset(sizes[_i].text, &bytes));
	ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

static const char *const no_sizes[] = {
	"",	 " 1",	   "1 ",   "-1",     "+1",   "1X",   "1iB",  "K",
	"MiB",	 "1MiBs",  "1Mi",  "1B",     "0x",   "0xK",  "1..5", "1.",
	".5M",	 "1.M",	   "1,5M", "0x1.8M", "1.5",  "0.1K", "1e3",  "16777216T",
	"1 MiB", "1MiB\n", "١",	   "1.00000000000000000001M",
	"18446744073709551616",
};

START_TEST(refuses_size)
{
	uint64_t bytes;

	ck_assert_msg(!text_parse_size(no_sizes[_i], &bytes), "%s",
		      no_sizes[_i]);
	ck_assert(!text_parse_offset(no_sizes[_i], &bytes));
}
END_TEST

START_TEST(offsets_in_sectors)
{
	uint64_t bytes;

	ck_assert(text_parse_offset("2048S", &bytes));
	ck_assert_uint_eq(bytes, 1048576);
	ck_assert(text_parse_offset("1s", &bytes));
	ck_assert_uint_eq(bytes, 512);
	ck_assert(!text_parse_size("2048S", &bytes));
	ck_assert(!text_parse_offset("36028797018963968S", &bytes));
	ck_assert(!text_parse_offset("1SB", &bytes));
}
END_TEST

START_TEST(formats_size)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} t[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023, "1023 B"},
		{1024, "1 KiB"},
		{1536, "1.5 KiB"},
		{16777216, "16 MiB"},
		{1610612736, "1.5 GiB"},
		{1048575, "1023.9 KiB"},
		{4294967295, "3.9 GiB"},
		{UINT64_C(1) << 60, "1 EiB"},
		{UINT64_MAX, "15.9 EiB"},
	};
	char buf[TEXT_SIZE_MAX];

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		ck_assert_str_eq(text_format_size(buf, t[i].bytes), t[i].text);
}
END_TEST

START_TEST(escapes)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{"", ""},
		{"DCIM/Größe 日本 😀", "DCIM/Größe 日本 😀"},
		{"a\033[2Jb", "a\\x1B[2Jb"},
		{"a\tb\nc\x7f", "a\\x09b\\x0Ac\\x7F"},
		{"a\\b", "a\\x5Cb"},
		/* C1, right-to-left override, line separator, joiner */
		{"\xc2\x9b", "\\xC2\\x9B"},
		{"\xe2\x80\xae", "\\xE2\\x80\\xAE"},
		{"\xe2\x80\xa8", "\\xE2\\x80\\xA8"},
		{"\xe2\x81\xa0", "\\xE2\\x81\\xA0"},
		/* Hangul filler: invisible, but a letter */
		{"\xe3\x85\xa4", "\\xE3\\x85\\xA4"},
		/* malformed: alone, overlong, surrogate, cut off */
		{"\xff.", "\\xFF."},
		{"\xc0\xaf", "\\xC0\\xAF"},
		{"\xed\xa0\x80", "\\xED\\xA0\\x80"},
		{"x\xe2\x82", "x\\xE2\\x82"},
	};
	char buf[100];

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		ck_assert_str_eq(text_escape(buf, sizeof(buf), t[i].in),
				 t[i].out);
}
END_TEST

START_TEST(escape_truncates_at_a_character)
{
	char buf[8];

	ck_assert_str_eq(text_escape(buf, 1, "abc"), "");
	ck_assert_str_eq(text_escape(buf, 3, "abc"), "ab");
	ck_assert_str_eq(text_escape(buf, 4, "ab日"), "ab");
	ck_assert_str_eq(text_escape(buf, 6, "ab日"), "ab日");
	ck_assert_str_eq(text_escape(buf, 5, "a\033"), "a");
	ck_assert_str_eq(text_escape(buf, 6, "a\033"), "a\\x1B");
}
END_TEST

static enum status read_text(struct manifest *m, const char *text, size_t len,
			     struct error *err)
{
	char copy[256];
	enum status st;
	FILE *f;

	memcpy(copy, text, len);
	f = fmemopen(copy, len, "r");
	ck_assert_ptr_nonnull(f);
	st = manifest_read(m, f, "list", err);
	fclose(f);
	return st;
}

START_TEST(manifest_lines)
{
	static const char text[] = "# what a camera needs\n"
				   "\n"
				   " \t \r\n"
				   "  # indented\n"
				   "16MiB DCIM/a.raw\r\n"
				   "\t1.5K \t two words \n"
				   "max  #1\n"
				   "4294967296 Größe";
	struct manifest m = {0};
	struct error err = {0};

	ck_assert_int_eq(read_text(&m, text, sizeof(text) - 1, &err), ST_OK);
	ck_assert_uint_eq(m.n, 4);
	ck_assert_str_eq(m.v[0].path, "DCIM/a.raw");
	ck_assert_uint_eq(m.v[0].length_bytes, 16777216);
	ck_assert(!m.v[0].max);
	ck_assert_uint_eq(m.v[0].line, 5);
	ck_assert_str_eq(m.v[1].path, "two words ");
	ck_assert_uint_eq(m.v[1].length_bytes, 1536);
	ck_assert_str_eq(m.v[2].path, "#1");
	ck_assert(m.v[2].max);
	ck_assert_uint_eq(m.v[2].line, 7);
	ck_assert_str_eq(m.v[3].path, "Größe");
	ck_assert_uint_eq(m.v[3].length_bytes, 4294967296);
	manifest_free(&m);
	ck_assert_ptr_null(m.v);
	manifest_free(&m);
}
END_TEST

static const struct {
	const char *text;
	size_t len;
	const char *why;
} bad_lines[] = {
#define BAD(text, why) {text, sizeof(text) - 1, why}
	BAD("1M a\n\n5Q b\n1M c\n", "list:3: \"5Q\" is not a length"),
	BAD("0 a\n", "list:1: \"0\" is not a length: it must be more than 0"),
	BAD("-5 a\n", "list:1: \"-5\" is not a length"),
	BAD("1\033M a\n", "list:1: \"1\\x1BM\" is not a length"),
	BAD("99999999999999999999 a\n", "list:1: \"9999"),
	BAD("Max a\n", "list:1: \"Max\" is not a length"),
	BAD("a b\n", "list:1: \"a\" is not a length"),
	BAD("1M\n", "list:1: has a length but no path"),
	BAD("1M \t\n", "list:1: has a length but no path"),
	BAD("1M a\0b\n", "list:1: contains a NUL byte"),
	BAD("1M a\n1M b\xff\n", "list:2: is not UTF-8"),
};

START_TEST(manifest_refuses)
{
	struct manifest m = {0};
	struct error err = {0};

	ck_assert_int_eq(read_text(&m, bad_lines[_i].text, bad_lines[_i].len,
				   &err),
			 ST_USAGE);
	ck_assert_int_eq(err.code, ST_USAGE);
	ck_assert_msg(!strncmp(err.text, bad_lines[_i].why,
			       strlen(bad_lines[_i].why)),
		      "%s", err.text);
	manifest_free(&m);
}
END_TEST

START_TEST(manifest_that_cannot_be_read)
{
	struct manifest m = {0};
	struct error err = {0};
	FILE *f = fopen(".", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(manifest_read(&m, f, "list", &err), ST_IO);
	ck_assert_str_eq(err.text, "list: cannot read: Is a directory");
	fclose(f);
	manifest_free(&m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("text");
	TCase *tc = tcase_create("text");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, parses_size, 0,
			    sizeof(sizes) / sizeof(*sizes));
	tcase_add_loop_test(tc, refuses_size, 0,
			    sizeof(no_sizes) / sizeof(*no_sizes));
	tcase_add_test(tc, offsets_in_sectors);
	tcase_add_test(tc, formats_size);
	tcase_add_test(tc, escapes);
	tcase_add_test(tc, escape_truncates_at_a_character);
	tcase_add_test(tc, manifest_lines);
	tcase_add_loop_test(tc, manifest_refuses, 0,
			    sizeof(bad_lines) / sizeof(*bad_lines));
	tcase_add_test(tc, manifest_that_cannot_be_read);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
