/*
 * unit_dir.c - directories of both kinds, whole and damaged
 *
 * mtools writes the names in the tests that need it and lists them with
 * mdir; the rest is literal bytes on what mkfs.fat made.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fat/dir.h"
#include "img.h"
#include "slots.h"

static struct img im;
static struct img_open o;
static struct dir *d;
static struct dir_entry e;

static void open_dir(clus_t clus)
{
	struct error err = { 0 };

	ck_assert_msg(!dir_open(&d, &o.vol, &o.win, o.cp, clus, &err), "%s",
		      err.text);
}

static void open_image(unsigned codepage, clus_t clus)
{
	img_open(&o, &im, codepage);
	open_dir(clus);
}

static void close_image(void)
{
	dir_close(d);
	d = NULL;
	img_close(&o);
}

static bool next(void)
{
	struct error err = { 0 };
	bool more;

	ck_assert_msg(!dir_next(d, &e, &more, &err), "%s", err.text);
	return more;
}

static void next_is(const char *name, uint32_t first_slot, uint32_t slot)
{
	uint8_t raw[32];

	ck_assert_msg(next(), "%s is missing", name);
	ck_assert_str_eq(e.name, name);
	ck_assert_uint_eq(e.first_slot, first_slot);
	ck_assert_uint_eq(e.slot, slot);
	img_read(&im, e.offset_bytes, raw, sizeof(raw));
	ck_assert_mem_eq(raw, e.raw, sizeof(raw));
}

static void ends(void)
{
	ck_assert_msg(!next(), "%s is too much", e.name);
	ck_assert(!next());
}

static uint32_t count_entries(void)
{
	uint32_t n = 0;

	while (next())
		n++;
	return n;
}

static void teardown(void)
{
	img_free(&im);
}

/* --- what mtools writes --- */

static const char *const populate =
	"set -e; echo x >\"$IMG.f\"; mmd -i \"$IMG\" ::/DCIM ::/Ünïcode;"
	"for n in 'The quick brown.fox' readme.txt UPPER.txt lower.TXT PLAIN "
	"é.txt .bashrc exactly13unit; do "
	"mcopy -i \"$IMG\" \"$IMG.f\" \"::/$n\"; "
	"mcopy -i \"$IMG\" \"$IMG.f\" \"::/DCIM/$n\"; done;"
	"mdel -i \"$IMG\" ::/PLAIN; rm \"$IMG.f\"";

static void check_populated(clus_t dcim_parent)
{
	clus_t dcim;

	next_is("DCIM", 0, 0);
	ck_assert(!e.has_long);
	ck_assert_uint_eq(e.attr, ATTR_DIR);
	dcim = e.clus;
	next_is("Ünïcode", 1, 2);
	ck_assert_str_eq(e.short_utf8, "ÜNÏCODE");
	next_is("The quick brown.fox", 3, 5);
	ck_assert_str_eq(e.short_utf8, "THEQUI~1.FOX");
	ck_assert_uint_eq(e.size_bytes, 2);
	next_is("readme.txt", 6, 6);
	next_is("UPPER.txt", 7, 7);
	next_is("lower.TXT", 8, 8);
	next_is("é.txt", 10, 10);
	next_is(".bashrc", 11, 12);
	next_is("exactly13unit", 13, 14);
	ends();
	ck_assert(dir_at_mark(d));
	ck_assert_uint_eq(dir_slots(d), 15);
	ck_assert_uint_eq(dir_orphans(d), 0);
	dir_close(d);

	open_dir(dcim);
	next_is(".", 0, 0);
	ck_assert_uint_eq(e.clus, dcim);
	next_is("..", 1, 1);
	ck_assert_uint_eq(e.clus, dcim_parent);
	next_is("The quick brown.fox", 2, 4);
	next_is("readme.txt", 5, 5);
	next_is("UPPER.txt", 6, 6);
	next_is("lower.TXT", 7, 7);
	next_is("PLAIN", 8, 8);
	next_is("é.txt", 9, 9);
	next_is(".bashrc", 10, 11);
	next_is("exactly13unit", 12, 13);
	ends();
	ck_assert_int_eq(dir_chain_end(d), CHAIN_EOC);
	ck_assert_uint_eq(dir_chain(d)->first, dcim);
}

