/* unit_bpb.c - boot sectors: sound ones, odd ones, hostile ones */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "crash/recorder.h"
#include "fat/bpb.h"

#define BIG (UINT64_C(1) << 60) /* bytes of a device that truncates nothing */
#define N(array) (sizeof(array) / sizeof((array)[0]))

/* 1.44 MB: 33 sectors, then 2,847 clusters. */
static const uint8_t floppy[] = {
	0xEB, 0x3C, 0x90, 'M', 'S', 'D', 'O', 'S', '5', '.', '0',
	0x00, 0x02, 1, 1, 0, 2, 224, 0, 0x40, 0x0B, 0xF0, 9, 0, 18, 0, 2, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x29, 0x78, 0x56, 0x34, 0x12,
	'A', ' ', 'L', 'A', 'B', 'E', 'L', ' ', ' ', ' ', ' ',
	'F', 'A', 'T', '1', '2', ' ', ' ', ' ',
};
/* One sector to a cluster, FATs of 65,536 entries, 545 + 5,000 sectors. */
static const uint8_t disk16[] = {
	0xE9, 0x3C, 0x90, 'M', 'S', 'D', 'O', 'S', '5', '.', '0',
	0x00, 0x02, 1, 1, 0, 2, 0x00, 0x02, 0, 0, 0xF8, 0x00, 0x01, 63, 0, 255,
	0, 0, 0, 0, 0, 0xA9, 0x15, 0, 0, 0x80, 0, 0x29, 4, 3, 2, 1,
	'N', 'O', ' ', 'N', 'A', 'M', 'E', ' ', ' ', ' ', ' ',
	'F', 'A', 'T', '1', '6', ' ', ' ', ' ',
};
/* FATs of 131,072 entries, 2,080 + 70,000 sectors. */
static const uint8_t disk32[] = {
	0xEB, 0x58, 0x90, 'm', 'k', 'f', 's', '.', 'f', 'a', 't',
	0x00, 0x02, 1, 32, 0, 2, 0, 0, 0, 0, 0xF8, 0, 0, 63, 0, 255, 0,
	0, 0, 0, 0, 0x90, 0x19, 1, 0, 0x00, 0x04, 0, 0, 0, 0, 0, 0,
	2, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0x80, 0x01, 0x29, 0xEF, 0xBE, 0xAD, 0xDE,
	'N', 'O', ' ', 'N', 'A', 'M', 'E', ' ', ' ', ' ', ' ',
	'F', 'A', 'T', '3', '2', ' ', ' ', ' ',
};

static uint8_t s[512];
static struct bpb b;
static struct error err;

static void start(const uint8_t *bytes, size_t len)
{
	memset(s, 0, sizeof(s));
	memcpy(s, bytes, len);
	s[510] = 0x55;
	s[511] = 0xAA;
}

static void start12(void)
{
	start(floppy, sizeof(floppy));
}

static void start16(void)
{
	start(disk16, sizeof(disk16));
}

static void start32(void)
{
	start(disk32, sizeof(disk32));
}

static void set(unsigned at, unsigned bytes, uint64_t value)
{
	for (; bytes; bytes--, value >>= 8)
		s[at++] = (uint8_t)value;
}

/* Decodes and returns the oddities. */
static unsigned odd(void)
{
	err = (struct error){ 0 };
	ck_assert_msg(bpb_decode(s, BIG, &b, &err) == ST_OK, "%s", err.text);
	return b.oddities;
}

