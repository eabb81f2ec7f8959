/* fsinfo.c - decoding FAT32's FSInfo sector (fatgen103, "FSInfo") */
#include "fat/fsinfo.h"

#include "base/bytes.h"

void fsinfo_decode(const uint8_t *sector, struct fsinfo *out)
{
	out->valid = get_le32(sector) == 0x41615252 &&
		     get_le32(sector + 484) == 0x61417272 &&
		     get_le32(sector + 508) == 0xAA550000;
	out->free = get_le32(sector + FSINFO_FREE_OFFSET);
	out->next = get_le32(sector + FSINFO_NEXT_OFFSET);
}
