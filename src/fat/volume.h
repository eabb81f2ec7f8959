/* volume.h - an open volume: the device, its geometry, the buffer to use */
#ifndef FAT_VOLUME_H
#define FAT_VOLUME_H

#include "dev/blk.h"
#include "fat/bpb.h"

#define VOLUME_WINDOW_MIN     (64u << 10)
#define VOLUME_WINDOW_DEFAULT (1u << 20)

struct volume {
	struct blk *blk;     /* owned if volume_open() made it */
	struct bpb bpb;
	size_t window_bytes; /* bound of each buffer, at least 64 KiB */
	bool is_part;	     /* behind it others' data may follow in blk */
};

/* What to open. Zero-initialise, then set. */
struct volume_spec {
	const char *path;
	uint64_t offset_bytes;	   /* where the volume starts */
	bool writable;
	size_t window_bytes;	   /* 0 = default */
	struct ledger *ledger;	   /* may be NULL */
};

/*
 * Refuses what is in use, opens, decodes the boot sector. *vol is written in
 * all cases and is to be closed by volume_close(). ST_NOT_FAT says what is
 * there instead. Oddities of the BPB are for the caller to judge.
 */
enum status volume_open(struct volume *vol, const struct volume_spec *spec,
			struct error *err);
enum status volume_close(struct volume *vol, struct error *err);

#endif