/* What the header promises of whatever is decoded. */
static void is_sound(const struct bpb *v)
{
	uint64_t last = v->last_clus, bytes = v->fat_bytes;
	uint64_t end = v->total_sec * v->sector_bytes;

	ck_assert(v->sector_bytes >= 512 && v->sector_bytes <= 4096);
	ck_assert_uint_eq(v->cluster_bytes,
			  (uint64_t)v->sector_bytes * v->cluster_sec);
	ck_assert(v->clusters >= 1 && v->clusters <= v->clusters_declared);
	ck_assert_uint_eq(last, (uint64_t)v->clusters + 1);
	if (v->type == FAT12) /* 12 bits each, from 0 */
		ck_assert((last + 1) * 3 <= bytes * 2 && last < 0xFF7);
	else if (v->type == FAT16)
		ck_assert((last + 1) * 2 <= bytes && last < 0xFFF7);
	else
		ck_assert((last + 1) * 4 <= bytes && last < 0x0FFFFFF7);
	ck_assert_uint_ge(v->fat_offset_bytes, v->sector_bytes);
	ck_assert_uint_ge(v->root_offset_bytes,
			  v->fat_offset_bytes + v->fat_copies * bytes);
	ck_assert_uint_ge(v->data_offset_bytes,
			  v->root_offset_bytes + v->root_bytes);
	ck_assert_uint_le(bpb_clus_offset(v, v->last_clus) + v->cluster_bytes,
			  end);
	ck_assert_uint_lt(v->active_fat, v->fat_copies);
	ck_assert(!v->fsinfo_sec || v->fsinfo_sec != v->backup_sec);
	ck_assert(v->fsinfo_sec < v->reserved_sec &&
		  v->backup_sec < v->reserved_sec &&
		  v->fsinfo_backup_sec < v->reserved_sec);
}

START_TEST(geometry_12)
{
	start12();
	ck_assert_uint_eq(odd(), 0);
	is_sound(&b);
	ck_assert_int_eq(b.type, FAT12);
	ck_assert_uint_eq(b.sector_bytes, 512);
	ck_assert_uint_eq(b.cluster_bytes, 512);
	ck_assert_uint_eq(b.fat_copies, 2);
	ck_assert_uint_eq(b.total_sec, 2880);
	ck_assert_uint_eq(b.fat_offset_bytes, 512);
	ck_assert_uint_eq(b.fat_bytes, 9 * 512);
	ck_assert_uint_eq(bpb_fat_copy_offset(&b, 1), 10 * 512);
	ck_assert_uint_eq(b.root_offset_bytes, 19 * 512);
	ck_assert_uint_eq(b.root_bytes, 7168);
	ck_assert_uint_eq(b.data_offset_bytes, 33 * 512);
	ck_assert_uint_eq(b.clusters, 2847);
	ck_assert_uint_eq(b.last_clus, 2848);
	ck_assert_uint_eq(bpb_clus_offset(&b, 3), 34 * 512);
	ck_assert(b.mirrored && !b.root_clus && !b.fsinfo_sec &&
		  !b.backup_sec);
	ck_assert_uint_eq(b.state_offset, 0x25);
	ck_assert_uint_eq(b.state, 2);
	ck_assert_uint_eq(b.serial, 0x12345678);
	ck_assert_mem_eq(b.label, "A LABEL    ", 11);
	ck_assert(!bpb_has_clus(&b, 1) && bpb_has_clus(&b, 2) &&
		  bpb_has_clus(&b, 2848) && !bpb_has_clus(&b, 2849));
	ck_assert_uint_eq(bpb_clusters_for(&b, 0), 0);
	ck_assert_uint_eq(bpb_clusters_for(&b, 512), 1);
	ck_assert_uint_eq(bpb_clusters_for(&b, 0xFFFFFFFF), 0x800000);
	/* A third FAT, and a sector that makes no whole cluster. */
	set(13, 1, 2);
	set(16, 1, 3);
	ck_assert_uint_eq(odd(), 0);
	ck_assert_uint_eq(b.data_offset_bytes, 42 * 512);
	ck_assert_uint_eq(b.clusters, 1419);
	set(19, 2, 2881);
	ck_assert_uint_eq(odd(), 0);
	ck_assert_uint_eq(b.clusters, 1419);
}
END_TEST

START_TEST(geometry_32)
{
	start32();
	ck_assert_uint_eq(odd(), 0);
	is_sound(&b);
	ck_assert_int_eq(b.type, FAT32);
	ck_assert_uint_eq(b.fat_offset_bytes, 32 * 512);
	ck_assert_uint_eq(b.fat_bytes, 1024 * 512);
	ck_assert_uint_eq(b.data_offset_bytes, 2080 * 512);
	ck_assert_uint_eq(b.clusters, 70000);
	ck_assert_uint_eq(b.root_clus, 2);
	ck_assert_uint_eq(b.root_entries, 0);
	ck_assert(b.mirrored);
	ck_assert_uint_eq(b.state_offset, 0x41);
	ck_assert_uint_eq(b.state, 1);
	ck_assert_uint_eq(b.serial, 0xDEADBEEF);
}
END_TEST

