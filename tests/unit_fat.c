/*
 * unit_fat.c - FAT entries, windows on a FAT, FSInfo
 *
 * Reads are counted, never timed.
 */
#include "fat/fatwin.h"
#include "fat/fsinfo.h"
#include "fatdisk.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const enum fat_type types[] = { FAT12, FAT16, FAT32 };
static struct fatdisk d;
static struct fatwin win;
static struct error err;

static void open_volume(enum fat_type type, clus_t last, size_t window)
{
	fatdisk_open(&d, type, 1, last, 0, window);
	ck_assert_int_eq(fatwin_open(&win, &d.vol, 0, &err), ST_OK);
}

static void close_volume(void)
{
	fatwin_close(&win);
	fatwin_close(&win);
	fatdisk_close(&d, 1);
}

static size_t bytes_to(clus_t c)
{
	return fatdisk_bytes_to(d.type, c);
}

static void put(clus_t c, uint32_t value)
{
	fatdisk_put(&d, 0, c, value);
}

static uint32_t get(clus_t c)
{
	uint32_t value = 0;

	ck_assert_int_eq(fatwin_get(&win, c, &value, &err), ST_OK);
	return value;
}

START_TEST(literal_entries)
{
	static const uint8_t b[] = { 0x12, 0x34, 0x56, 0xF8 };

	ck_assert_uint_eq(fatent_load(FAT12, b, 0), 0x412);
	ck_assert_uint_eq(fatent_load(FAT12, b + 1, 1), 0x563);
	ck_assert_uint_eq(fatent_load(FAT16, b, 0), 0x3412);
	ck_assert_uint_eq(fatent_load(FAT16, b + 2, 1), 0xF856);
	ck_assert_uint_eq(fatent_load(FAT32, b, 0), 0x08563412);
	ck_assert_uint_eq(fatent_offset(FAT12, 0), 0);
	ck_assert_uint_eq(fatent_offset(FAT12, 1), 1);
	ck_assert_uint_eq(fatent_offset(FAT12, 2), 3);
	ck_assert_uint_eq(fatent_offset(FAT12, 341), 511);
	ck_assert_uint_eq(fatent_offset(FAT16, 0x80000000), 0x100000000);
	ck_assert_uint_eq(fatent_offset(FAT32, 0x80000000), 0x200000000);
}
END_TEST

/* Each value beside each neighbour's half. */
START_TEST(stores_12)
{
	for (uint32_t v = 0; v < 0x1000; v++)
		for (unsigned half = 0; half < 16; half++) {
			uint8_t even[3] = { 0, (uint8_t)(half << 4), 0x77 };
			uint8_t odd[3] = { (uint8_t)half, 0x99, 0x77 };

			fatent_store(FAT12, even, 2, v);
			ck_assert_uint_eq(even[0], v & 0xFF);
			ck_assert_uint_eq(even[1], v >> 8 | half << 4);
			fatent_store(FAT12, odd, 3, v);
			ck_assert_uint_eq(odd[0], (v & 15) << 4 | half);
			ck_assert_uint_eq(odd[1], v >> 4);
			ck_assert(even[2] == 0x77 && odd[2] == 0x77);
			ck_assert_uint_eq(fatent_load(FAT12, even, 2), v);
			ck_assert_uint_eq(fatent_load(FAT12, odd, 3), v);
		}
}
END_TEST

/* format.md 7. */
START_TEST(stores_16_and_32)
{
	uint8_t b[] = { 0, 0, 0, 0xA0, 0x77 };

	fatent_store(FAT32, b, 5, 0x0FFFFFFF);
	ck_assert_mem_eq(b, "\xFF\xFF\xFF\xAF\x77", 5);
	fatent_store(FAT32, b, 5, 0x51234567); /* the upper 5 is not a value */
	ck_assert_mem_eq(b, "\x67\x45\x23\xA1\x77", 5);
	fatent_store(FAT32, b, 5, 0);
	ck_assert_mem_eq(b, "\0\0\0\xA0\x77", 5);
	ck_assert_uint_eq(fatent_load(FAT32, b, 5), FATENT_FREE);
	fatent_store(FAT16, b, 5, 0xFFF8);
	ck_assert_mem_eq(b, "\xF8\xFF\0\xA0\x77", 5);
}
END_TEST

