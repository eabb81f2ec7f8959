/*
 * fatent.c - the codec of FAT entries
 *
 * Pure functions on bytes. Invariant: a store changes the value bits of its
 * own entry and nothing else (fatgen103, "FAT Data Structure").
 */
#include "fat/fatent.h"

#include "base/bytes.h"

uint64_t fatent_offset(enum fat_type type, clus_t c)
{
	switch (type) {
	case FAT12:
		return (uint64_t)c + c / 2;
	case FAT16:
		return (uint64_t)c * 2;
	default:
		return (uint64_t)c * 4;
	}
}

unsigned fatent_bytes(enum fat_type type)
{
	return type == FAT32 ? 4 : 2;
}

uint32_t fatent_mask(enum fat_type type)
{
	switch (type) {
	case FAT12:
		return 0xFFF;
	case FAT16:
		return 0xFFFF;
	default:
		return 0x0FFFFFFF;
	}
}

uint32_t fatent_load(enum fat_type type, const uint8_t *p, clus_t c)
{
	switch (type) {
	case FAT12:
		return c & 1 ? get_le16(p) >> 4 : get_le16(p) & 0xFFF;
	case FAT16:
		return get_le16(p);
	default:
		return get_le32(p) & 0x0FFFFFFF;
	}
}

void fatent_store(enum fat_type type, uint8_t *p, clus_t c, uint32_t value)
{
	uint32_t old;

	switch (type) {
	case FAT12:
		old = get_le16(p);
		if (c & 1)
			put_le16(p, (uint16_t)((old & 0x000F) | value << 4));
		else
			put_le16(p, (uint16_t)((old & 0xF000) |
					       (value & 0xFFF)));
		break;
	case FAT16:
		put_le16(p, (uint16_t)value);
		break;
	default:
		old = get_le32(p);
		put_le32(p, (old & 0xF0000000) | (value & 0x0FFFFFFF));
	}
}

uint32_t fatent_eoc(enum fat_type type)
{
	return fatent_mask(type);
}

uint32_t fatent_bad(enum fat_type type)
{
	return fatent_mask(type) - 8;
}

bool fatent_is_eoc(enum fat_type type, uint32_t value)
{
	return value > fatent_bad(type);
}

bool fatent_is_used(enum fat_type type, uint32_t value)
{
	return value != FATENT_FREE && value != fatent_bad(type);
}

bool fatent_is_reserved(enum fat_type type, uint32_t value)
{
	return value < fatent_bad(type) && value >= fatent_bad(type) - 7;
}

uint32_t fatent_clean_bit(enum fat_type type)
{
	switch (type) {
	case FAT12:
		return 0;
	case FAT16:
		return 0x8000;
	default:
		return 0x08000000;
	}
}

uint32_t fatent_noerror_bit(enum fat_type type)
{
	return fatent_clean_bit(type) >> 1;
}
