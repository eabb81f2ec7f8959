/*
 * unit_commit.c - what the only writer writes, in which order, and when not
 *
 * Two devices begin alike; `want` gets by hand what the edits of `d` say.
 */
#include "change/commit.h"
#include "fatdisk.h"

#define N(array)  (sizeof(array) / sizeof((array)[0]))
#define DATA_SEC  16u
#define EOC16	  0xFFFFu

static struct fatdisk d, want;
static struct edits e;
static struct commit_options opt;
static struct commit_result result;
static struct error err;
static size_t data; /* where the sectors behind the FATs begin */

static void one_disk(struct fatdisk *disk, enum fat_type type, unsigned copies,
		     unsigned fat_sec, size_t window)
{
	const size_t fat = fat_sec * 512u;
	const clus_t last = (clus_t)(fat * 8 / type) - 1;

	fatdisk_open(disk, type, copies, last,
		     fat - fatdisk_bytes_to(type, last), window);
	recorder_free(disk->disk);
	data = 512 + copies * fat;
	uint8_t *image = calloc(1, data + DATA_SEC * 512);
	for (size_t i = 0; i < 512 + DATA_SEC * 512; i++)
		image[i < 512 ? i : data + i - 512] = (uint8_t)(i % 255 + 1);
	disk->disk = recorder_new(image, data + DATA_SEC * 512, 512);
	free(image);
	disk->vol.blk = &disk->disk->blk;
	disk->vol.bpb.data_offset_bytes = data;
}

static void open_disks(enum fat_type type, unsigned copies, unsigned fat_sec,
		       size_t window)
{
	one_disk(&d, type, copies, fat_sec, window);
	one_disk(&want, type, copies, fat_sec, window);
	d.disk->blk.ledger = &d.ledger;
	e = (struct edits){ 0 };
	opt = (struct commit_options){ .verify = true };
}

static void close_disks(void)
{
	edits_free(&e);
	fatdisk_close(&want, 1);
	fatdisk_close(&d, 1);
}

/* On both devices; copy 99 = in all of them. */
static void was(unsigned copy, clus_t c, uint32_t value)
{
	for (unsigned i = 0; i < d.vol.bpb.fat_copies; i++)
		if (copy == 99 || copy == i) {
			fatdisk_put(&d, i, c, value);
			fatdisk_put(&want, i, c, value);
		}
}

static void becomes(clus_t c, uint32_t value)
{
	for (unsigned i = 0; i < d.vol.bpb.fat_copies; i++)
		fatdisk_put(&want, i, c, value);
}

static void add_link(enum phase phase, clus_t c, uint32_t old, uint32_t value)
{
	ck_assert_int_eq(edits_add_link(&e, phase, c, old, value, &err),
			 ST_OK);
}

static void add_chain(clus_t first, clus_t count)
{
	struct run run = { first, count };
	struct runs runs = { .v = &run, .n = 1 };

	ck_assert_int_eq(edits_add_chain(&e, d.type, &runs, 0, &err), ST_OK);
}

static void chain_becomes(clus_t first, clus_t count, uint32_t end)
{
	for (clus_t i = 0; i < count; i++)
		becomes(first + i, i + 1 < count ? first + i + 1 : end);
}

static void add_free(clus_t first, clus_t count)
{
	ck_assert_int_eq(edits_add_free(&e, &d.vol.bpb,
					(struct run){ first, count }, &err),
			 ST_OK);
}

/* Expects what is there. */
static void add_bytes(enum phase phase, enum region region, size_t at,
		      const char *value)
{
	const uint32_t len = (uint32_t)strlen(value);

	ck_assert_int_eq(edits_add_bytes(&e, phase, region, at,
					 d.disk->image + at, value, len, &err),
			 ST_OK);
	memcpy(want.disk->image + at, value, len);
}

static enum status apply(void)
{
	err = (struct error){ 0 };
	memset(&result, 0xA5, sizeof(result));
	return commit_apply(&d.vol, &e, &opt, &result, &err);
}

static void applies(void)
{
	enum status st = apply();

	ck_assert_msg(st == ST_OK, "%s", err.text);
	ck_assert(result.wrote && result.verified == opt.verify);
	ck_assert_mem_eq(d.disk->image, want.disk->image,
			 d.disk->blk.size_bytes);
}

