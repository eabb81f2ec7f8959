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
#include "fat/dir.h"
#include "prealloc/slots_in.h"

static int by_name(const void *a, const void *b)
{
	return memcmp(a, b, DIRENT_NAME_BYTES);
}

enum status slots_add_name(struct slots *s, const uint8_t *name,
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

static void unload(struct slots *s)
{
	struct ledger *lg = s->vol->blk->ledger;

	if (s->image && lg)
		ledger_buffer_sub(lg, s->image_bytes);
	free(s->image);
	s->image = NULL;
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
	return slots_old(s, slot)[0] == DIRENT_DELETED;
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
		if (one_sector && i % slots_per_sector(s) == 0)
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
	memcpy(e->old, slots_old(s, slot), DIRENT_BYTES);
	memcpy(e->new, bytes, DIRENT_BYTES);
	if (slot < s->old_end)
		/* no longer deleted, for the insertions that follow */
		s->image[(size_t)slot * DIRENT_BYTES] = 1;
	return ST_OK;
}

static bool same_sector(const struct slots *s, uint32_t a, uint32_t b)
{
	return a / slots_per_sector(s) == b / slots_per_sector(s);
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
	return st ? st : slots_add_name(s, name->short_name, err);
}

/* What lay behind the old end must not revive (format.md 32). */
enum status slots_finish(struct slots *s, struct error *err)
{
	static const uint8_t zero[DIRENT_BYTES];
	enum status st = ST_OK;

	if (!s->fresh && s->end > s->old_end && s->end < s->capacity &&
	    slots_old(s, s->end)[0] != DIRENT_END)
		st = put_old(s, s->end, phase_of(s, s->end, s->end), zero,
			     err);
	unload(s);
	return st;
}
