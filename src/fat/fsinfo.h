/* fsinfo.h - FAT32's FSInfo sector */
#ifndef FAT_FSINFO_H
#define FAT_FSINFO_H

#include <stdbool.h>
#include <stdint.h>

#define FSINFO_UNKNOWN	    0xFFFFFFFFu
#define FSINFO_FREE_OFFSET  488
#define FSINFO_NEXT_OFFSET  492
#define FSINFO_BYTES	    512

struct fsinfo {
	bool valid;	 /* all three signatures are there */
	uint32_t free;	 /* FSINFO_UNKNOWN = unknown */
	uint32_t next;	 /* hint where to look for free clusters */
};

/* sector: at least 512 bytes. Source: fatgen103 "FSInfo". */
void fsinfo_decode(const uint8_t *sector, struct fsinfo *out);

#endif