START_TEST(mtools_fat12)
{
	img_make(&im, 12, "", 1440);
	img_run(&im, populate);
	open_image(850, 0);
	ck_assert_uint_eq(dir_chain(d)->clusters, 0);
	ck_assert_int_eq(dir_chain_end(d), CHAIN_EOC);
	check_populated(0);
	close_image();
}
END_TEST

START_TEST(mtools_fat16)
{
	img_make(&im, 16, "-s 2 -f 1", 8192);
	img_run(&im, populate);
	open_image(850, 0);
	check_populated(0);
	close_image();
}
END_TEST

START_TEST(mtools_fat32)
{
	img_make(&im, 32, "-s 1", 40000);
	img_run(&im, populate);
	open_image(850, 0);
	ck_assert_uint_eq(dir_chain(d)->first, im.root_clus);
	check_populated(0);
	close_image();
}
END_TEST

/*
 * Names of many lengths in a directory of many clusters. mtools
 * sometimes finds no slots for one: what it lists is what counts.
 */
START_TEST(mtools_many)
{
	char line[2000], want[2100];
	uint32_t n = 0;
	FILE *list;

	img_make(&im, 32, "-s 1", 40000);
	img_run(&im,
		"set -e; mkdir \"$IMG.d\"; cd \"$IMG.d\"; n=;"
		"for i in $(seq 1 200); do n=${n}$((i % 10)); "
		"echo $i >\"$n.txt\"; done;"
		"for i in $(seq 1 60); do echo $i >\"nämé $i\"; done;"
		"mmd -i \"$IMG\" ::/big; mcopy -i \"$IMG\" -- * ::/big "
		"2>/dev/null || :;"
		"mdir -i \"$IMG\" -b ::/big >\"$IMG.list\"");
	open_image(437, 0);
	next_is("big", 0, 0);
	dir_close(d);
	open_dir(e.clus);
	next_is(".", 0, 0);
	next_is("..", 1, 1);
	snprintf(line, sizeof(line), "%s.list", im.path);
	list = fopen(line, "r");
	ck_assert_ptr_nonnull(list);
	for (; fgets(line, sizeof(line), list); n++) {
		ck_assert(next());
		snprintf(want, sizeof(want), "::/big/%s\n", e.name);
		ck_assert_str_eq(line, want);
	}
	fclose(list);
	ends();
	ck_assert_uint_gt(n, 240);
	ck_assert_uint_gt(dir_chain(d)->clusters, 100);
	close_image();
}
END_TEST

/* --- literal bytes --- */