/* Not a write, not a barrier. */
static void untouched(enum status st)
{
	ck_assert_int_eq(apply(), st);
	ck_assert(!result.wrote && !result.verified);
	ck_assert_uint_eq(d.disk->log.n, 0);
}

/* Writes by their regions' first letters (Info, Data = Z); barriers as |. */
static const char *written(void)
{
	static char text[400];
	size_t i;

	for (i = 0; i < d.disk->log.n && i + 1 < sizeof(text); i++)
		text[i] = d.disk->log.v[i].kind == OP_SYNC
				  ? '|'
				  : "BIFDZ"[d.disk->log.v[i].region];
	text[i] = 0;
	return text;
}

/*
 * All there is: 4-6 behind 3, 7 freed, a slot, a data sector, a copy of what
 * gets another slot later, counts, mark.
 */
static void job(void)
{
	open_disks(FAT16, 2, 4, 65536);
	was(99, 1, 0xFFFF);
	was(99, 3, EOC16);
	was(99, 7, EOC16);
	add_bytes(PHASE_FSINFO, REGION_FSINFO, 488, "free");
	add_free(7, 1);
	add_bytes(PHASE_ENTRIES, REGION_DIR, data + 32, "entry");
	add_link(PHASE_LINKS, 3, EOC16, 4);
	add_chain(4, 3);
	ck_assert_int_eq(edits_add_zero(&e, REGION_DATA, data + 1024, 512,
					&err), ST_OK);
	memset(want.disk->image + data + 1024, 0, 512);
	for (size_t at = 0; at < 1024; at += 512)
		ck_assert_int_eq(edits_add_copy(&e, data + at,
						data + 2048 + at, 512, &err),
				 ST_OK);
	memcpy(want.disk->image + data + 2048, d.disk->image + data, 1024);
	add_link(PHASE_CLEAN, 1, 0x7FFF, 0xFFFF);
	add_link(PHASE_MARK, 1, 0xFFFF, 0x7FFF);
	becomes(3, 4);
	chain_becomes(4, 3, EOC16);
	becomes(7, 0);
}

START_TEST(order)
{
	job();
	applies();
	ck_assert_str_eq(written(), "FF|ZZFF|FF|D|FF|I|FF|");
	ck_assert_uint_eq(d.ledger.syncs, 7);
	ck_assert_uint_eq(d.ledger.fat_sectors_changed, 1);
	ck_assert_uint_eq(d.ledger.fat_copies, 2);
	ck_assert_uint_eq(d.ledger.writes[REGION_FAT], 10);
	ck_assert_uint_eq(d.ledger.bytes_written[REGION_FAT], 10 * 512);
	ck_assert_uint_eq(d.ledger.bytes_written[REGION_DIR], 512);
	ck_assert_uint_eq(d.ledger.bytes_written[REGION_FSINFO], 512);
	ck_assert_uint_eq(d.ledger.data_bytes_zeroed, 512);
	ck_assert_uint_eq(d.ledger.data_bytes_moved, 1024);
	ck_assert_uint_eq(d.ledger.writes[REGION_BOOT], 0);
	close_disks();
}
END_TEST

/* A phase that writes nothing has no barrier. */
START_TEST(few_phases)
{
	open_disks(FAT16, 3, 4, 65536);
	was(99, 9, 10);
	was(99, 10, EOC16);
	add_free(10, 1);
	add_bytes(PHASE_CLEAN, REGION_BOOT, 37, "c");
	add_link(PHASE_LINKS, 9, 10, EOC16);
	becomes(9, EOC16);
	becomes(10, 0);
	opt.verify = false;
	applies();
	ck_assert_str_eq(written(), "FFF|FFF|B|");
	close_disks();
}
END_TEST