/* format.md 1-4: FATSz16 says whether it is FAT32, the count does the rest. */
START_TEST(thresholds)
{
	static const struct {
		bool fat32;
		uint32_t n;
		enum fat_type type;
		unsigned odd;
		clus_t clusters;
	} all[] = {
		{ 0, 1, FAT12, 0, 1 },
		{ 0, 4084, FAT12, 0, 4084 },
		{ 0, 4085, FAT16, BPB_THRESHOLD, 4085 },
		{ 0, 4086, FAT16, BPB_THRESHOLD, 4086 },
		{ 0, 4087, FAT16, 0, 4087 },
		{ 0, 65524, FAT16, 0, 65524 },
		{ 0, 65525, FAT16, BPB_THRESHOLD | BPB_FAT16_MANY, 65524 },
		{ 0, 65526, FAT16, BPB_FAT16_MANY, 65524 },
		{ 0, 900000, FAT16, BPB_FAT16_MANY | BPB_FAT_SHORT, 65524 },
		{ 1, 1, FAT32, BPB_FAT32_FEW, 1 },
		{ 1, 4085, FAT32, BPB_FAT32_FEW, 4085 },
		{ 1, 65524, FAT32, BPB_FAT32_FEW, 65524 },
		{ 1, 65525, FAT32, 0, 65525 },
		{ 1, 131070, FAT32, 0, 131070 },
		{ 1, 131071, FAT32, BPB_FAT_SHORT, 131070 },
	};

	for (size_t i = 0; i < N(all); i++) {
		if (all[i].fat32)
			start32();
		else
			start16();
		set(54, 8, 0x2020202020202020); /* the label's type */
		set(32, 4, (all[i].fat32 ? 2080 : 545) + all[i].n);
		ck_assert_msg(odd() == all[i].odd, "%u: %x", all[i].n,
			      b.oddities);
		is_sound(&b);
		ck_assert_int_eq(b.type, all[i].type);
		ck_assert_uint_eq(b.clusters_declared, all[i].n);
		ck_assert_uint_eq(b.clusters, all[i].clusters);
	}
}
END_TEST

/* format.md 5: the FAT's last whole entry is the end. */
START_TEST(short_fat)
{
	start12();
	set(22, 2, 1); /* 512 bytes are 341 entries and 4 bits */
	ck_assert_uint_eq(odd(), BPB_FAT_SHORT);
	ck_assert_uint_eq(b.last_clus, 340);
	is_sound(&b);
	set(22, 2, 2); /* 682 entries and 8 bits */
	odd();
	ck_assert_uint_eq(b.last_clus, 681);
	start16();
	set(22, 2, 1);
	ck_assert_uint_eq(odd(), BPB_FAT_SHORT);
	ck_assert_uint_eq(b.last_clus, 255);
	start32();
	set(36, 4, 1);
	ck_assert_uint_eq(odd(), BPB_FAT_SHORT);
	ck_assert_uint_eq(b.last_clus, 127);
	ck_assert_uint_eq(b.clusters_declared, 70000 + 2 * 1023);
	/* Just long enough, and one entry more. */
	start16();
	set(22, 2, 16);
	set(32, 4, 1 + 32 + 32 + 4094);
	ck_assert_uint_eq(odd(), 0);
	ck_assert_uint_eq(b.last_clus, 4095);
	set(32, 4, 1 + 32 + 32 + 4095);
	ck_assert_uint_eq(odd(), BPB_FAT_SHORT);
	ck_assert_uint_eq(b.last_clus, 4095);
}
END_TEST