START_TEST(kinds_of_slots)
{
	static const uint8_t long_slot[32] =
		"\x41" "a\0b\0\0\0\xFF\xFF\xFF\xFF\x0F\0\x42"
		"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0"
		"\xFF\xFF\xFF\xFF";
	uint8_t bashrc[32];
	uint64_t at;

	from_hex(BASHRC_1, bashrc);
	img_make(&im, 16, "-s 2", 8192);
	at = im.root;
	img_write(&im, at, bashrc, 32);
	img_entry(&im, at += 32, BASHRC, 0x20, 0, 0);
	img_entry(&im, at += 32, "MY VOLUME  ", 0x08, 0, 0);
	img_entry(&im, at += 32, "\xE5" "ONE    TXT", 0x20, 5, 9);
	img_write(&im, at += 32, long_slot, 32); /* its entry is deleted */
	img_entry(&im, at += 32, "\xE5" "ONE2   TXT", 0x20, 5, 9);
	img_write(&im, at += 32, long_slot, 32); /* of another name */
	img_entry(&im, at += 32, "A       TXT", 0x01, 0xFFFFFFFF, 7);
	img_write(&im, at += 32, long_slot, 32); /* a label has none */
	img_entry(&im, at += 32, "LABEL2     ", 0x28, 0, 0);
	img_entry(&im, at += 32, "\x05" "B      C  ", 0x27, 9, 1);
	img_write(&im, at += 32, long_slot, 32); /* nothing follows */
	img_write(&im, at += 32, "\0", 1);
	img_entry(&im, at += 32, "STALE      ", 0x20, 3, 3);
	open_image(437, 0);
	next_is(".bashrc", 0, 1);
	ck_assert(e.has_long);
	next_is("MY VOLUME", 2, 2);
	ck_assert(!e.has_long);
	ck_assert_uint_eq(e.attr, ATTR_LABEL);
	ck_assert_int_eq(e.lfn_fault, LFN_FINE);
	next_is("A.TXT", 7, 7);
	ck_assert_int_eq(e.lfn_fault, LFN_CHECKSUM);
	ck_assert_uint_eq(dir_orphans(d), 2);
	ck_assert_uint_eq(e.clus, 0xFFFF);
	ck_assert_uint_eq(e.size_bytes, 7);
	next_is("LABEL2", 9, 9);
	ck_assert_int_eq(e.lfn_fault, LFN_ORPHAN);
	next_is("σB.C", 10, 10);
	ck_assert_int_eq(e.lfn_fault, LFN_FINE);
	ends();
	ck_assert_uint_eq(dir_orphans(d), 4);
	ck_assert_uint_eq(dir_slots(d), 12);
	ck_assert(dir_at_mark(d));
	close_image();
}
END_TEST

static void fill_slots(uint64_t at, uint32_t n, uint32_t from)
{
	char name[16];
	uint32_t i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "F%07u   ", from + i);
		img_entry(&im, at + i * 32, name, 0x20, 0, from + i);
	}
}

/* The fixed root ends where the BPB says, with no mark. */
START_TEST(fixed_root_full)
{
	img_make(&im, 16, "-s 2 -r 64", 8192);
	fill_slots(im.root, 64, 0);
	img_entry(&im, im.data, "BEHIND     ", 0x20, 0, 0);
	open_image(437, 0);
	ck_assert_uint_eq(count_entries(), 64);
	ck_assert_str_eq(e.name, "F0000063");
	ck_assert(!dir_at_mark(d));
	ck_assert_uint_eq(dir_slots(d), 64);
	close_image();
}
END_TEST

/* A directory of three clusters out of order; the root is not cluster 2. */
START_TEST(chain_followed)
{
	img_make(&im, 32, "-s 1", 40000);
	img_write(&im, 44, "\x64\0\0\0", 4); /* root cluster 100 */
	img_set_fat(&im, 100, 0xF0000032);   /* upper bits mean nothing */
	img_set_fat(&im, 50, 60);
	img_set_fat(&im, 60, 0x0FFFFFF8);
	fill_slots(img_clus(&im, 100), 16, 0);
	fill_slots(img_clus(&im, 50), 16, 16);
	fill_slots(img_clus(&im, 60), 15, 32);
	open_image(437, 0);
	ck_assert_uint_eq(dir_chain(d)->clusters, 3);
	ck_assert_uint_eq(dir_chain(d)->last, 60);
	ck_assert_uint_eq(count_entries(), 47);
	ck_assert_str_eq(e.name, "F0000046");
	ck_assert_uint_eq(e.size_bytes, 46);
	ck_assert(dir_at_mark(d));
	close_image();
}
END_TEST

/* Cluster 100 is whole, then comes the damage. */
static void damaged(uint32_t link, enum chain_end end, uint32_t clusters)
{
	img_make(&im, 32, "-s 1", 40000);
	img_set_fat(&im, 100, 101);
	img_set_fat(&im, 101, link);
	img_set_fat(&im, 103, 0x0FFFFFF7);
	fill_slots(img_clus(&im, 100), 16, 0);
	fill_slots(img_clus(&im, 101), 16, 16);
	open_image(437, 100);
	ck_assert_int_eq(dir_chain_end(d), end);
	ck_assert_uint_eq(dir_chain(d)->clusters, clusters);
	ck_assert_uint_eq(count_entries(), 16 * clusters);
	ck_assert(!dir_at_mark(d));
	close_image();
}

