/*
 * dirlook.c - tells the clusters of a directory from others by what is in them
 *
 * A directory has no size, so a chain may lead out of it, or end too early,
 * and still end properly. Invariant: a cluster is read up to its end mark, and
 * at most 65,536 slots in all.
 */
#include "check/dirlook.h"

#include "base/ckd.h"
#include "fat/dir.h"

#define PIECE_BYTES 512u

bool dirlook_is_hopeless(const uint8_t *slot)
{
	unsigned i;

	if (slot[DIRENT_AT_ATTR] & ATTR_UNKNOWN)
		return true;
	if (dirent_is_lfn(slot))
		return false;
	for (i = 0; i < DIRENT_NAME_BYTES; i++)
		if (slot[i] < 0x20 && (i || slot[i] != DIRENT_KANJI_E5))
			return true;
	return false;
}

/* By either dot entry: where "." leads to does not matter here. */
static bool is_first(const uint8_t *slots)
{
	const uint8_t *second = slots + DIRENT_BYTES;

	return dirent_is_dot(slots) ||
	       (dirent_is_dot(second) && second[1] == '.');
}

/* The slots of a piece, up to the end mark. */
static void count(const uint8_t *slots, struct dirlook *d, uint32_t *hopeless)
{
	unsigned i;

	for (i = 0; i < PIECE_BYTES; i += DIRENT_BYTES) {
		d->ended = slots[i] == DIRENT_END;
		if (d->ended)
			return;
		if (slots[i] == DIRENT_DELETED)
			continue;
		if (dirlook_is_hopeless(slots + i))
			++*hopeless;
		else
			d->entries++;
	}
}

enum status dirlook_cluster(struct check *ck, clus_t c, struct dirlook *d,
			    struct error *err)
{
	uint32_t all = ck->bpb->cluster_bytes, done, hopeless = 0;
	uint64_t at = bpb_clus_offset(ck->bpb, c), before = d->entries;
	uint8_t slots[PIECE_BYTES];
	enum status st;

	if (d->ended || d->wrong || !check_in_image(ck, at, all))
		return ST_OK;
	for (done = 0; done < all && !d->ended; done += PIECE_BYTES) {
		st = blk_read(ck->vol->blk, at + done, slots, PIECE_BYTES,
			      err);
		if (st)
			return st;
		/* Here another directory begins. */
		if (!done && d->clusters && is_first(slots)) {
			d->wrong = true;
			return ST_OK;
		}
		count(slots, d, &hopeless);
	}
	d->clusters++;
	if (d->clusters >= DIR_SLOTS_MAX / (all / DIRENT_BYTES))
		d->ended = true;
	if (hopeless > d->entries - before) {
		d->wrong = true;
		d->entries = before;
	}
	return ST_OK;
}