START_TEST(totals)
{
	start12();
	set(32, 4, 0xFFFFFFFF); /* junk of an old DOS */
	ck_assert_uint_eq(odd(), BPB_TOTSEC_BOTH);
	ck_assert_uint_eq(b.total_sec, 2880);
	set(32, 4, 2880);
	ck_assert_uint_eq(odd(), 0);
	set(19, 2, 0);
	ck_assert_uint_eq(odd(), 0);
	ck_assert_uint_eq(b.total_sec, 2880);
	/* format.md 30: by the byte. */
	ck_assert_int_eq(bpb_decode(s, 2880 * 512, &b, &err), ST_OK);
	ck_assert_uint_eq(b.oddities, 0);
	ck_assert_int_eq(bpb_decode(s, 2880 * 512 - 1, &b, &err), ST_OK);
	ck_assert_uint_eq(b.oddities, BPB_TRUNCATED);
	/* format.md 29: HiddSec says nothing. */
	set(28, 4, 0xFFFFFFFF);
	ck_assert_uint_eq(odd(), 0);
}
END_TEST

START_TEST(sectors_and_clusters)
{
	/* 7,168 bytes of root in sectors of 512, 1024, 2048, 4096 */
	static const unsigned root[] = { 14, 7, 4, 2 };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned spc = 1; spc <= 128; spc *= 2) {
			const unsigned sector = 512u << i;

			start12();
			set(11, 2, sector);
			set(13, 1, spc);
			odd();
			is_sound(&b);
			ck_assert_uint_eq(b.cluster_bytes, sector * spc);
			ck_assert_uint_eq(b.data_offset_bytes,
					  (19 + root[i]) * sector);
		}
}
END_TEST

/* format.md 21, rounded up. */
START_TEST(unaligned_root)
{
	static const struct {
		unsigned entries, sectors;
		bool odd;
	} all[] = { { 1, 1, true },    { 15, 1, true }, { 16, 1, false },
		    { 17, 2, true },   { 512, 32, false },
		    { 65535, 4096, true } };

	for (size_t i = 0; i < N(all); i++) {
		start16();
		set(17, 2, all[i].entries);
		set(32, 4, 40000);
		ck_assert_uint_eq(odd(), all[i].odd ? BPB_ROOT_UNALIGNED : 0);
		ck_assert_uint_eq(b.root_bytes, all[i].entries * 32);
		ck_assert_uint_eq(b.data_offset_bytes,
				  (513 + all[i].sectors) * 512);
	}
}
END_TEST

/* format.md 14, 15. */
START_TEST(info_places)
{
	static const struct {
		uint32_t reserved, info, backup;
		uint32_t get_info, get_backup, get_info_backup;
		unsigned odd;
	} all[] = {
		{ 32, 1, 6, 1, 6, 7, 0 },
		{ 32, 0, 6, 0, 6, 0, 0 },
		{ 32, 0xFFFF, 6, 0, 6, 0, 0 },
		{ 32, 31, 6, 31, 6, 0, 0 },
		{ 32, 32, 6, 0, 6, 0, BPB_FSINFO_PLACE },
		{ 32, 0xFFFE, 6, 0, 6, 0, BPB_FSINFO_PLACE },
		{ 32, 6, 6, 0, 6, 0, BPB_FSINFO_PLACE },
		{ 32, 1, 0, 1, 0, 0, 0 },
		{ 32, 1, 0xFFFF, 1, 0, 0, 0 },
		{ 32, 1, 30, 1, 30, 31, 0 },
		{ 32, 1, 31, 1, 31, 0, 0 },
		{ 32, 1, 32, 1, 0, 0, BPB_BACKUP_PLACE },
		{ 32, 2, 1, 2, 1, 3, 0 },
		{ 1, 1, 6, 0, 0, 0, BPB_FSINFO_PLACE | BPB_BACKUP_PLACE },
	};

	for (size_t i = 0; i < N(all); i++) {
		start32();
		set(14, 2, all[i].reserved);
		set(48, 2, all[i].info);
		set(50, 2, all[i].backup);
		ck_assert_msg(odd() == all[i].odd, "%zu: %x", i, b.oddities);
		ck_assert_uint_eq(b.fsinfo_sec, all[i].get_info);
		ck_assert_uint_eq(b.backup_sec, all[i].get_backup);
		ck_assert_uint_eq(b.fsinfo_backup_sec, all[i].get_info_backup);
	}
}
END_TEST