/* The links of one cluster: each expects what the one before it leaves. */
START_TEST(steps)
{
	open_disks(FAT16, 1, 4, 65536);
	was(99, 9, EOC16);
	add_link(PHASE_JOINS, 9, 12, 13);
	add_link(PHASE_STEPS, 9, EOC16, 11);
	add_link(PHASE_LINKS, 9, 11, 12);
	becomes(9, 13);
	applies();
	ck_assert_str_eq(written(), "F|F|F|");
	close_disks();
	open_disks(FAT16, 1, 4, 65536);
	was(99, 9, EOC16);
	add_link(PHASE_STEPS, 9, EOC16, 11);
	add_link(PHASE_LINKS, 9, 10, 12); /* never 10 */
	untouched(ST_REFUSED);
	close_disks();
}
END_TEST

START_TEST(empty)
{
	open_disks(FAT16, 2, 4, 65536);
	ck_assert(edits_empty(&e));
	untouched(ST_OK);
	ck_assert_uint_eq(d.disk->done[OP_READ], 0);
	close_disks();
}
END_TEST

/* One value that is not what an edit expects, in one of the copies. */
START_TEST(refused)
{
	static const struct {
		clus_t c;
		uint32_t value;
	} all[] = { { 1, 0x7FFF }, { 3, 0xFFF8 }, { 3, 0 },
		    { 4, 1 },	   { 6, 0xFFF7 }, { 7, 0 } };

	for (size_t i = 0; i < 2 * N(all); i++) {
		unsigned copy = i % 2;
		clus_t c = all[i / 2].c;

		job();
		fatdisk_put(&d, copy, c, all[i / 2].value);
		untouched(ST_REFUSED);
		ck_assert_ptr_nonnull(strstr(err.text, "changed"));
		ck_assert(err.has_offset);
		ck_assert_uint_eq(err.offset_bytes,
				  512 + copy * 4 * 512 + 2 * c);
		close_disks();
	}
	job();
	d.disk->image[data + 36] ^= 1; /* the last byte of the entry's 5 */
	untouched(ST_REFUSED);
	ck_assert_uint_eq(err.offset_bytes, data + 32);
	close_disks();
	job();
	d.disk->image[488] ^= 1;
	untouched(ST_REFUSED);
	close_disks();
}
END_TEST

static size_t lie_at;

/* What was written there did not last. */
static void lie(struct blk *b)
{
	ck_assert_ptr_eq(b, &d.disk->blk);
	d.disk->image[lie_at] ^= 0x10;
}

START_TEST(lies)
{
	static const size_t at[] = {
		514, 2562, /* FAT[1] of either copy */
		518, 2566, /* the tail */
		521, 2572, 2574, /* the chain, what is freed */
		488, 491, /* FSInfo */
		4608 + 32, 4608 + 1024, 4608 + 1535, /* the slot, the data */
		4608 + 2048, 4608 + 3071, /* the copy */
	};
	struct blk_ops ops;

	for (size_t i = 0; i < N(at); i++) {
		job();
		ops = *d.disk->blk.ops;
		ops.drop_cache = lie;
		d.disk->blk.ops = &ops;
		lie_at = at[i];
		ck_assert_msg(apply() == ST_IO, "%zu", i);
		ck_assert(result.wrote && !result.verified);
		ck_assert_ptr_nonnull(strstr(err.text, "read back"));
		ck_assert(err.has_offset);
		close_disks();
	}
	job(); /* nobody looks */
	opt.verify = false;
	applies();
	close_disks();
	job(); /* a preview needs no contents */
	opt.no_copies = true;
	memcpy(want.disk->image + data + 2048, d.disk->image + data + 2048,
	       1024);
	applies();
	ck_assert_uint_eq(d.ledger.data_bytes_moved, 0);
	close_disks();
}
END_TEST

static unsigned asked, cancel_at;

static bool cancelled(void *arg)
{
	ck_assert_ptr_eq(arg, &asked);
	ck_assert_uint_eq(d.disk->done[OP_WRITE], 0);
	return ++asked == cancel_at;
}

static bool cancelled_later(void *arg)
{
	(void)arg;
	return d.disk->done[OP_WRITE] > 0;
}