/* format.md 8, 11. */
START_TEST(values)
{
	static const uint32_t top[] = { 0, 0xF000, 0x0FFFF000 };
	static const uint32_t clean[] = { 0, 0x8000, 0x08000000 };
	static const uint32_t good[] = { 0, 0x4000, 0x04000000 };
	enum fat_type t = types[_i];

	for (uint32_t v = 0xF00; v <= 0xFFF; v++) {
		ck_assert_int_eq(fatent_is_eoc(t, top[_i] | v), v >= 0xFF8);
		ck_assert_int_eq(fatent_is_reserved(t, top[_i] | v),
				 v >= 0xFF0 && v <= 0xFF6);
	}
	ck_assert(!fatent_is_eoc(t, 2) && !fatent_is_reserved(t, 2));
	ck_assert_uint_eq(fatent_eoc(t), top[_i] | 0xFFF);
	ck_assert_uint_eq(fatent_mask(t), top[_i] | 0xFFF);
	ck_assert_uint_eq(fatent_bad(t), top[_i] | 0xFF7);
	ck_assert_uint_eq(fatent_clean_bit(t), clean[_i]);
	ck_assert_uint_eq(fatent_noerror_bit(t), good[_i]);
	ck_assert_uint_eq(fatent_bytes(t), t == FAT32 ? 4 : 2);
}
END_TEST

/* Whatever the last entry: all are right, and each byte is read once. */
START_TEST(windows_12)
{
	static const clus_t last[] = { 2,   3,	 339, 340,  341,  342,	343,
				       681, 682, 683, 1364, 1365, 4084, 4085 };

	for (size_t i = 0; i < N(last); i++) {
		open_volume(FAT12, last[i], 1);
		for (clus_t c = 0; c <= last[i]; c++)
			put(c, (c * 37 + 5) & 0xFFF);
		for (clus_t c = 0; c <= last[i]; c++)
			ck_assert_uint_eq(get(c), (c * 37 + 5) & 0xFFF);
		for (clus_t c = last[i] + 1; c--;)
			ck_assert_uint_eq(get(c), (c * 37 + 5) & 0xFFF);
		ck_assert_uint_eq(d.ledger.bytes_read, bytes_to(last[i]));
		ck_assert_uint_eq(d.disk->done[OP_READ], 1);
		close_volume();
	}
}
END_TEST

START_TEST(straddling)
{
	open_volume(FAT12, 700, 1);
	memcpy(d.disk->image + FATDISK_AT + 511, "\xB7\xCD", 2);
	memcpy(d.disk->image + FATDISK_AT + 1023, "\x34\xE2", 2);
	ck_assert_uint_eq(get(341), 0xCDB);
	ck_assert_uint_eq(get(682), 0x234);
	close_volume();
}
END_TEST

static uint32_t mixed(clus_t c)
{
	return (c * 2654435761u) >> (d.type == FAT16 ? 16 : 4);
}

static void fill(clus_t last)
{
	for (clus_t c = 0; c <= last; c++)
		put(c, mixed(c) | (d.type == FAT32 ? c << 28 : 0));
}

/* Calls stay few, no byte is read twice; any window size reads right. */
START_TEST(sequential)
{
	static const struct {
		size_t window, calls; /* at most, of FAT32 */
	} all[] = { { 1, 24 }, { 65536, 24 }, { 262144, 12 }, { 1 << 20, 10 } };
	const clus_t last = _i == 2 ? 300000 : 65000;

	for (size_t i = 0; i < N(all); i++) {
		open_volume(types[_i], last, all[i].window);
		fill(last);
		for (clus_t c = 0; c <= last; c++)
			ck_assert_uint_eq(get(c), mixed(c));
		ck_assert_uint_eq(d.ledger.bytes_read, bytes_to(last));
		ck_assert_uint_le(d.disk->done[OP_READ], all[i].calls);
		close_volume();
	}
}
END_TEST

START_TEST(odd_windows)
{
	static const size_t window[] = { 65537, 65538, 65539, 70001, 100000 };
	const clus_t last = _i == 2 ? 100000 : 65000;

	for (size_t i = 0; i < N(window); i++) {
		open_volume(types[_i], last, window[i]);
		fill(last);
		for (clus_t c = 0; c <= last; c++)
			ck_assert_uint_eq(get(c), mixed(c));
		/* a block of 4,096 may be read again after each call */
		ck_assert_uint_le(d.ledger.bytes_read,
				  bytes_to(last) + d.disk->done[OP_READ] * 4096);
		close_volume();
	}
}
END_TEST