/* format.md 16. */
START_TEST(ext_flags)
{
	static const struct {
		uint32_t flags;
		bool mirrored;
		uint32_t active;
		unsigned odd;
	} all[] = {
		{ 0x0000, true, 0, 0 },	 { 0x000F, true, 0, 0 },
		{ 0xFF71, true, 0, 0 },	 { 0x0080, false, 0, 0 },
		{ 0x0081, false, 1, 0 }, { 0xFFF1, false, 1, 0 },
		{ 0x0082, false, 0, BPB_ACTIVE_FAT },
		{ 0x008F, false, 0, BPB_ACTIVE_FAT },
	};

	for (size_t i = 0; i < N(all); i++) {
		start32();
		set(40, 2, all[i].flags);
		ck_assert_msg(odd() == all[i].odd, "%zu: %x", i, b.oddities);
		ck_assert_int_eq(b.mirrored, all[i].mirrored);
		ck_assert_uint_eq(b.active_fat, all[i].active);
	}
	/* Elsewhere these bytes are the serial number. */
	start16();
	set(39, 4, 0xFFFFFFFF);
	ck_assert_uint_eq(odd(), 0);
	ck_assert(b.mirrored && b.active_fat == 0);
}
END_TEST

/* format.md 22. */
START_TEST(root_cluster_and_version)
{
	static const uint32_t bad[] = { 0, 1, 70002, 0x10000002, 0xFFFFFFFF };

	start32();
	set(44, 4, 70001);
	ck_assert_uint_eq(odd(), 0);
	ck_assert_uint_eq(b.root_clus, 70001);
	for (size_t i = 0; i < N(bad); i++) {
		set(44, 4, bad[i]);
		ck_assert_uint_eq(odd(), BPB_ROOT_CLUSTER);
	}
	start32();
	set(42, 2, 0x0100);
	ck_assert_uint_eq(odd(), BPB_VERSION);
}
END_TEST

/* format.md 12: what is not there does not exist. */
START_TEST(ext_signature)
{
	static const uint8_t signature[] = { 0x29, 0x28, 0, 0x27, 0x2A, 0xFF };

	for (size_t i = 0; i < 3 * N(signature); i++) {
		uint8_t sign = signature[i / 3];
		unsigned at = i % 3 == 2 ? 0x42 : 0x26;

		if (at == 0x42)
			start32();
		else if (i % 3)
			start16();
		else
			start12();
		s[at] = sign;
		s[at - 1] = 3;
		ck_assert_uint_eq(odd(), 0);
		ck_assert_int_eq(b.has_ext, sign == 0x29 || sign == 0x28);
		ck_assert_uint_eq(b.state_offset, b.has_ext ? at - 1 : 0);
		ck_assert_uint_eq(b.state, b.has_ext ? 3 : 0);
		ck_assert_int_eq(b.serial != 0, b.has_ext);
		ck_assert_mem_eq(b.label,
				 sign == 0x29 ? s + at + 5
					      : (const uint8_t *)"           ",
				 11);
	}
}
END_TEST

static unsigned with_type(unsigned at, const char *text)
{
	memcpy(s + at, text, 8);
	return odd();
}

/* format.md 1: the label tells nothing but that it lies. */
START_TEST(label_type)
{
	start16();
	ck_assert_uint_eq(with_type(54, "FAT12   "), BPB_LABEL_TYPE);
	ck_assert_int_eq(b.type, FAT16);
	ck_assert_uint_eq(with_type(54, "FAT32   "), BPB_LABEL_TYPE);
	ck_assert_uint_eq(with_type(54, "FAT     "), 0);
	ck_assert_uint_eq(with_type(54, "\0\0\0\0\0\0\0\0"), 0);
	ck_assert_uint_eq(with_type(54, "NTFS    "), 0);
	s[0x26] = 0x28; /* has no label */
	ck_assert_uint_eq(with_type(54, "FAT12   "), 0);
	start12();
	ck_assert_uint_eq(with_type(54, "FAT16   "), BPB_LABEL_TYPE);
	ck_assert_int_eq(b.type, FAT12);
	start32();
	ck_assert_uint_eq(with_type(82, "FAT16   "), BPB_LABEL_TYPE);
	ck_assert_int_eq(b.type, FAT32);
}
END_TEST