/* At each question: either nothing is done or all of it. */
START_TEST(cancels)
{
	unsigned questions;

	job();
	opt.cancelled = cancelled;
	opt.arg = &asked;
	asked = cancel_at = 0;
	applies();
	questions = asked;
	ck_assert_uint_ge(questions, 2);
	close_disks();
	for (cancel_at = 1; cancel_at <= questions; cancel_at++) {
		job();
		opt.cancelled = cancelled;
		opt.arg = &asked;
		asked = 0;
		untouched(ST_CANCELLED);
		close_disks();
	}
	job();
	opt.cancelled = cancelled_later;
	applies();
	close_disks();
}
END_TEST

/* Nothing is written behind a failure. */
START_TEST(fails)
{
	static const enum op_kind kind[] = { OP_READ, OP_WRITE, OP_SYNC };
	size_t calls[OP_KINDS], i, k;

	job();
	applies();
	memcpy(calls, d.disk->done, sizeof(calls));
	close_disks();
	for (k = 0; k < N(kind); k++)
		for (i = 1; i <= calls[kind[k]]; i++) {
			job();
			d.disk->fail_kind = kind[k];
			d.disk->fail_at = i;
			ck_assert_int_eq(apply(), ST_IO);
			ck_assert_uint_eq(d.disk->after_failure, 0);
			ck_assert(!result.verified);
			if (kind[k] != OP_READ)
				ck_assert(result.wrote);
			if (!result.wrote)
				ck_assert_uint_eq(d.disk->log.n, 0);
			close_disks();
		}
}
END_TEST

/* Law 3: each sector once in each copy; writes of a whole window. */
START_TEST(coalesces)
{
	static const size_t window[] = { 65536, 70001, 131072 };
	static const size_t writes[] = { 2, 2, 1 }; /* of 256 sectors */
	const clus_t last = 65525;

	for (size_t i = 0; i < N(window); i++) {
		open_disks(FAT16, 2, 256, window[i]);
		add_chain(2, last - 1);
		chain_becomes(2, last - 1, EOC16);
		applies();
		ck_assert_uint_eq(d.ledger.writes[REGION_FAT], 2 * writes[i]);
		ck_assert_uint_eq(d.ledger.bytes_written[REGION_FAT],
				  2 * 256 * 512);
		ck_assert_uint_eq(d.ledger.fat_sectors_changed, 256);
		ck_assert_uint_eq(d.ledger.syncs, 1);
		/* once to check, once to change, once to verify */
		ck_assert_uint_le(d.ledger.bytes_read, 3 * 2 * 256 * 512);
		close_disks();
	}
}
END_TEST

/* One cluster in every second sector: none in between is written. */
START_TEST(leaves_gaps)
{
	open_disks(FAT16, 2, 64, 65536);
	for (clus_t c = 16128 - 255; c > 256; c -= 512) {
		add_chain(c, 1);
		becomes(c, EOC16);
	}
	applies();
	ck_assert_uint_eq(d.ledger.fat_sectors_changed, 31);
	ck_assert_uint_eq(d.ledger.writes[REGION_FAT], 62);
	ck_assert_uint_eq(d.ledger.bytes_written[REGION_FAT], 62 * 512);
	close_disks();
}
END_TEST

/* format.md 7: other bits in each copy, all of them kept. */
START_TEST(upper_bits)
{
	open_disks(FAT32, 2, 8, 65536);
	was(0, 3, 0xAFFFFFF8);
	was(1, 3, 0x5FFFFFF8);
	was(0, 4, 0xF0000000);
	was(1, 5, 0x70000000);
	was(0, 130, 0xC0000083);
	was(1, 130, 0x30000083);
	add_link(PHASE_LINKS, 3, 0x0FFFFFF8, 4);
	add_chain(4, 2);
	add_free(130, 1);
	fatdisk_put(&want, 0, 3, 0xA0000004);
	fatdisk_put(&want, 1, 3, 0x50000004);
	fatdisk_put(&want, 0, 4, 0xF0000005);
	fatdisk_put(&want, 1, 4, 0x00000005);
	fatdisk_put(&want, 0, 5, 0x0FFFFFFF);
	fatdisk_put(&want, 1, 5, 0x7FFFFFFF);
	fatdisk_put(&want, 0, 130, 0xC0000000);
	fatdisk_put(&want, 1, 130, 0x30000000);
	applies();
	close_disks();
}
END_TEST

