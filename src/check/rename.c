/*
 * rename.c - gives entries legal short names that nobody has
 *
 * A new name is like the old one: illegal bytes become upper case or "_",
 * and if that is taken, "~" and a number end it. Invariants: the number only
 * grows within a directory, so each name that it has is met once, however
 * many need a new one; a long name keeps its entry, by the new checksum.
 */
#include "check/check_dir.h"

#include <stdio.h>
#include <string.h>

#define BASE_BYTES 8
#define AT_CHECKSUM 13

struct renamer {
	struct dirscan *d;
	unsigned tail; /* the last that was tried */
};

/* The first n bytes of name, and something legal after them. */
static bool starts_legal(const uint8_t *name, unsigned n)
{
	uint8_t part[DIRENT_NAME_BYTES];

	memset(part, 'A', sizeof(part));
	memcpy(part, name, n);
	return short_is_legal(part);
}

void name_mend(uint8_t out[DIRENT_NAME_BYTES],
	       const uint8_t name[DIRENT_NAME_BYTES])
{
	unsigned i;

	memcpy(out, name, DIRENT_NAME_BYTES);
	for (i = 0; i < DIRENT_NAME_BYTES; i++) {
		if (starts_legal(out, i + 1))
			continue;
		if (out[i] >= 'a' && out[i] <= 'z')
			out[i] = (uint8_t)(out[i] - 'a' + 'A');
		else
			out[i] = '_';
	}
}

/* May e have the short name? */
static enum status is_free(struct renamer *r, const struct dir_entry *e,
			   const uint8_t name[DIRENT_NAME_BYTES], bool *yes,
			   struct error *err)
{
	struct dirscan *d = r->d;
	char utf8[SHORT_UTF8_MAX];
	enum status st = ST_OK;
	bool have = false;

	*yes = false;
	if (nameset_has(&d->names, NAME_SHORT, name, DIRENT_NAME_BYTES))
		return ST_OK;
	short_to_utf8(d->ck->cp, name, 0, utf8);
	if (!e->has_long || !name_same(utf8, e->name))
		st = names_have_long(&d->names, utf8, &have, err);
	*yes = !have;
	return st;
}

/* Bytes of the base that are whole characters, at most max. */
static unsigned whole_chars(const uint8_t *base, unsigned max)
{
	unsigned len = BASE_BYTES, at = 0, n;

	while (len > 0 && base[len - 1] == ' ')
		len--;
	for (;; at += n) {
		n = base[at] >= 0x81 && base[at] <= 0xFE &&
		    at + 1 < len && base[at + 1] >= 0x40 ? 2 : 1;
		if (at + n > len || at + n > max)
			return at;
	}
}

static void put_tail(uint8_t out[DIRENT_NAME_BYTES],
		     const uint8_t name[DIRENT_NAME_BYTES], unsigned number)
{
	char tail[BASE_BYTES + 1];
	unsigned len, keep;

	len = (unsigned)snprintf(tail, sizeof(tail), "~%u",
				 number % 10000000);
	keep = whole_chars(name, BASE_BYTES - len);
	memcpy(out, name, DIRENT_NAME_BYTES);
	memset(out, ' ', BASE_BYTES);
	memcpy(out, name, keep);
	memcpy(out + keep, tail, len);
}

static enum status choose(struct renamer *r, const struct dir_entry *e,
			  uint8_t out[DIRENT_NAME_BYTES], struct error *err)
{
	uint8_t mended[DIRENT_NAME_BYTES];
	enum status st;
	bool free;

	name_mend(mended, e->raw);
	memcpy(out, mended, DIRENT_NAME_BYTES);
	st = is_free(r, e, out, &free, err);
	/* Ends: there are more numbers than names in a directory. */
	while (!st && !free) {
		put_tail(out, mended, ++r->tail);
		st = is_free(r, e, out, &free, err);
	}
	return st;
}

/* The long name goes with the new short one. */
static enum status move_long(struct check *ck, const struct dirread_set *set,
			     const uint8_t *old, const uint8_t *new,
			     struct error *err)
{
	uint8_t from = lfn_checksum(old), to = lfn_checksum(new);
	enum status st = ST_OK;
	unsigned i;

	for (i = 0; i < set->n && !st && from != to; i++)
		st = repair_bytes(ck, REGION_DIR, set->offset[i] + AT_CHECKSUM,
				  &from, &to, 1, err);
	return st;
}

static enum status rename_entry(struct renamer *r, const struct dir_entry *e,
				struct error *err)
{
	uint8_t new[DIRENT_NAME_BYTES];
	struct dirscan *d = r->d;
	enum status st;

	st = choose(r, e, new, err);
	if (!st)
		st = nameset_add(&d->names, NAME_SHORT, new, sizeof(new),
				 err);
	if (!st)
		st = repair_bytes(d->ck, REGION_DIR, e->offset_bytes, e->raw,
				  new, sizeof(new), err);
	if (!st && e->has_long)
		st = move_long(d->ck, &d->w->reader.set, e->raw, new, err);
	return st;
}

enum status rename_entries(struct dirscan *d, struct error *err)
{
	struct dirpos pos = d->w->frames[d->w->depth - 1].pos;
	struct renamer r = { .d = d };
	struct dir_entry e;
	enum status st;
	bool more;

	do {
		st = dirread_next(&d->w->reader, &pos, &e, &more, err);
		if (!st && more && bitmap_get(d->rename, e.slot))
			st = rename_entry(&r, &e, err);
	} while (!st && more);
	return st;
}
