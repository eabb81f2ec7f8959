/*
 * rescue.c - new entries in the root directory, in slots that are free
 *
 * Invariants: a slot is taken once, in the order of the disk; what stands
 * behind the end mark is never brought back to life.
 */
#include "check/rescue.h"

#include <stdio.h>
#include <string.h>

#include "base/ckd.h"

#define GROW_MIN 16 /* clusters */

/* Of FSCK0000 to F1234567; false for any other name. */
static bool number_of(const uint8_t *name, uint64_t *number)
{
	unsigned i = 0;

	while (i < 4 && name[i] == (uint8_t)"FSCK"[i])
		i++;
	*number = 0;
	if (!i)
		return false;
	for (; i < 8; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
		*number = *number * 10 + name[i] - '0';
	}
	return true;
}

static void put_name(uint8_t name[DIRENT_NAME_BYTES], uint64_t number,
		     bool is_dir)
{
	char text[24];
	unsigned letters = 4;
	uint64_t n;

	for (n = 10000; number >= n && letters > 1; n *= 10)
		letters--;
	snprintf(text, sizeof(text), "%.*s%0*llu%s", (int)letters, "FSCK",
		 (int)(8 - letters), (unsigned long long)number,
		 is_dir ? "DIR" : "REC");
	memcpy(name, text, DIRENT_NAME_BYTES);
}

bool rescue_is_around(const struct walk *w, const struct dir_entry *e)
{
	const char *name = w->depth > 1 ? w->path + 1 : e->name;
	size_t len = w->depth > 1 ? w->frames[1].path_len - 1 : strlen(name);
	uint64_t number;

	return len == 12 && number_of((const uint8_t *)name, &number) &&
	       !memcmp(name + 8, ".DIR", 4);
}

static struct dirpos root_start(const struct check *ck, clus_t clusters)
{
	return (struct dirpos){ .clus = ck->bpb->root_clus,
				.clusters = clusters };
}

static enum status count_root(struct check *ck, clus_t *clusters,
			      clus_t *last, struct error *err)
{
	struct chain chain = { 0 };
	enum status st = ST_OK;

	if (ck->bpb->type == FAT32)
		st = chain_walk(&ck->win, ck->bpb->root_clus,
				ck->bpb->clusters, NULL, NULL, &chain, err);
	*clusters = chain.clusters;
	*last = chain.last;
	return st;
}

/* By their long names, too: FSCK0000.REC may be one. */
static void take_name(struct rescue *r, const struct dir_entry *e)
{
	uint64_t number;
	uint8_t name[8];
	unsigned i;

	if (number_of(e->raw, &number) && number < RESCUE_NAMES)
		bitmap_set(r->names, number);
	if (!e->has_long || strlen(e->name) < 8)
		return;
	for (i = 0; i < 8; i++) {
		name[i] = (uint8_t)e->name[i];
		if (name[i] >= 'a' && name[i] <= 'z')
			name[i] = (uint8_t)(name[i] - 'a' + 'A');
	}
	if (number_of(name, &number) && number < RESCUE_NAMES)
		bitmap_set(r->names, number);
}

static enum status read_names(struct rescue *r, struct error *err)
{
	struct dirpos pos = r->pos;
	struct dir_entry e;
	enum status st;
	bool more;

	do {
		st = dirread_next(&r->reader, &pos, &e, &more, err);
		if (!st && more)
			take_name(r, &e);
	} while (!st && more);
	return st;
}

enum status rescue_open(struct rescue *r, struct check *ck, struct error *err)
{
	clus_t clusters, last;
	enum status st;

	*r = (struct rescue){ .ck = ck };
	r->names = bitmap_new(RESCUE_NAMES);
	if (!r->names)
		return error_set_nomem(err);
	st = count_root(ck, &clusters, &last, err);
	if (st)
		return st;
	r->pos = root_start(ck, clusters);
	st = dirread_open(&r->reader, ck, err);
	return st ? st : read_names(r, err);
}

void rescue_close(struct rescue *r)
{
	dirread_close(&r->reader);
	bitmap_free(r->names);
	r->names = NULL;
}

