/* unit_path.c - paths are split and looked up, and refused with a reason */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fat/path.h"
#include "img.h"

static struct img im;
static struct img_open o;
static struct dir_entry e;

static void teardown(void)
{
	img_free(&im);
}

static void finds(const char *path, const char *name, uint32_t size)
{
	struct error err = { 0 };
	bool is_root = true;

	ck_assert_msg(!path_lookup(&o.vol, &o.win, o.cp, path, &e, &is_root,
				   &err), "%s: %s", path, err.text);
	ck_assert(!is_root);
	ck_assert_str_eq(e.name, name);
	ck_assert_uint_eq(e.size_bytes, size);
}

static void is_the_root(const char *path)
{
	bool is_root = false;

	ck_assert_int_eq(path_lookup(&o.vol, &o.win, o.cp, path, &e, &is_root,
				     NULL), ST_OK);
	ck_assert(is_root);
	ck_assert_str_eq(e.name, "");
	ck_assert_uint_eq(e.clus, 0);
}

static void refuses(const char *path, enum status st, const char *why)
{
	struct error err = { 0 };
	bool is_root;

	ck_assert_int_eq(path_lookup(&o.vol, &o.win, o.cp, path, &e, &is_root,
				     &err), st);
	ck_assert_str_eq(err.text, why);
}

START_TEST(components)
{
	const char *rest = "//DCIM/100 A//x.raw/";
	char name[8];

	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_str_eq(name, "DCIM");
	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_str_eq(name, "100 A");
	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_str_eq(name, "x.raw");
	ck_assert(!path_next(&rest, name, sizeof(name)));
	ck_assert(!path_next(&rest, name, sizeof(name)));
	rest = "";
	ck_assert(!path_next(&rest, name, sizeof(name)));
	rest = "12345678/9";
	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_str_eq(name, "1234567");
	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_str_eq(name, "9");
}
END_TEST

/* What is too long stays too long when it is cut. */
START_TEST(component_too_long)
{
	char path[3001], name[PATH_NAME_MAX];
	const char *rest = path;
	size_t i;

	for (i = 0; i < 3000; i += 3)
		memcpy(path + i, "你", 3);
	path[3000] = '\0';
	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_int_eq(name_check(name, NULL), ST_USAGE);
	rest = path + 3000 - 255 * 3;
	ck_assert(path_next(&rest, name, sizeof(name)));
	ck_assert_int_eq(name_check(name, NULL), ST_OK);
}
END_TEST

START_TEST(mtools_tree)
{
	img_make(&im, 16, "-s 2 -n LABEL", 8192);
	img_run(&im,
		"set -e; f() { head -c $1 /dev/zero >\"$IMG.f\"; "
		"mcopy -i \"$IMG\" \"$IMG.f\" \"$2\"; };"
		"mmd -i \"$IMG\" ::/DCIM ::/DCIM/100CANON '::/Große Töpfe';"
		"f 1 ::/readme.txt; f 2 '::/DCIM/100CANON/A long name.RAW';"
		"f 3 '::/Große Töpfe/Ärger.dat'; f 4 ::/label.x");
	img_open(&o, &im, 850);
	is_the_root("");
	is_the_root("/");
	is_the_root("///");
	finds("/readme.txt", "readme.txt", 1);
	finds("README.TXT", "readme.txt", 1);
	finds("/dcim", "DCIM", 0);
	ck_assert(dirent_is_dir(e.raw));
	finds("/dcim/100canon/a LONG name.raw", "A long name.RAW", 2);
	finds("DCIM//100CANON/ALONGN~1.RAW", "A long name.RAW", 2);
	finds("DCIM/100CANON/alongn~1.raw/", "A long name.RAW", 2);
	finds("/große töpfe/ärger.DAT", "Ärger.dat", 3);
	finds("/GROßE TÖPFE/ÄRGER.DAT", "Ärger.dat", 3);
	img_close(&o);
}
END_TEST

/* / with a label, a file, a directory D (cluster 10) with an entry X. */
static void make_tree(void)
{
	img_make(&im, 32, "-s 1", 40000);
	img_set_fat(&im, 10, 0x0FFFFFFF);
	img_entry(&im, im.root, "LABEL      ", 0x08, 0, 0);
	img_entry(&im, im.root + 32, "A       TXT", 0x20, 0, 1);
	img_entry(&im, im.root + 64, "D          ", 0x10, 10, 0);
	img_entry(&im, im.root + 96, "NOWHERE    ", 0x10, 0, 0);
	img_entry(&im, im.root + 128, "BEYOND     ", 0x10, 0x0FFFFFF0, 0);
	img_entry(&im, im.root + 160, "WRONG:  \xB0  ", 0x20, 0, 6);
	img_entry(&im, img_clus(&im, 10), ".          ", 0x10, 10, 0);
	img_entry(&im, img_clus(&im, 10) + 32, "..         ", 0x10, 0, 0);
	img_entry(&im, img_clus(&im, 10) + 64, "X          ", 0x20, 0, 5);
	img_open(&o, &im, 437);
}

