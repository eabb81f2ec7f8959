/* slots_emit.c - describes the writes that new entries take */
#include "prealloc/slots.h"

#include <string.h>

#include "base/ckd.h"
#include "prealloc/slots_in.h"

/* Place of an old slot in the volume. */
static uint64_t slot_offset(const struct slots *s, uint32_t slot)
{
	const struct bpb *bpb = &s->vol->bpb;
	uint64_t at = (uint64_t)slot * DIRENT_BYTES;

	if (s->fixed)
		return bpb->root_offset_bytes + at;
	return bpb_clus_offset(bpb, runs_at(&s->runs,
					    at / bpb->cluster_bytes)) +
	       at % bpb->cluster_bytes;
}

clus_t slots_clusters(const struct slots *s)
{
	return (clus_t)div_round_up(s->grown_slots, slots_per_cluster(s));
}

/* Whole sectors with slots in them as bytes, what is left as zeros. */
static enum status emit_cluster(const struct slots *s, clus_t clus,
				const uint8_t *bytes, size_t len,
				struct edits *e, struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	uint64_t at = bpb_clus_offset(bpb, clus);
	uint8_t sector[4096];
	size_t done, n;
	enum status st = ST_OK;

	for (done = 0; !st && done < len; done += bpb->sector_bytes) {
		n = MIN(len - done, (size_t)bpb->sector_bytes);
		memset(sector, 0, sizeof(sector));
		memcpy(sector, bytes + done, n);
		st = edits_add_bytes(e, PHASE_CHAINS, REGION_DIR, at + done,
				     NULL, sector, bpb->sector_bytes, err);
	}
	if (st)
		return st;
	return edits_add_zero(e, REGION_DIR, at + done,
			      bpb->cluster_bytes - done, err);
}

static enum status emit_grown(const struct slots *s, const struct runs *grown,
			      struct edits *e, struct error *err)
{
	const size_t cluster = s->vol->bpb.cluster_bytes;
	size_t len = s->grown_slots * DIRENT_BYTES, done, n;
	enum status st = ST_OK;

	for (done = 0; !st && done < len; done += n) {
		n = MIN(len - done, cluster);
		st = emit_cluster(s, runs_at(grown, done / cluster),
				  s->grown + done, n, e, err);
	}
	return st;
}

enum status slots_emit(const struct slots *s, const struct runs *grown,
		       struct edits *e, struct error *err)
{
	const struct slot_edit *x;
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < s->n_edits; i++) {
		x = &s->edits[i];
		st = edits_add_bytes(e, x->phase, REGION_DIR,
				     slot_offset(s, x->slot), x->old, x->new,
				     DIRENT_BYTES, err);
	}
	return st ? st : emit_grown(s, grown, e, err);
}