START_TEST(chain_to_free)
{
	damaged(102, CHAIN_FREE, 2);
}
END_TEST

START_TEST(chain_is_free)
{
	damaged(0, CHAIN_FREE, 1);
}
END_TEST

START_TEST(chain_to_bad)
{
	damaged(103, CHAIN_BAD, 2);
}
END_TEST

START_TEST(chain_to_1)
{
	damaged(1, CHAIN_RANGE, 2);
}
END_TEST

START_TEST(chain_out_of_range)
{
	damaged(0x0ABCDEF0, CHAIN_RANGE, 2);
}
END_TEST

START_TEST(chain_reserved)
{
	damaged(0x0FFFFFF1, CHAIN_RESERVED, 2);
}
END_TEST

START_TEST(chain_to_itself)
{
	damaged(101, CHAIN_LOOP, 2);
}
END_TEST

START_TEST(chain_to_its_start)
{
	damaged(100, CHAIN_LOOP, 2);
}
END_TEST

START_TEST(starts_nowhere)
{
	img_make(&im, 32, "-s 1", 40000);
	open_image(437, 0x0FFFFFF0);
	ck_assert_int_eq(dir_chain_end(d), CHAIN_RANGE);
	ends();
	dir_close(d);
	open_dir(1);
	ck_assert_int_eq(dir_chain_end(d), CHAIN_RANGE);
	ends();
	dir_close(d);
	open_dir(500); /* free */
	ck_assert_int_eq(dir_chain_end(d), CHAIN_FREE);
	ends();
	close_image();
}
END_TEST

START_TEST(no_root_cluster)
{
	img_make(&im, 32, "-s 1", 40000);
	img_write(&im, 44, "\0\0\0\0", 4);
	open_image(437, 0);
	ck_assert_int_eq(dir_chain_end(d), CHAIN_RANGE);
	ends();
	close_image();
}
END_TEST

static const uint32_t tails[] = { 0, 1, 2, 7, 100, 1000, 3000, 4095 };
static const uint32_t rings[] = { 1, 2, 3, 64, 500, 1096, 4096 };

/*
 * A tail of clusters that leads into a ring: each cluster is shown once,
 * 65,536 slots at most. One entry in each cluster says which it is.
 */
START_TEST(loops_show_nothing_twice)
{
	static uint8_t full[512];
	uint32_t t, r, i, n, distinct, last;

	img_make(&im, 32, "-s 1", 40000);
	for (i = 0; i < 16; i++) /* all deleted, so no mark ends it */
		full[i * 32] = 0xE5;
	for (i = 0; i < 9000; i++) {
		img_write(&im, img_clus(&im, 100 + i), full, sizeof(full));
		fill_slots(img_clus(&im, 100 + i), 1, i);
		img_set_fat(&im, 100 + i, 101 + i);
	}
	for (t = 0; t < sizeof(tails) / sizeof(*tails); t++) {
		for (r = 0; r < sizeof(rings) / sizeof(*rings); r++) {
			distinct = tails[t] + rings[r];
			last = 100 + distinct - 1;
			img_set_fat(&im, last, 100 + tails[t]);
			open_image(437, 100);
			for (n = 0; next(); n++)
				ck_assert_uint_eq(e.size_bytes, n);
			ck_assert_uint_eq(n, distinct < 4096 ? distinct : 4096);
			if (distinct < 4096)
				ck_assert_int_eq(dir_chain_end(d), CHAIN_LOOP);
			else if (distinct > 4096)
				ck_assert_int_eq(dir_chain_end(d), CHAIN_LIMIT);
			ck_assert_uint_eq(dir_chain(d)->last, 100 + n - 1);
			close_image();
			img_set_fat(&im, last, last + 1);
		}
	}
}
END_TEST