/* format.md 25, 26: each may be missing, not all of them. */
START_TEST(marks)
{
	for (unsigned media = 0; media < 256; media++) {
		start12();
		s[21] = (uint8_t)media;
		ck_assert_uint_eq(odd(), media == 0xF0 || media >= 0xF8
						 ? 0
						 : BPB_MEDIA);
		ck_assert_uint_eq(b.media, media);
	}
	for (unsigned missing = 0; missing < 8; missing++) {
		start12();
		if (missing & 1)
			s[0] = 0x60;
		if (missing & 2)
			s[21] = 0;
		if (missing & 4)
			s[511] = 0;
		ck_assert_int_eq(bpb_decode(s, BIG, &b, &err),
				 missing == 7 ? ST_NOT_FAT : ST_OK);
		if (missing == 7)
			continue;
		ck_assert_int_eq(!!(b.oddities & BPB_NO_JUMP), missing & 1);
		ck_assert_int_eq(!!(b.oddities & BPB_NO_SIGNATURE),
				 missing >> 2);
	}
}
END_TEST

START_TEST(refused)
{
	static const struct {
		unsigned at, bytes;
		uint32_t value;
		const char *says;
	} all[] = {
		{ 11, 2, 0, "sector size" },
		{ 11, 2, 128, "not supported" },
		{ 11, 2, 256, "not supported" },
		{ 11, 2, 511, "sector size" },
		{ 11, 2, 513, "sector size" },
		{ 11, 2, 1536, "sector size" },
		{ 11, 2, 8192, "sector size" },
		{ 11, 2, 0xFFFF, "sector size" },
		{ 13, 1, 0, "sectors in a cluster" },
		{ 13, 1, 3, "sectors in a cluster" },
		{ 13, 1, 255, "sectors in a cluster" },
		{ 14, 2, 0, "reserved" },
		{ 14, 2, 0xFFFF, "hold no data" },
		{ 16, 1, 0, "number of FATs" },
		{ 17, 2, 0xFFFF, "hold no data" },
		{ 19, 2, 32, "hold no data" },
		{ 19, 2, 33, "hold no data" }, /* the data would begin here */
		{ 19, 2, 0, "hold no data" },
		{ 22, 2, 0xFFFF, "hold no data" },
		{ 22, 2, 1433, "hold no data" }, /* 2,881 sectors */
		{ 22, 2, 0, "" }, /* FAT32 then, of 0x02000000 sectors */
	};
	struct bpb before;

	memset(&b, 0xA5, sizeof(b));
	memcpy(&before, &b, sizeof(b));
	for (size_t i = 0; i < N(all); i++) {
		start12();
		set(all[i].at, all[i].bytes, all[i].value);
		ck_assert_msg(bpb_decode(s, BIG, &b, &err) == ST_NOT_FAT,
			      "%zu", i);
		ck_assert_int_eq(err.code, ST_NOT_FAT);
		ck_assert_msg(strstr(err.text, all[i].says), "%zu: %s", i,
			      err.text);
		ck_assert_mem_eq(&b, &before, sizeof(b));
	}
	start12(); /* one sector of data, of clusters of two */
	set(13, 1, 2);
	set(19, 2, 34);
	ck_assert_int_eq(bpb_decode(s, BIG, &b, &err), ST_NOT_FAT);
	start32();
	set(36, 4, 0);
	ck_assert_int_eq(bpb_decode(s, BIG, &b, &err), ST_NOT_FAT);
	ck_assert_ptr_nonnull(strstr(err.text, "length of a FAT"));
	ck_assert_int_eq(bpb_decode(s, BIG, &b, NULL), ST_NOT_FAT);
}
END_TEST

/* Every field, alone and with another one, all ones. */
START_TEST(all_ones)
{
	static const uint8_t field[][2] = {
		{ 11, 2 }, { 13, 1 }, { 14, 2 }, { 16, 1 }, { 17, 2 },
		{ 19, 2 }, { 21, 1 }, { 22, 2 }, { 32, 4 }, { 36, 4 },
		{ 40, 2 }, { 42, 2 }, { 44, 4 }, { 48, 2 }, { 50, 2 },
	};
	void (*const begin[])(void) = { start12, start16, start32 };
	size_t i, k;

	for (i = 0; i < N(field); i++)
		for (k = 0; k < N(field); k++) {
			begin[_i]();
			set(field[i][0], field[i][1], UINT64_MAX);
			set(field[k][0], field[k][1], UINT64_MAX);
			if (!bpb_decode(s, 0, &b, &err))
				is_sound(&b);
		}
	memset(s, 0xFF, sizeof(s));
	ck_assert_int_eq(bpb_decode(s, UINT64_MAX, &b, &err), ST_NOT_FAT);
}
END_TEST

