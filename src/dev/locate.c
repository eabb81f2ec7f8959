/*
 * locate.c - which bytes of an image are the volume, and what is there if
 * it is none
 *
 * libblkid knows the formats. What is asked here ends up in a refusal only, so
 * nothing in here fails: what can't be read is not recognised.
 */
#define _GNU_SOURCE 1
#define _FILE_OFFSET_BITS 64
#include <blkid/blkid.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/ckd.h"
#include "base/text.h"
#include "dev/locate.h"

#define TABLE_SECTOR_BYTES 512u /* the unit of libblkid's partition lists */
#define PARTITIONS_PROBED  256
#define PARTITIONS_LISTED  4
#define ZEROS_BYTES	   (64u << 10)

enum status locate_split(const char *operand, char **path, uint64_t *offset,
			 bool *has_offset, struct error *err)
{
	const char *at = NULL, *p;
	struct stat sb;

	*offset = 0;
	for (p = operand; (p = strstr(p, "@@")); p++)
		at = p;
	*has_offset = at && stat(operand, &sb);
	if (*has_offset && !text_parse_offset(at + 2, offset))
		return error_set(err, ST_USAGE,
				 "%s: \"%s\" is not an offset: a number "
				 "with K, M, G or S (512-byte sectors)",
				 operand, at + 2);
	*path = *has_offset ? strndup(operand, (size_t)(at - operand))
			    : strdup(operand);
	return *path ? ST_OK : error_set_nomem(err);
}

/* The part of an image that is asked about. */
struct place {
	int fd;
	uint64_t offset, len;
};

struct name {
	const char *type; /* libblkid's */
	const char *words;
};

static const struct name fs_names[] = {
	{"apfs", "an APFS container"},
	{"BitLocker", "a BitLocker volume"},
	{"btrfs", "a Btrfs file system"},
	{"crypto_LUKS", "a LUKS encrypted volume"},
	{"exfat", "an exFAT file system"},
	{"ext2", "an ext2 file system"},
	{"ext3", "an ext3 file system"},
	{"ext4", "an ext4 file system"},
	{"f2fs", "an F2FS file system"},
	{"hfs", "an HFS file system"},
	{"hfsplus", "an HFS+ file system"},
	{"iso9660", "an ISO 9660 file system"},
	{"linux_raid_member", "a member of a Linux RAID"},
	{"LVM2_member", "an LVM physical volume"},
	{"ntfs", "an NTFS file system"},
	{"ReFS", "a ReFS file system"},
	{"squashfs", "a SquashFS file system"},
	{"swap", "Linux swap space"},
	{"udf", "a UDF file system"},
	{"vfat", "what libblkid takes for a FAT file system"},
	{"xfs", "an XFS file system"},
	{NULL, NULL},
};

static const struct name table_names[] = {
	{"dos", "an MBR partition table"},
	{"gpt", "a GPT partition table"},
	{"mac", "an Apple partition table"},
	{"atari", "an Atari partition table"},
	{NULL, NULL},
};

/* Words for a type; "a KIND of type TYPE" where there are none. */
static void say_type(FILE *out, const struct name *names, const char *kind,
		     const char *type)
{
	for (; names->type; names++) {
		if (!strcmp(names->type, type)) {
			fputs(names->words, out);
			return;
		}
	}
	fprintf(out, "a %s of type %s", kind, type);
}

static blkid_probe probe_new(const struct place *at)
{
	blkid_probe pr = blkid_new_probe();

	if (pr && blkid_probe_set_device(pr, at->fd, (blkid_loff_t)at->offset,
					 (blkid_loff_t)at->len)) {
		blkid_free_probe(pr);
		pr = NULL;
	}
	return pr;
}

static bool say_superblock(FILE *out, const struct place *at)
{
	blkid_probe pr = probe_new(at);
	const char *type = NULL;
	int rc = pr ? blkid_do_safeprobe(pr) : -1;

	if (rc == -2)
		fputs("signatures of several file systems", out);
	else if (!rc && !blkid_probe_lookup_value(pr, "TYPE", &type, NULL))
		say_type(out, fs_names, "file system", type);
	blkid_free_probe(pr);
	return rc == -2 || type;
}

static bool is_fat(const struct place *at)
{
	char vfat[] = "vfat";
	char *types[] = {vfat, NULL};
	blkid_probe pr = probe_new(at);
	bool yes;

	yes = pr &&
	      !blkid_probe_filter_superblocks_type(pr, BLKID_FLTR_ONLYIN,
						   types) &&
	      !blkid_do_safeprobe(pr);
	blkid_free_probe(pr);
	return yes;
}

/* Where a partition lies; false if that is not inside the image. */
static bool partition_place(const struct place *disk, blkid_partition part,
			    struct place *out)
{
	blkid_loff_t start = blkid_partition_get_start(part);
	blkid_loff_t size = blkid_partition_get_size(part);
	uint64_t begin, len;

	if (start <= 0 || size <= 0 ||
	    ckd_mul(&begin, start, TABLE_SECTOR_BYTES) || begin >= disk->len ||
	    ckd_mul(&len, size, TABLE_SECTOR_BYTES))
		return false;
	*out = (struct place){.fd = disk->fd,
			      .offset = disk->offset + begin,
			      .len = MIN(len, disk->len - begin)};
	return true;
}

/* One FAT partition of a table. */
struct part {
	int number;
	uint64_t offset;
};

