/*
 * check_dir.c - reads one directory for what its slots say
 *
 * Invariant: whatever the slots hold, each is read at most twice, and what is
 * kept is bounded by the 65,536 slots that a directory can have.
 */
#include "check/check_dir.h"

static enum status check_entry(struct dirscan *d, const struct dir_entry *e,
			       struct error *err)
{
	bool in_root = d->w->depth == 1;

	if (dirent_is_label(e->raw))
		return check_label_entry(d, e, err);
	if (dirent_is_dot(e->raw)) {
		if (in_root || e->slot > 1)
			return check_stray_dot(d, e, err);
		return ST_OK;
	}
	if (!check_dates_exist(e->raw))
		d->bad_dates++;
	return check_name(d, e, err);
}

/* Leaves pos at the end mark, or where the directory ends without one. */
static enum status check_entries(struct dirscan *d, struct dirpos *pos,
				 struct error *err)
{
	struct dirread *reader = &d->w->reader;
	struct dir_entry e;
	enum status st;
	bool more;

	reader->stray = check_stray_slots;
	reader->arg = d;
	do {
		st = dirread_next(reader, pos, &e, &more, err);
		if (!st && more)
			st = check_entry(d, &e, err);
	} while (!st && more);
	reader->stray = NULL;
	return st;
}

static bool looks_like_entry(const uint8_t *slot)
{
	if (slot[0] == DIRENT_END || slot[0] == DIRENT_DELETED ||
	    (slot[DIRENT_AT_ATTR] & ATTR_UNKNOWN))
		return false;
	return dirent_is_lfn(slot) || short_is_legal(slot);
}

/* What stands behind the end mark, where systems never look. */
static enum status check_tail(struct dirscan *d, struct dirpos pos,
			      struct error *err)
{
	struct finding f = { .id = PROBLEM_DIR_TAIL };
	const uint8_t *slot;
	uint64_t offset;
	enum status st;

	for (;;) {
		st = dirread_slot(&d->w->reader, &pos, &slot, &offset, err);
		if (st || !slot)
			break;
		if (looks_like_entry(slot))
			f.n++;
	}
	return st || !f.n ? st : walk_add(d->w, NULL, f, err);
}

enum status check_directory(struct walk *w, struct error *err)
{
	struct dirscan d = { .w = w, .ck = w->ck };
	struct dirpos pos = w->frames[w->depth - 1].pos;
	enum status st;

	st = check_entries(&d, &pos, err);
	if (!st)
		st = check_tail(&d, pos, err);
	if (!st && d.bad_dates)
		st = walk_add(w, NULL, (struct finding){
			.id = PROBLEM_ENTRY_DATES, .n = d.bad_dates }, err);
	if (!st && d.renames)
		st = rename_entries(&d, err);
	if (!st && w->depth > 1)
		st = check_dots(&d, err);
	nameset_clear(&d.names);
	bitmap_free(d.rename);
	return st;
}
