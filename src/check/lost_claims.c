/*
 * lost_claims.c - do the entries of lost directories claim what others have?
 *
 * A directory that was lost may be long out of date. If it is saved, what its
 * entries lead to has a second owner; -p, which leaves cross-links, must not
 * make one of a file that was sound. Invariants: only what is in used counts;
 * all chains together have a budget in proportion to the clusters, and what is
 * beyond it is taken for claimed.
 */
#include "check/lost_claims.h"

#include "check/dirstart.h"
#include "fat/dir.h"

#define PIECE_BYTES 512u

static enum status look_at_slot(struct check *ck, const uint8_t *slot,
				bool *claims, struct error *err)
{
	clus_t c = dirent_clus(ck->bpb->type, slot);
	struct dirstart start;
	enum status st;

	if (slot[0] == DIRENT_DELETED || dirent_is_lfn(slot) ||
	    dirent_is_label(slot) || dirent_is_dot(slot) ||
	    !bpb_has_clus(ck->bpb, c))
		return ST_OK;
	*claims = bitmap_get(ck->used, c);
	if (*claims || !dirent_is_dir(slot))
		return ST_OK;
	/* Lost ones with a dot entry are looked at by themselves. */
	st = dirstart_read(ck, c, &start, err);
	*claims = !dirstart_is_dir(&start);
	return st;
}

static enum status look_at_cluster(struct check *ck, clus_t c, bool *ended,
				   bool *claims, struct error *err)
{
	uint32_t all = ck->bpb->cluster_bytes, done, i;
	uint64_t at = bpb_clus_offset(ck->bpb, c);
	uint8_t slots[PIECE_BYTES];
	enum status st = ST_OK;

	*ended = !check_in_image(ck, at, all);
	for (done = 0; done < all && !*ended && !st; done += PIECE_BYTES) {
		st = blk_read(ck->vol->blk, at + done, slots, PIECE_BYTES,
			      err);
		for (i = 0; i < PIECE_BYTES && !st && !*claims && !*ended;
		     i += DIRENT_BYTES) {
			*ended = slots[i] == DIRENT_END;
			if (!*ended)
				st = look_at_slot(ck, slots + i, claims, err);
		}
	}
	return st;
}

static enum status look_at_dir(struct check *ck, clus_t first,
			       uint64_t *budget, bool *claims,
			       struct error *err)
{
	uint32_t most = DIR_SLOTS_MAX /
			(ck->bpb->cluster_bytes / DIRENT_BYTES);
	enum status st = ST_OK;
	bool ended = false;
	uint32_t c = first;

	while (most-- && !ended && !*claims && !st &&
	       bpb_has_clus(ck->bpb, c)) {
		*claims = bitmap_get(ck->used, c) || !*budget;
		if (*claims)
			break;
		--*budget;
		st = look_at_cluster(ck, c, &ended, claims, err);
		if (!st)
			st = check_get(ck, c, &c, err);
		if (!st)
			st = check_tick(ck, err);
	}
	return st;
}

enum status lost_claims(struct check *ck, const struct lost_dirs *dirs,
			bool *claims, struct error *err)
{
	uint64_t budget = check_budget(ck, 1), c;
	enum status st = ST_OK;
	struct dirstart start;

	*claims = false;
	for (c = bitmap_next_clear(ck->used, dirs->low);
	     c <= dirs->high && !*claims && !st;
	     c = bitmap_next_clear(ck->used, c + 1)) {
		st = check_tick(ck, err);
		if (st || bitmap_get(dirs->linked, c))
			continue;
		st = dirstart_read_used(ck, (clus_t)c, &start, err);
		if (st || !dirstart_is_dir(&start))
			continue;
		*claims = dirs->links_out;
		if (!*claims)
			st = look_at_dir(ck, (clus_t)c, &budget, claims, err);
	}
	return st;
}
