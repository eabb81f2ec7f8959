/*
 * rescue.c - new entries in a directory, in slots that are free
 *
 * Invariants: a slot is taken once, in the order of the disk; what stands
 * behind the end mark is never brought back to life.
 */
#include "check/rescue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool rescue_is_ours(const uint8_t *name)
{
	uint64_t number;

	return number_of(name, &number);
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

static enum status count_slots(struct rescue *r, struct error *err)
{
	struct dirpos pos = r->pos;
	const uint8_t *slot;
	bool at_end = false;
	uint64_t offset;
	enum status st;

	for (;;) {
		st = dirread_slot(&r->reader, &pos, &slot, &offset, err);
		if (st || !slot)
			return st;
		at_end |= slot[0] == DIRENT_END;
		if (at_end || slot[0] == DIRENT_DELETED)
			r->slots++;
	}
}

/* path, which may be NULL, is taken over. */
static enum status open_at(struct rescue *r, struct check *ck, clus_t first,
			   char *path, struct error *err)
{
	struct chain chain = { 0 };
	enum status st = ST_OK;

	*r = (struct rescue){ .ck = ck, .first = first, .path = path };
	r->names = bitmap_new(RESCUE_NAMES);
	if (!r->names || !path)
		return error_set_nomem(err);
	if (first)
		st = chain_walk(&ck->win, first, ck->bpb->clusters, NULL,
				NULL, &chain, err);
	if (st)
		return st;
	r->clusters = chain.clusters;
	r->last = chain.last;
	r->pos = (struct dirpos){ .clus = first, .clusters = r->clusters };
	st = dirread_open(&r->reader, ck, err);
	if (!st)
		st = read_names(r, err);
	return st ? st : count_slots(r, err);
}

enum status rescue_open_root(struct rescue *r, struct check *ck,
			     struct error *err)
{
	return open_at(r, ck, ck->bpb->root_clus, strdup(""), err);
}

enum status rescue_open(struct rescue *r, struct check *ck,
			const struct dir_entry *e, struct error *err)
{
	char *path = malloc(strlen(e->name) + 2);

	if (path) {
		path[0] = '/';
		strcpy(path + 1, e->name);
	}
	return open_at(r, ck, e->clus, path, err);
}

void rescue_close(struct rescue *r)
{
	dirread_close(&r->reader);
	bitmap_free(r->names);
	r->names = NULL;
	free(r->path);
	r->path = NULL;
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
	r->slots--;
	r->number = bitmap_next_clear(r->names, r->number);
	put_name(name, r->number++, attr & ATTR_DIR);
	dirent_init(entry, name, attr, 0, ck->rep->opt->now);
	dirent_set_clus(ck->bpb->type, entry, first);
	dirent_set_size(entry, size_bytes);
	if (r->at_end && offset / sector != r->end / sector)
		return repair_slot(ck, offset, slot, entry, true, err);
	return repair_bytes(ck, REGION_DIR, offset, slot, entry, DIRENT_BYTES,
			    err);
}

char *rescue_path(struct rescue *r, uint8_t attr)
{
	size_t len = strlen(r->path);
	uint8_t name[DIRENT_NAME_BYTES];
	char *path = malloc(len + 14);

	if (!path)
		return NULL;
	r->number = bitmap_next_clear(r->names, r->number);
	put_name(name, r->number, attr & ATTR_DIR);
	snprintf(path, len + 14, "%s/%.8s.%.3s", r->path, (char *)name,
		 (char *)name + 8);
	return path;
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
