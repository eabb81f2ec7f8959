/*
 * slots.c - places new entries in a directory, and describes the writes
 *
 * Which slot is written when (format.md 32, law 4):
 * - in new clusters: with the new chains, nothing refers to them yet;
 * - behind the old end mark, in another sector than it: with the links, the
 *   mark hides them;
 * - in the sector of the old end mark, or over a deleted slot in the sector
 *   of the short entry: with the entries;
 * - over deleted slots in sectors before that (only where there is no other
 *   room): long-name slots, with the links, orphans until the short entry
 *   comes.
 * Invariant: slots [0, capacity) are on the disk, [capacity, ...) are grown.
 */
#include "prealloc/slots.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ckd.h"
#include "fat/dir.h"

/* One entry: its long-name slots and its short one. */
#define SET_MAX (LFN_SLOTS_MAX + 1)

struct slot_edit {
	uint32_t slot;
	enum phase phase;
	uint8_t old[DIRENT_BYTES], new[DIRENT_BYTES];
};

struct slots {
	const struct volume *vol;
	bool fixed;	   /* the root of FAT12/16 */
	bool fresh;
	uint8_t *image;	   /* the old slots; freed by slots_finish() */
	size_t image_bytes;
	uint32_t capacity; /* old slots */
	uint32_t old_end;  /* the old end mark, or capacity */
	uint32_t end;	   /* slots in use so far */
	struct runs runs;  /* of the old clusters; fixed: none */
	uint32_t cursor[SET_MAX + 1]; /* deleted runs of a length, from here */
	struct slot_edit *edits;
	size_t n_edits, cap_edits;
	uint8_t *grown;
	size_t grown_slots, cap_grown;
	void *names; /* tsearch(3) tree of short names */
};

static int by_name(const void *a, const void *b)
{
	return memcmp(a, b, DIRENT_NAME_BYTES);
}

static enum status add_name(struct slots *s, const uint8_t *name,
			    struct error *err)
{
	uint8_t *copy = malloc(DIRENT_NAME_BYTES);
	void **found = NULL;

	if (copy) {
		memcpy(copy, name, DIRENT_NAME_BYTES);
		found = tsearch(copy, &s->names, by_name);
	}
	if (!found) {
		free(copy);
		return error_set_nomem(err);
	}
	if (*found != copy)
		free(copy); /* a duplicate on the disk */
	return ST_OK;
}

bool slots_short_taken(void *slots, const uint8_t name[DIRENT_NAME_BYTES])
{
	struct slots *s = slots;

	return tfind(name, &s->names, by_name);
}

static uint32_t per_sector(const struct slots *s)
{
	return s->vol->bpb.sector_bytes / DIRENT_BYTES;
}

static uint32_t per_cluster(const struct slots *s)
{
	return s->vol->bpb.cluster_bytes / DIRENT_BYTES;
}

static const uint8_t *old_slot(const struct slots *s, uint32_t slot)
{
	return s->image + (size_t)slot * DIRENT_BYTES;
}

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

static enum status collect_run(void *arg, struct run run, struct error *err)
{
	return runs_push(arg, run, err);
}

static enum status read_runs(struct slots *s, struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	size_t i, done = 0;
	uint64_t len;
	enum status st = ST_OK;

	if (s->fixed)
		return blk_read(s->vol->blk, bpb->root_offset_bytes, s->image,
				s->image_bytes, err);
	for (i = 0; !st && i < s->runs.n && done < s->image_bytes; i++) {
		len = (uint64_t)s->runs.v[i].count * bpb->cluster_bytes;
		len = MIN(len, s->image_bytes - done);
		st = blk_read(s->vol->blk,
			      bpb_clus_offset(bpb, s->runs.v[i].first),
			      s->image + done, (size_t)len, err);
		done += (size_t)len;
	}
	return st;
}

static enum status load(struct slots *s, struct error *err)
{
	struct ledger *lg = s->vol->blk->ledger;

	s->image_bytes = (size_t)s->capacity * DIRENT_BYTES;
	s->image = malloc(MAX(s->image_bytes, (size_t)1));
	if (!s->image)
		return error_set_nomem(err);
	if (lg)
		ledger_buffer_add(lg, s->image_bytes);
	return read_runs(s, err);
}