/* The biggest there can be: no entry above the reserved values. */
START_TEST(biggest)
{
	start32();
	set(32, 4, 0xFFFFFFFF);
	set(13, 1, 8);
	set(36, 4, 0x00500000);
	ck_assert_uint_eq(odd() & BPB_FAT_SHORT, 0);
	is_sound(&b);
	ck_assert_uint_gt(b.clusters_declared, 0x10000000);
	set(11, 2, 4096);
	set(13, 1, 1);
	set(16, 1, 255);
	ck_assert_uint_eq(odd() & BPB_FAT_SHORT, 0);
	is_sound(&b);
	ck_assert_uint_eq(b.data_offset_bytes,
			  (32 + UINT64_C(255) * 0x500000) * 4096);
	set(36, 4, 0xFFFFFFFF);
	ck_assert_int_eq(bpb_decode(s, BIG, &b, &err), ST_NOT_FAT);
}
END_TEST

/* Any bytes behind a plausible sector and cluster size. */
START_TEST(random_bytes)
{
	uint32_t seed = 1;
	unsigned good = 0;

	for (int i = 0; i < 100000; i++) {
		for (unsigned k = 0; k < 96; k++) {
			seed = seed * 1103515245 + 12345;
			s[k] = (uint8_t)(seed >> 16);
		}
		set(11, 2, 512u << (i & 3));
		set(13, 1, 1u << (i >> 2 & 7));
		if (i & 0x20)
			set(19, 2, 0);
		if (i & 0x40)
			set(22, 2, 0);
		if (i & 0x80)
			s[16] = (uint8_t)(seed >> 20 & 3);
		if (bpb_decode(s, BIG, &b, &err))
			continue;
		good++;
		is_sound(&b);
	}
	ck_assert_uint_gt(good, 1000);
}
END_TEST

START_TEST(from_device)
{
	struct recorder *r;

	start12();
	r = recorder_new(s, sizeof(s), 512);
	ck_assert_int_eq(bpb_read(&r->blk, &b, &err), ST_OK);
	ck_assert_uint_eq(b.clusters, 2847);
	ck_assert_uint_eq(b.oddities, BPB_TRUNCATED);
	r->blk.size_bytes = 511;
	ck_assert_int_eq(bpb_read(&r->blk, &b, &err), ST_NOT_FAT);
	r->blk.size_bytes = 0;
	ck_assert_int_eq(bpb_read(&r->blk, &b, &err), ST_NOT_FAT);
	r->blk.size_bytes = 512;
	r->fail_kind = OP_READ;
	r->fail_at = r->done[OP_READ] + 1;
	ck_assert_int_eq(bpb_read(&r->blk, &b, &err), ST_IO);
	recorder_free(r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bpb");
	TCase *tc = tcase_create("bpb");
	SRunner *sr = srunner_create(suite);
	int failed;

	tcase_add_test(tc, geometry_12);
	tcase_add_test(tc, geometry_32);
	tcase_add_test(tc, thresholds);
	tcase_add_test(tc, short_fat);
	tcase_add_test(tc, totals);
	tcase_add_test(tc, sectors_and_clusters);
	tcase_add_test(tc, unaligned_root);
	tcase_add_test(tc, info_places);
	tcase_add_test(tc, ext_flags);
	tcase_add_test(tc, root_cluster_and_version);
	tcase_add_test(tc, ext_signature);
	tcase_add_test(tc, label_type);
	tcase_add_test(tc, marks);
	tcase_add_test(tc, refused);
	tcase_add_loop_test(tc, all_ones, 0, 3);
	tcase_add_test(tc, biggest);
	tcase_add_test(tc, random_bytes);
	tcase_add_test(tc, from_device);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