/* The FAT partitions by what is in them: the type in a table may lie. */
static int find_fat_partitions(const struct place *disk, blkid_partlist list,
			       struct part *found, int cap)
{
	int all = MIN(blkid_partlist_numof_partitions(list), PARTITIONS_PROBED);
	struct place at;
	int n = 0;

	for (int i = 0; i < all && n < cap; i++) {
		blkid_partition part = blkid_partlist_get_partition(list, i);

		if (!part || blkid_partition_is_extended(part) ||
		    !partition_place(disk, part, &at) || !is_fat(&at))
			continue;
		found[n].number = blkid_partition_get_partno(part);
		found[n++].offset = at.offset;
	}
	return n;
}

static void say_fat_partitions(FILE *out, const struct part *found, int n)
{
	for (int i = 0; i < n && i < PARTITIONS_LISTED; i++)
		fprintf(out, "%s partition %d (FAT)%s at byte %" PRIu64,
			i ? "," : "; its", found[i].number, i ? "" : " begins",
			found[i].offset);
	if (!n)
		fputs(" without a FAT partition", out);
	if (n > PARTITIONS_LISTED)
		fputs(", and more", out);
}

/* With need_fat a table without FAT partitions is none. */
static bool say_partitions(FILE *out, const struct place *at, bool need_fat)
{
	blkid_probe pr = probe_new(at);
	blkid_partlist list = pr ? blkid_probe_get_partitions(pr) : NULL;
	blkid_parttable table = list ? blkid_partlist_get_table(list) : NULL;
	const char *type = table ? blkid_parttable_get_type(table) : NULL;
	struct part found[PARTITIONS_LISTED + 1];
	int n = type ? find_fat_partitions(at, list, found,
					   PARTITIONS_LISTED + 1)
		     : 0;
	/* A boot sector passes for a table with nothing in it. */
	bool said = n || (type && !need_fat &&
			  blkid_partlist_numof_partitions(list) > 0);

	if (said) {
		say_type(out, table_names, "partition table", type);
		say_fat_partitions(out, found, n);
	}
	blkid_free_probe(pr);
	return said;
}

/*
 * DOS 1.x knew the geometry from the media byte alone: FAT[0] in sector 1,
 * which goes with one size of disk (format.md 27).
 */
static bool is_dos1(const struct place *at)
{
	static const struct {
		uint64_t bytes;
		uint8_t media;
	} disks[] = {
		{160 << 10, 0xFE},
		{180 << 10, 0xFC},
		{320 << 10, 0xFF},
		{360 << 10, 0xFD},
	};
	uint8_t fat[3];

	if (pread(at->fd, fat, sizeof(fat), (off_t)at->offset + 512) !=
	    (ssize_t)sizeof(fat))
		return false;
	for (size_t i = 0; i < sizeof(disks) / sizeof(*disks); i++)
		if (at->len == disks[i].bytes && fat[0] == disks[i].media)
			return fat[1] == 0xFF && fat[2] == 0xFF;
	return false;
}

static bool is_zeros(const struct place *at)
{
	uint8_t buf[4096];
	uint64_t end = MIN(at->len, (uint64_t)ZEROS_BYTES), done = 0;
	ssize_t n;

	while (done < end) {
		n = pread(at->fd, buf, MIN(sizeof(buf), (size_t)(end - done)),
			  (off_t)(at->offset + done));
		if (n <= 0)
			return false;
		for (ssize_t i = 0; i < n; i++)
			if (buf[i])
				return false;
		done += (uint64_t)n;
	}
	return true;
}

/*
 * A boot sector may also pass for an empty MBR, and an ISO image may have a
 * partition table: FAT partitions first, a table without them last.
 */
static void say_place(FILE *out, const struct place *at)
{
	if (is_dos1(at))
		fputs("a DOS 1.x volume without a BPB", out);
	else if (!say_partitions(out, at, true) && !say_superblock(out, at) &&
		 !say_partitions(out, at, false))
		fputs(is_zeros(at) ? "only zeros" : "nothing that is known",
		      out);
}

static void say(FILE *out, const char *path, uint64_t offset)
{
	struct place at = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	blkid_loff_t size = at.fd < 0 ? -1 : blkid_get_dev_size(at.fd);
	struct stat sb;

	if (size < 0 && at.fd >= 0 && !fstat(at.fd, &sb))
		size = sb.st_size;
	if (size < 0) {
		fputs("nothing that can be read", out);
	} else if (!size) {
		fputs("an empty file", out);
	} else if (offset >= (uint64_t)size) {
		fputs("nothing, the image ends before", out);
	} else {
		at.offset = offset;
		at.len = (uint64_t)size - offset;
		say_place(out, &at);
	}
	if (at.fd >= 0)
		close(at.fd);
}

void locate_describe(const char *path, uint64_t offset, char *buf, size_t cap)
{
	FILE *out = fmemopen(buf, cap, "w");

	if (!out) {
		snprintf(buf, cap, "nothing that is known");
		return;
	}
	say(out, path, offset);
	/* Cut off where it does not fit; the last byte stays for a NUL. */
	fclose(out);
	buf[cap - 1] = '\0';
}

uint64_t locate_partition_start(const char *path)
{
	char name[64];
	uint64_t sectors = 0; /* of 512 bytes, whatever the disk has */
	struct stat st;
	FILE *f;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/start",
		 major(st.st_rdev), minor(st.st_rdev));
	f = fopen(name, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu64, &sectors) != 1)
		sectors = 0;
	fclose(f);
	return sectors * 512;
}