/* The most that a directory can hold, and more than that. */
START_TEST(as_large_as_can_be)
{
	uint32_t i;

	img_make(&im, 32, "-s 1", 40000);
	for (i = 0; i < 4096; i++) {
		fill_slots(img_clus(&im, 100 + i), 16, i * 16);
		img_set_fat(&im, 100 + i, 101 + i);
	}
	img_set_fat(&im, 100 + 4095, 0x0FFFFFFF);
	open_image(437, 100);
	ck_assert_int_eq(dir_chain_end(d), CHAIN_EOC);
	o.ledger.bytes_read = 0;
	ck_assert_uint_eq(count_entries(), 65536);
	ck_assert_uint_eq(e.size_bytes, 65535);
	/* 2 MiB of directory; some 16 KiB of FAT through a 4 KiB window. */
	ck_assert_uint_ge(o.ledger.bytes_read, 2048 * 1024);
	ck_assert_uint_le(o.ledger.bytes_read, 2048 * 1024 + 32 * 1024);
	close_image();

	img_set_fat(&im, 100 + 4095, 100 + 4096);
	img_set_fat(&im, 100 + 4096, 0x0FFFFFFF);
	fill_slots(img_clus(&im, 100 + 4096), 16, 65536);
	open_image(437, 100);
	ck_assert_int_eq(dir_chain_end(d), CHAIN_LIMIT);
	ck_assert_uint_eq(count_entries(), 65536);
	ck_assert_uint_eq(e.size_bytes, 65535);
	close_image();
}
END_TEST

/* Clusters of 512 KiB are read in pieces of 64 KiB. */
START_TEST(huge_clusters)
{
	uint32_t i;

	img_make(&im, 32, "-S 4096 -s 128", 200 * 1024);
	ck_assert_uint_eq(im.cluster, 512 * 1024);
	img_set_fat(&im, 10, 20);
	img_set_fat(&im, 20, 0x0FFFFFFF);
	for (i = 0; i < 16384; i += 2048) {
		fill_slots(img_clus(&im, 10) + i * 32, 2048, i);
		fill_slots(img_clus(&im, 20) + i * 32, 2048, 16384 + i);
	}
	open_image(437, 10);
	ck_assert_uint_eq(count_entries(), 32768);
	ck_assert_uint_eq(e.size_bytes, 32767);
	ck_assert_uint_eq(e.offset_bytes, img_clus(&im, 20) + 16383 * 32);
	ck_assert_uint_le(o.ledger.peak_buffer_bytes,
			  64 * 1024 + o.win.cap);
	close_image();
}
END_TEST

START_TEST(large_sectors)
{
	img_make(&im, 16, "-S 4096 -s 1", 20000);
	fill_slots(im.root, 200, 0);
	open_image(437, 0);
	ck_assert_uint_eq(count_entries(), 200);
	ck_assert(dir_at_mark(d));
	close_image();
}
END_TEST

/* The device ends in the middle of a directory. */
START_TEST(read_error)
{
	struct error err = { 0 };
	bool more = true;
	uint32_t n = 0;

	img_make(&im, 32, "-s 1", 40000);
	img_set_fat(&im, 100, 70000);
	img_set_fat(&im, 70000, 0x0FFFFFFF);
	fill_slots(img_clus(&im, 100), 16, 0);
	ck_assert_int_eq(ftruncate(im.fd, (off_t)img_clus(&im, 60000)), 0);
	open_image(437, 100);
	while (!dir_next(d, &e, &more, &err) && more)
		n++;
	ck_assert_uint_eq(n, 16);
	ck_assert_int_eq(err.code, ST_IO);
	/* After an error there is nothing more. */
	ends();
	close_image();

	/* The FAT itself can't be read. */
	img_open(&o, &im, 437);
	ck_assert_int_eq(ftruncate(im.fd, (off_t)im.fat), 0);
	memset(&err, 0, sizeof(err));
	ck_assert_int_eq(dir_open(&d, &o.vol, &o.win, o.cp, 100, &err), ST_IO);
	ck_assert_ptr_null(d);
	img_close(&o);
}
END_TEST