static void unload(struct slots *s)
{
	struct ledger *lg = s->vol->blk->ledger;

	if (s->image && lg)
		ledger_buffer_sub(lg, s->image_bytes);
	free(s->image);
	s->image = NULL;
}

/* Finds the end mark and enters the short names before it. */
static enum status survey(struct slots *s, struct error *err)
{
	const uint8_t *p;
	uint32_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < s->capacity; i++) {
		p = old_slot(s, i);
		if (p[0] == DIRENT_END)
			break;
		if (p[0] != DIRENT_DELETED && !dirent_is_lfn(p) &&
		    !dirent_is_label(p))
			st = add_name(s, p, err);
	}
	s->old_end = s->end = i;
	return st;
}

static enum status find_runs(struct slots *s, struct fatwin *win, clus_t clus,
			     struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	uint64_t limit = DIR_SLOTS_MAX / per_cluster(s);
	struct chain chain;
	enum status st;

	if (!clus && bpb->type != FAT32) {
		s->fixed = true;
		s->capacity = bpb->root_entries;
		return ST_OK;
	}
	st = chain_walk(win, clus ? clus : bpb->root_clus, limit, collect_run,
			&s->runs, &chain, err);
	s->capacity = chain.clusters * per_cluster(s);
	return st;
}

enum status slots_open(struct slots **out, const struct volume *vol,
		       struct fatwin *win, clus_t clus, struct error *err)
{
	struct slots *s = calloc(1, sizeof(*s));
	enum status st;

	if (!s)
		return error_set_nomem(err);
	s->vol = vol;
	st = find_runs(s, win, clus, err);
	if (!st)
		st = load(s, err);
	if (!st)
		st = survey(s, err);
	if (st) {
		slots_close(s);
		return st;
	}
	*out = s;
	return ST_OK;
}

static enum status grow(struct slots *s, size_t slots, struct error *err)
{
	size_t need = s->grown_slots + slots;
	enum status st;

	st = array_reserve(&s->grown, &s->cap_grown, need, DIRENT_BYTES, err);
	if (st)
		return st;
	memset(s->grown + s->grown_slots * DIRENT_BYTES, 0,
	       slots * DIRENT_BYTES);
	s->grown_slots = need;
	s->end += (uint32_t)slots;
	return ST_OK;
}

enum status slots_open_new(struct slots **out, const struct volume *vol,
			   struct dos_time now, struct error *err)
{
	struct slots *s = calloc(1, sizeof(*s));
	enum status st;

	if (!s)
		return error_set_nomem(err);
	s->vol = vol;
	s->fresh = true;
	st = grow(s, 2, err);
	if (st) {
		slots_close(s);
		return st;
	}
	dirent_init(slots_dot(s, 0), (const uint8_t *)".          ", ATTR_DIR,
		    0, now);
	dirent_init(slots_dot(s, 1), (const uint8_t *)"..         ", ATTR_DIR,
		    0, now);
	*out = s;
	return ST_OK;
}

void slots_close(struct slots *s)
{
	if (!s)
		return;
	unload(s);
	runs_free(&s->runs);
	free(s->edits);
	free(s->grown);
	tdestroy(s->names, free);
	free(s);
}

uint8_t *slots_dot(struct slots *s, unsigned index)
{
	return s->grown + (size_t)index * DIRENT_BYTES;
}

uint8_t *slots_at(struct slots *s, struct slot_ref ref)
{
	if (ref.grown)
		return s->grown + ref.index * DIRENT_BYTES;
	return s->edits[ref.index].new;
}

static bool is_deleted(const struct slots *s, uint32_t slot)
{
	return old_slot(s, slot)[0] == DIRENT_DELETED;
}

/*
 * n deleted slots in a row before the end; those in one sector from the
 * cursor of that length on.
 */
static bool find_deleted(struct slots *s, uint32_t n, bool one_sector,
			 uint32_t *first)
{
	uint32_t i = one_sector ? s->cursor[n] : 0, found = 0;

	for (; i < s->old_end; i++) {
		if (one_sector && i % per_sector(s) == 0)
			found = 0;
		found = is_deleted(s, i) ? found + 1 : 0;
		if (found == n) {
			*first = i + 1 - n;
			if (one_sector)
				s->cursor[n] = *first + n;
			return true;
		}
	}
	if (one_sector)
		s->cursor[n] = s->old_end;
	return false;
}