/* A hop costs one small read, a step back does not cost a window. */
START_TEST(hops)
{
	const clus_t last = _i == 2 ? 262143 : 65523;
	const size_t blocks = (last + 1) * (types[_i] / 8u) / 4096 + 1;

	open_volume(types[_i], last, 1 << 20);
	fill(last);
	for (clus_t i = 0; i < 200; i++) {
		ck_assert_uint_eq(get(i), mixed(i));
		ck_assert_uint_eq(get(last - i), mixed(last - i));
	}
	ck_assert_uint_eq(d.disk->done[OP_READ], 400);
	ck_assert_uint_le(d.ledger.bytes_read, 400 * 4096);
	d.ledger.bytes_read = 0;
	d.disk->done[OP_READ] = 0;
	for (clus_t c = last + 1; c--;)
		ck_assert_uint_eq(get(c), mixed(c));
	ck_assert_uint_le(d.disk->done[OP_READ], blocks + 1);
	ck_assert_uint_le(d.ledger.bytes_read, (blocks + 1) * 4096);
	/* The window grew, then shrinks at the first hop. */
	for (clus_t c = 0; c <= last / 2; c++)
		get(c);
	d.ledger.bytes_read = 0;
	get(last / 4 * 3 + 40000 % (last / 4));
	ck_assert_uint_le(d.ledger.bytes_read, 4096);
	close_volume();
}
END_TEST

START_TEST(window_errors)
{
	uint32_t value;

	open_volume(types[_i], 3000, 65536);
	fill(3000);
	ck_assert_int_eq(fatwin_get(&win, 3001, &value, &err), ST_IO);
	ck_assert_int_eq(fatwin_get(&win, UINT32_MAX, &value, &err), ST_IO);
	ck_assert_uint_eq(d.disk->done[OP_READ], 0);
	if (d.type != FAT12) /* of which all would be there */
		get(3000);
	d.disk->fail_at = d.disk->done[OP_READ] + 1;
	ck_assert_int_eq(fatwin_get(&win, 5, &value, &err), ST_IO);
	/* neither what failed nor what was there before is taken for it */
	ck_assert_uint_eq(get(5), mixed(5) & fatent_mask(d.type));
	close_volume();
}
END_TEST

START_TEST(second_copy)
{
	open_volume(FAT16, 1023, 65536);
	d.vol.bpb.fat_bytes = 512; /* copies of 256 entries, four of them */
	d.vol.bpb.last_clus = 255;
	fatwin_close(&win);
	fill(1023);
	for (unsigned copy = 0; copy < 4; copy++) {
		ck_assert_int_eq(fatwin_open(&win, &d.vol, copy, &err), ST_OK);
		ck_assert_uint_eq(get(0), mixed(256 * copy));
		ck_assert_uint_eq(get(255), mixed(256 * copy + 255));
		fatwin_close(&win);
	}
	close_volume();
}
END_TEST

START_TEST(fsinfo)
{
	static const uint16_t signature[] = { 0, 3, 484, 487, 508, 511 };
	uint8_t s[512] = { 'R', 'R', 'a', 'A' };
	struct fsinfo fi;

	memcpy(s + 484, "rrAa\x04\x03\x02\x01\xFF\xFF\xFF\xFF", 12);
	s[510] = 0x55;
	s[511] = 0xAA;
	fsinfo_decode(s, &fi);
	ck_assert(fi.valid);
	ck_assert_uint_eq(fi.free, 0x01020304);
	ck_assert_uint_eq(fi.next, FSINFO_UNKNOWN);
	for (size_t i = 0; i < N(signature); i++) {
		s[signature[i]] ^= 1;
		fsinfo_decode(s, &fi);
		ck_assert(!fi.valid);
		s[signature[i]] ^= 1;
	}
	fsinfo_decode(s, &fi);
	ck_assert(fi.valid);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fat");
	TCase *tc = tcase_create("fat");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, literal_entries);
	tcase_add_test(tc, stores_12);
	tcase_add_test(tc, stores_16_and_32);
	tcase_add_loop_test(tc, values, 0, 3);
	tcase_add_test(tc, windows_12);
	tcase_add_test(tc, straddling);
	tcase_add_loop_test(tc, sequential, 1, 3);
	tcase_add_loop_test(tc, odd_windows, 1, 3);
	tcase_add_loop_test(tc, hops, 1, 3);
	tcase_add_loop_test(tc, window_errors, 0, 3);
	tcase_add_test(tc, second_copy);
	tcase_add_test(tc, fsinfo);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