START_TEST(not_there)
{
	make_tree();
	finds("/D/X", "X", 5);
	refuses("/D/Y", ST_REFUSED,
		"/D/Y: no such file or directory in the volume");
	refuses("D//Y/Z", ST_REFUSED,
		"/D//Y: no such file or directory in the volume");
	refuses("/LABEL", ST_REFUSED,
		"/LABEL: no such file or directory in the volume");
	refuses("/a.txt/b/c", ST_REFUSED,
		"/a.txt/b/c: /a.txt is a file, not a directory");
	img_close(&o);
}
END_TEST

START_TEST(cannot_be_there)
{
	make_tree();
	refuses("/D/a:b", ST_USAGE, "/D/a:b: a FAT name cannot hold ':'");
	refuses("/D/none/a?b", ST_USAGE,
		"/D/none/a?b: a FAT name cannot hold '?'");
	refuses("/D/.", ST_USAGE, "/D/.: \".\" is no name for a file");
	refuses("/D/../A.TXT", ST_USAGE,
		"/D/../A.TXT: \"..\" is no name for a file");
	refuses("/D/\xC3", ST_USAGE, "/D/\xC3: a name is not valid UTF-8");
	/* But what is on the volume can be named as it is. */
	finds("/wrong:.░", "WRONG:.░", 6);
	img_close(&o);
}
END_TEST

START_TEST(damaged_directories)
{
	uint32_t i;

	make_tree();
	refuses("/nowhere/x", ST_REFUSED, "/nowhere: the directory is damaged: "
		"it has no valid first cluster; run fatfsck");
	refuses("/beyond/x", ST_REFUSED, "/beyond: the directory is damaged: "
		"it has no valid first cluster; run fatfsck");
	img_close(&o);
	/* Behind an end mark no damage matters. */
	img_set_fat(&im, 10, 1);
	img_open(&o, &im, 437);
	refuses("/D/Y", ST_REFUSED,
		"/D/Y: no such file or directory in the volume");
	img_close(&o);
	for (i = 3; i < 16; i++)
		img_entry(&im, img_clus(&im, 10) + i * 32, "\xE5          ",
			  0, 0, 0);
	img_open(&o, &im, 437);
	finds("/D/X", "X", 5);
	refuses("/D/Y", ST_REFUSED, "/D/Y: can't be looked up: the cluster "
		"chain of its directory links to a cluster that does not "
		"exist; run fatfsck");
	img_close(&o);
}
END_TEST

/* Two names that fold to one key: the exact spelling decides. */
START_TEST(exact_spelling_wins)
{
	uint64_t at;

	img_make(&im, 32, "-s 1", 40000);
	at = im.root;
	img_entry(&im, at, "FILE       ", 0x20, 0, 1);
	img_write(&im, at + 12, "\x08", 1);
	img_entry(&im, at += 32, "FILE       ", 0x20, 0, 2);
	img_entry(&im, at += 32, "OTHER      ", 0x20, 0, 3);
	img_entry(&im, at += 32, "OTHER      ", 0x20, 0, 4);
	img_open(&o, &im, 437);
	finds("file", "file", 1);
	finds("FILE", "FILE", 2);
	finds("File", "file", 1);
	finds("OTHER", "OTHER", 3);
	finds("other", "OTHER", 3);
	img_close(&o);
}
END_TEST

START_TEST(read_error)
{
	struct error err = { 0 };
	bool is_root;

	make_tree();
	ck_assert_int_eq(ftruncate(im.fd, (off_t)im.root), 0);
	ck_assert_int_eq(path_lookup(&o.vol, &o.win, o.cp, "/D", &e, &is_root,
				     &err), ST_IO);
	ck_assert_uint_ne(strlen(err.text), 0);
	img_close(&o);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *s = suite_create("path");
	TCase *split = tcase_create("components");
	TCase *look = tcase_create("look-up");

	tcase_add_test(split, components);
	tcase_add_test(split, component_too_long);
	suite_add_tcase(s, split);
	tcase_add_checked_fixture(look, NULL, teardown);
	if (img_have("mcopy"))
		tcase_add_test(look, mtools_tree);
	else
		puts("skipped in part: mtools is missing");
	tcase_add_test(look, not_there);
	tcase_add_test(look, cannot_be_there);
	tcase_add_test(look, damaged_directories);
	tcase_add_test(look, exact_spelling_wins);
	tcase_add_test(look, read_error);
	suite_add_tcase(s, look);
	return s;
}

int main(void)
{
	SRunner *sr;
	int failed;

	img_begin();
	sr = srunner_create(make_suite());
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	img_end();
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