static enum status put_old(struct slots *s, uint32_t slot, enum phase phase,
			   const uint8_t *bytes, struct error *err)
{
	struct slot_edit *e;
	enum status st;

	st = array_reserve(&s->edits, &s->cap_edits, s->n_edits + 1,
			   sizeof(*s->edits), err);
	if (st)
		return st;
	e = &s->edits[s->n_edits++];
	e->slot = slot;
	e->phase = phase;
	memcpy(e->old, old_slot(s, slot), DIRENT_BYTES);
	memcpy(e->new, bytes, DIRENT_BYTES);
	if (slot < s->old_end)
		/* no longer deleted, for the insertions that follow */
		s->image[(size_t)slot * DIRENT_BYTES] = 1;
	return ST_OK;
}

static bool same_sector(const struct slots *s, uint32_t a, uint32_t b)
{
	return a / per_sector(s) == b / per_sector(s);
}

/* Over deleted slots, or behind the end mark while there are old slots. */
static enum phase phase_of(const struct slots *s, uint32_t slot,
			   uint32_t short_slot)
{
	uint32_t visible = slot < s->old_end ? short_slot : s->old_end;

	return same_sector(s, slot, visible) ? PHASE_ENTRIES : PHASE_LINKS;
}

static enum status put_set(struct slots *s, uint32_t first,
			   const uint8_t set[][DIRENT_BYTES], uint32_t n,
			   struct slot_ref *ref, struct error *err)
{
	uint32_t i, slot;
	enum status st = ST_OK;

	for (i = 0; !st && i < n; i++) {
		slot = first + i;
		ref->grown = slot >= s->capacity;
		if (ref->grown) {
			ref->index = s->grown_slots;
			st = grow(s, 1, err);
			if (!st)
				memcpy(slots_at(s, *ref), set[i],
				       DIRENT_BYTES);
			continue;
		}
		ref->index = s->n_edits;
		st = put_old(s, slot, phase_of(s, slot, first + n - 1),
			     set[i], err);
		if (slot >= s->old_end)
			s->end++;
	}
	return st;
}

static enum status full(const struct slots *s, struct error *err)
{
	if (s->fixed)
		return error_set(err, ST_REFUSED,
				 "the root directory is full; on %s it "
				 "cannot grow beyond its %u entries",
				 bpb_type_name(s->vol->bpb.type), s->capacity);
	return error_set(err, ST_REFUSED,
			 "the directory is full; FAT directories end at "
			 "%d entries", DIR_SLOTS_MAX);
}

enum status slots_insert(struct slots *s, const struct new_name *name,
			 const uint8_t entry[DIRENT_BYTES],
			 struct slot_ref *ref, struct error *err)
{
	uint8_t set[SET_MAX][DIRENT_BYTES];
	uint32_t n = name->lfn_slots + 1, first;
	uint32_t most = s->fixed ? s->capacity : DIR_SLOTS_MAX;
	enum status st;

	memcpy(set, name->slots, (size_t)name->lfn_slots * DIRENT_BYTES);
	memcpy(set[name->lfn_slots], entry, DIRENT_BYTES);
	if (!find_deleted(s, n, true, &first)) {
		if (most - s->end >= n)
			first = s->end;
		else if (!find_deleted(s, n, false, &first))
			return full(s, err);
	}
	st = put_set(s, first, set, n, ref, err);
	return st ? st : add_name(s, name->short_name, err);
}

/* What lay behind the old end must not revive (format.md 32). */
enum status slots_finish(struct slots *s, struct error *err)
{
	static const uint8_t zero[DIRENT_BYTES];
	enum status st = ST_OK;

	if (!s->fresh && s->end > s->old_end && s->end < s->capacity &&
	    old_slot(s, s->end)[0] != DIRENT_END)
		st = put_old(s, s->end, phase_of(s, s->end, s->end), zero,
			     err);
	unload(s);
	return st;
}

clus_t slots_clusters(const struct slots *s)
{
	return (clus_t)div_round_up(s->grown_slots, per_cluster(s));
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
