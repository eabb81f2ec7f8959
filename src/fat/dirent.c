/*
 * dirent.c - the fields of a 32-byte directory entry
 *
 * Invariant: a setter changes its own field and nothing else; on FAT12/16
 * the two bytes at offset 20 belong to OS/2 (format.md 43).
 * Source of the layout: fatgen103 "FAT Directory Structure".
 */
#include "fat/dirent.h"

#include <string.h>

#include "base/bytes.h"

#define AT_NTRES	 12
#define AT_CREATE_TENTHS 13
#define AT_CREATE_TIME	 14
#define AT_CREATE_DATE	 16
#define AT_ACCESS_DATE	 18
#define AT_WRITE_TIME	 22
#define AT_WRITE_DATE	 24

#define UNIX_1980 INT64_C(315532800)  /* 1980-01-01 00:00:00 */
#define UNIX_2108 INT64_C(4354819200) /* 2108-01-01 00:00:00 */

clus_t dirent_clus(enum fat_type type, const uint8_t *slot)
{
	clus_t c = get_le16(slot + DIRENT_AT_CLUS_LOW);

	if (type == FAT32)
		c |= (clus_t)get_le16(slot + DIRENT_AT_CLUS_HIGH) << 16;
	return c & 0x0FFFFFFF;
}

void dirent_set_clus(enum fat_type type, uint8_t *slot, clus_t c)
{
	put_le16(slot + DIRENT_AT_CLUS_LOW, (uint16_t)c);
	if (type == FAT32)
		put_le16(slot + DIRENT_AT_CLUS_HIGH, (uint16_t)(c >> 16));
}

uint32_t dirent_size(const uint8_t *slot)
{
	return get_le32(slot + DIRENT_AT_SIZE);
}

void dirent_set_size(uint8_t *slot, uint32_t size)
{
	put_le32(slot + DIRENT_AT_SIZE, size);
}

bool dirent_is_dot(const uint8_t *slot)
{
	return memcmp(slot, ".          ", DIRENT_NAME_BYTES) == 0 ||
	       memcmp(slot, "..         ", DIRENT_NAME_BYTES) == 0;
}

struct dos_time dos_time_from_unix(int64_t seconds, int nanoseconds)
{
	struct dos_time t;
	struct tm tm;
	time_t when;

	if (seconds < UNIX_1980) {
		seconds = UNIX_1980;
		nanoseconds = 0;
	} else if (seconds >= UNIX_2108) {
		seconds = UNIX_2108 - 1;
		nanoseconds = 999999999;
	}
	when = (time_t)seconds;
	/* Can't fail: the year is 1980 to 2107. */
	gmtime_r(&when, &tm);
	t.date = (uint16_t)((tm.tm_year - 80) << 9 | (tm.tm_mon + 1) << 5 |
			    tm.tm_mday);
	t.time = (uint16_t)(tm.tm_hour << 11 | tm.tm_min << 5 |
			    tm.tm_sec / 2);
	t.tenths = (uint8_t)(tm.tm_sec % 2 * 100 + nanoseconds / 10000000);
	return t;
}

void dirent_init(uint8_t *slot, const uint8_t name[DIRENT_NAME_BYTES],
		 uint8_t attr, uint8_t ntres, struct dos_time t)
{
	memset(slot, 0, DIRENT_BYTES);
	memcpy(slot, name, DIRENT_NAME_BYTES);
	slot[DIRENT_AT_ATTR] = attr;
	slot[AT_NTRES] = ntres;
	slot[AT_CREATE_TENTHS] = t.tenths;
	put_le16(slot + AT_CREATE_TIME, t.time);
	put_le16(slot + AT_CREATE_DATE, t.date);
	put_le16(slot + AT_ACCESS_DATE, t.date);
	put_le16(slot + AT_WRITE_TIME, t.time);
	put_le16(slot + AT_WRITE_DATE, t.date);
}

void dirent_touch(uint8_t *slot, struct dos_time t)
{
	slot[DIRENT_AT_ATTR] |= ATTR_ARCHIVE;
	put_le16(slot + AT_ACCESS_DATE, t.date);
	put_le16(slot + AT_WRITE_TIME, t.time);
	put_le16(slot + AT_WRITE_DATE, t.date);
}