enum status rescue_has_room(struct rescue *r, bool *room, struct error *err)
{
	struct dirpos before;
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	*room = false;
	while (!r->full) {
		before = r->pos;
		st = dirread_slot(&r->reader, &r->pos, &slot, &offset, err);
		if (st)
			return st;
		r->full = !slot;
		if (!slot)
			break;
		if (slot[0] == DIRENT_END && !r->at_end) {
			r->at_end = true;
			r->end = offset;
		}
		if (!r->at_end && slot[0] != DIRENT_DELETED)
			continue;
		r->pos = before;
		*room = true;
		break;
	}
	return ST_OK;
}

enum status rescue_add(struct rescue *r, uint8_t attr, clus_t first,
		       uint32_t size_bytes, struct error *err)
{
	uint8_t entry[DIRENT_BYTES], name[DIRENT_NAME_BYTES];
	uint32_t sector = r->ck->bpb->sector_bytes;
	struct check *ck = r->ck;
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	st = dirread_slot(&r->reader, &r->pos, &slot, &offset, err);
	if (st)
		return st;
	r->number = bitmap_next_clear(r->names, r->number);
	put_name(name, r->number++, attr & ATTR_DIR);
	dirent_init(entry, name, attr, 0,
		    dos_time_from_unix(ck->rep->opt->now, 0));
	dirent_set_clus(ck->bpb->type, entry, first);
	dirent_set_size(entry, size_bytes);
	if (r->at_end && offset / sector != r->end / sector)
		return repair_slot(ck, offset, slot, entry, true, err);
	return repair_bytes(ck, REGION_DIR, offset, slot, entry, DIRENT_BYTES,
			    err);
}

enum status rescue_finish(struct rescue *r, struct error *err)
{
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	if (!r->at_end || r->full)
		return ST_OK;
	st = dirread_slot(&r->reader, &r->pos, &slot, &offset, err);
	return st || !slot ? st : repair_end_mark(r->ck, offset, slot, err);
}

/* The first free clusters, at most want. */
static enum status find_free(struct check *ck, struct runs *runs, clus_t want,
			     struct error *err)
{
	enum status st = ST_OK;
	uint32_t value;
	clus_t c;

	for (c = 2; c <= ck->bpb->last_clus && c <= ck->image_last_clus &&
		    want && !st; c++) {
		st = fatwin_get(&ck->win, c, &value, err);
		if (!st)
			st = check_tick(ck, err);
		if (st || value != FATENT_FREE)
			continue;
		st = runs_push(runs, (struct run){ c, 1 }, err);
		want--;
	}
	return st;
}

static enum status plan_growth(struct check *ck, clus_t last,
			       const struct runs *runs, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	struct edits *e = &ck->rep->edits;
	enum status st;
	uint32_t old;
	size_t i;

	ck->rep->tree_changes = true;
	ck->rep->taken += runs_clusters(runs);
	st = edits_add_chain(e, bpb->type, runs, 0, err);
	for (i = 0; i < runs->n && !st; i++)
		st = edits_add_zero(e, REGION_DIR,
				    bpb_clus_offset(bpb, runs->v[i].first),
				    (uint64_t)runs->v[i].count *
					    bpb->cluster_bytes, err);
	if (!st)
		st = fatwin_get(&ck->win, last, &old, err);
	return st ? st : edits_add_link(e, PHASE_LINKS, last, old,
					runs->v[0].first, err);
}

enum status rescue_grow(struct rescue *r, bool *grows, struct error *err)
{
	struct check *ck = r->ck;
	uint32_t slots = ck->bpb->cluster_bytes / DIRENT_BYTES;
	clus_t clusters, last, want;
	struct runs runs = { 0 };
	enum status st;

	*grows = false;
	if (ck->bpb->type != FAT32)
		return ST_OK;
	st = count_root(ck, &clusters, &last, err);
	if (st || !last || clusters >= DIR_SLOTS_MAX / slots)
		return st;
	want = MIN(MAX(clusters, GROW_MIN), DIR_SLOTS_MAX / slots - clusters);
	st = find_free(ck, &runs, want, err);
	if (!st && runs.n) {
		*grows = true;
		st = plan_growth(ck, last, &runs, err);
	}
	runs_free(&runs);
	return st;
}