/* Any bytes at all: it ends, and every name is good UTF-8. */
START_TEST(noise)
{
	static uint8_t cluster[65536];
	uint32_t seed = 7, i, round, names = 0;

	img_make(&im, 32, "-s 128", 80000);
	img_set_fat(&im, 10, 0x0FFFFFFF);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < sizeof(cluster); i++) {
			seed = seed * 1664525 + 1013904223;
			cluster[i] = (uint8_t)(seed >> 24);
			if (i % 32 == 0 && !cluster[i])
				cluster[i] = 0x41;
			/* half of them are long-name slots */
			if (i % 32 == 11 && (seed & 0x10000))
				cluster[i] = 0x0F;
		}
		img_write(&im, img_clus(&im, 10), cluster, sizeof(cluster));
		open_image(round % 2 ? 437 : 932, 10);
		while (next()) {
			char *key = name_fold(e.name);

			ck_assert_ptr_nonnull(key);
			free(key);
			names++;
		}
		close_image();
	}
	ck_assert_uint_gt(names, 1000);
}
END_TEST

START_TEST(raw_slots)
{
	const uint8_t *bytes;
	uint32_t slot, n = 0;
	uint64_t offset;

	img_make(&im, 16, "-s 2", 8192);
	img_entry(&im, im.root, "A          ", 0x20, 0, 0);
	img_entry(&im, im.root + 32, "\xE5" "B         ", 0x0F, 0, 0);
	img_entry(&im, im.root + 64, "C          ", 0x08, 0, 0);
	open_image(437, 0);
	for (;;) {
		ck_assert_int_eq(dir_next_slot(d, &bytes, &slot, &offset,
					       NULL), ST_OK);
		if (!bytes)
			break;
		ck_assert_uint_eq(slot, n);
		ck_assert_uint_eq(offset, im.root + n * 32);
		ck_assert_uint_eq(bytes[0], (uint8_t)"A\xE5" "C"[n]);
		n++;
	}
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(dir_slots(d), 3);
	dir_close(NULL);
	close_image();
}
END_TEST

static void add_mtools(Suite *s)
{
	TCase *t = tcase_create("what mtools writes");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, mtools_fat12);
	tcase_add_test(t, mtools_fat16);
	tcase_add_test(t, mtools_fat32);
	tcase_add_test(t, mtools_many);
	suite_add_tcase(s, t);
}

static void add_literal(Suite *s)
{
	TCase *t = tcase_create("literal bytes");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, kinds_of_slots);
	tcase_add_test(t, fixed_root_full);
	tcase_add_test(t, chain_followed);
	tcase_add_test(t, as_large_as_can_be);
	tcase_add_test(t, huge_clusters);
	tcase_add_test(t, large_sectors);
	tcase_add_test(t, raw_slots);
	suite_add_tcase(s, t);
}

static void add_damage(Suite *s)
{
	TCase *t = tcase_create("damage");

	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, chain_to_free);
	tcase_add_test(t, chain_is_free);
	tcase_add_test(t, chain_to_bad);
	tcase_add_test(t, chain_to_1);
	tcase_add_test(t, chain_out_of_range);
	tcase_add_test(t, chain_reserved);
	tcase_add_test(t, chain_to_itself);
	tcase_add_test(t, chain_to_its_start);
	tcase_add_test(t, starts_nowhere);
	tcase_add_test(t, no_root_cluster);
	tcase_add_test(t, loops_show_nothing_twice);
	tcase_add_test(t, read_error);
	tcase_add_test(t, noise);
	suite_add_tcase(s, t);
}

int main(void)
{
	Suite *s = suite_create("dir");
	SRunner *sr;
	int failed;

	img_begin();
	if (img_have("mcopy"))
		add_mtools(s);
	else
		puts("skipped in part: mtools is missing");
	add_literal(s);
	add_damage(s);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	img_end();
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
