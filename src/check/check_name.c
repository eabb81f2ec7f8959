/*
 * check_name.c - are the names of an entry legal, and are they its own?
 *
 * Of two entries with one name the first keeps it. Short names are compared
 * as bytes, long ones folded, and a short one with the long ones: systems
 * look for both at once. Short names that are equal only when folded are told
 * and left: the volume does not say which code page they are in.
 */
#include "check/check_dir.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that the code page has no character for; they equal nothing. */
#define UNKNOWN_CHAR "\xEF\xBF\xBD"

static bool never_taken(void *arg, const uint8_t name[DIRENT_NAME_BYTES])
{
	(void)arg;
	(void)name;
	return false;
}

/* Is there an entry whose short name reads like this long one? */
static bool is_short_of_other(struct dirscan *d, const char *name)
{
	char utf8[SHORT_UTF8_MAX];
	struct new_name made;

	if (name_check(name, NULL) ||
	    lfn_make(d->ck->cp, name, never_taken, NULL, &made, NULL))
		return false;
	if (!nameset_has(&d->names, NAME_SHORT, made.short_name,
			 DIRENT_NAME_BYTES))
		return false;
	short_to_utf8(d->ck->cp, made.short_name, 0, utf8);
	return name_same(utf8, name);
}

/* Is there an entry with this long name? */
enum status names_have_long(const struct nameset *names, const char *utf8,
			    bool *have, struct error *err)
{
	char *key;

	*have = false;
	if (strstr(utf8, UNKNOWN_CHAR))
		return ST_OK;
	key = name_fold(utf8);
	if (!key)
		return error_set_nomem(err);
	*have = nameset_has(names, NAME_LONG, key, strlen(key));
	free(key);
	return ST_OK;
}

/* The problem of the short name, if it has one. */
static enum status judge_short(struct dirscan *d, const struct dir_entry *e,
			       struct finding *f, bool *bad,
			       struct error *err)
{
	uint8_t mended[DIRENT_NAME_BYTES];
	unsigned i = 0;

	*bad = true;
	if (!short_is_legal(e->raw)) {
		name_mend(mended, e->raw);
		while (mended[i] == e->raw[i])
			i++;
		*f = (struct finding){ .id = PROBLEM_NAME_BAD,
				       .n = e->raw[i] };
		return ST_OK;
	}
	f->id = PROBLEM_NAME_TWICE;
	if (nameset_has(&d->names, NAME_SHORT, e->raw, DIRENT_NAME_BYTES))
		return ST_OK;
	f->id = PROBLEM_NAME_ALIAS;
	return names_have_long(&d->names, e->short_utf8, bad, err);
}

static bool is_ascii(const uint8_t name[DIRENT_NAME_BYTES])
{
	unsigned i = 0;

	while (i < DIRENT_NAME_BYTES && name[i] < 0x80)
		i++;
	return i == DIRENT_NAME_BYTES;
}

/* Lower case of ASCII is not legal, so it is the others that matter. */
static enum status check_case(struct dirscan *d, const struct dir_entry *e,
			      struct error *err)
{
	enum status st;
	char *key;

	if (is_ascii(e->raw) || strstr(e->short_utf8, UNKNOWN_CHAR))
		return ST_OK;
	key = name_fold(e->short_utf8);
	if (!key)
		return error_set_nomem(err);
	if (nameset_has(&d->names, NAME_CASE, key, strlen(key)))
		st = walk_add(d->w, e->name, (struct finding){
			.id = PROBLEM_NAME_CASE }, err);
	else
		st = nameset_add(&d->names, NAME_CASE, key, strlen(key), err);
	free(key);
	return st;
}

static enum status mark_rename(struct dirscan *d, uint32_t slot,
			       struct error *err)
{
	if (!d->rename)
		d->rename = bitmap_new(DIR_SLOTS_MAX);
	if (!d->rename)
		return error_set_nomem(err);
	bitmap_set(d->rename, slot);
	d->renames++;
	d->dots_wait = true;
	return ST_OK;
}

static enum status check_short(struct dirscan *d, const struct dir_entry *e,
			       bool *fix, struct error *err)
{
	struct finding f = { .n = 0 };
	enum status st;
	bool bad;

	*fix = false;
	st = judge_short(d, e, &f, &bad, err);
	if (!st && !bad)
		st = check_case(d, e, err);
	if (!st && bad)
		st = walk_offer(d->w, e->name, f, fix, err);
	if (!st && *fix)
		st = mark_rename(d, e->slot, err);
	return st;
}

static enum status check_long(struct dirscan *d, const struct dir_entry *e,
			      struct error *err)
{
	struct finding f = { .id = PROBLEM_LONG_TWICE };
	enum status st;
	bool twice, fix;

	st = names_have_long(&d->names, e->name, &twice, err);
	if (st || (!twice && !is_short_of_other(d, e->name)))
		return st;
	st = walk_offer(d->w, e->name, f, &fix, err);
	if (st || !fix)
		return st;
	d->dots_wait = true;
	return check_delete_slots(d->ck, &d->w->reader.set, err);
}

static enum status add_names(struct dirscan *d, const struct dir_entry *e,
			     struct error *err)
{
	enum status st;
	char *key;

	st = nameset_add(&d->names, NAME_SHORT, e->raw, DIRENT_NAME_BYTES,
			 err);
	if (st || !e->has_long)
		return st;
	key = name_fold(e->name);
	if (!key)
		return error_set_nomem(err);
	st = nameset_add(&d->names, NAME_LONG, key, strlen(key), err);
	free(key);
	return st;
}

enum status check_name(struct dirscan *d, const struct dir_entry *e,
		       struct error *err)
{
	enum status st;
	bool fix, goes;

	if (dirent_is_dir(e->raw)) {
		st = check_is_void(d->ck, e, &goes, err);
		if (st || goes)
			return st;
	}
	st = check_short(d, e, &fix, err);
	/* With a new short name the long one is the next round's. */
	if (!st && !fix && e->has_long)
		st = check_long(d, e, err);
	return st ? st : add_names(d, e, err);
}