/* format.md 16. */
START_TEST(mirroring_off)
{
	open_disks(FAT32, 3, 8, 65536);
	d.vol.bpb.mirrored = false;
	d.vol.bpb.active_fat = 1;
	was(0, 4, 77); /* no matter */
	add_chain(4, 2);
	fatdisk_put(&want, 1, 4, 5);
	fatdisk_put(&want, 1, 5, 0x0FFFFFFF);
	applies();
	ck_assert_uint_eq(d.ledger.fat_copies, 1);
	ck_assert_uint_eq(d.ledger.writes[REGION_FAT], 1);
	close_disks();
}
END_TEST

/* format.md 31: over both sector ends of a FAT of three, to its last entry. */
START_TEST(fat12)
{
	open_disks(FAT12, 2, 3, 65536);
	was(99, 338, 0xABC);
	was(99, 345, 0xDEF);
	was(99, 681, 0x123);
	was(99, 683, 0x321);
	was(99, 1022, 0x456);
	add_chain(339, 6); /* 341 lies in sectors 0 and 1 */
	add_chain(682, 1); /* in sectors 1 and 2 */
	add_chain(1023, 1); /* the FAT's last 12 bits */
	chain_becomes(339, 6, 0xFFF);
	becomes(682, 0xFFF);
	becomes(1023, 0xFFF);
	applies();
	ck_assert_uint_eq(d.ledger.writes[REGION_FAT], 2);
	ck_assert_uint_eq(d.ledger.fat_sectors_changed, 3);
	close_disks();
}
END_TEST

/* Edits in sectors that adjoin are one write; others and other phases not. */
START_TEST(byte_edits)
{
	open_disks(FAT16, 1, 4, 65536);
	add_bytes(PHASE_ENTRIES, REGION_DIR, data + 500, "0123456789abcdef");
	add_bytes(PHASE_ENTRIES, REGION_DIR, data, "first");
	add_bytes(PHASE_ENTRIES, REGION_DIR, data + 64, "second");
	add_bytes(PHASE_ENTRIES, REGION_DIR, data + 5 * 512, "far");
	add_bytes(PHASE_LINKS, REGION_DIR, data + 128, "earlier");
	applies();
	ck_assert_str_eq(written(), "D|DD|");
	ck_assert_uint_eq(d.disk->log.v[0].len, 512);
	ck_assert_uint_eq(d.disk->log.v[2].at, data);
	ck_assert_uint_eq(d.disk->log.v[2].len, 1024);
	ck_assert_uint_eq(d.disk->log.v[3].at, data + 5 * 512);
	ck_assert_uint_eq(d.ledger.bytes_written[REGION_DIR], 4 * 512);
	close_disks();
	/* Whatever is there; regions are counted apart. */
	open_disks(FAT16, 1, 4, 65536);
	ck_assert_int_eq(edits_add_bytes(&e, PHASE_FSINFO, REGION_BOOT, 3,
					 NULL, "x", 1, &err), ST_OK);
	want.disk->image[3] = 'x';
	add_bytes(PHASE_FSINFO, REGION_FSINFO, 488, "y");
	applies();
	ck_assert_str_eq(written(), "BI|");
	close_disks();
}
END_TEST

static uint64_t last_done, last_total;

static void progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	ck_assert(done >= last_done && done <= total);
	ck_assert(!last_total || total == last_total);
	last_done = done;
	last_total = total;
}

START_TEST(progresses)
{
	job();
	opt.progress = progress;
	applies();
	ck_assert_uint_gt(last_done, 0);
	close_disks();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("commit");
	TCase *tc = tcase_create("commit");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, order);
	tcase_add_test(tc, few_phases);
	tcase_add_test(tc, steps);
	tcase_add_test(tc, empty);
	tcase_add_test(tc, refused);
	tcase_add_test(tc, lies);
	tcase_add_test(tc, cancels);
	tcase_add_test(tc, fails);
	tcase_add_test(tc, coalesces);
	tcase_add_test(tc, leaves_gaps);
	tcase_add_test(tc, upper_bits);
	tcase_add_test(tc, mirroring_off);
	tcase_add_test(tc, fat12);
	tcase_add_test(tc, byte_edits);
	tcase_add_test(tc, progresses);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
