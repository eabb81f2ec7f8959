/*
 * check_label.c - volume labels: one, in the root, and what the boot sector
 * says
 *
 * The root's label is what systems show; the boot sector follows it. Bytes
 * from 80 on are legal in both (format.md 38).
 */
#include <string.h>

#include "check/check_dir.h"

#define AT_LABEL       43
#define AT_LABEL_FAT32 71

static void remember(struct walk *w, const struct dir_entry *e)
{
	w->label_seen = true;
	memcpy(w->label, e->raw, sizeof(w->label));
	if (w->label[0] == DIRENT_KANJI_E5)
		w->label[0] = DIRENT_DELETED;
}

/* Cluster and size become 0; what the cluster held is a lost chain. */
static enum status clear_data(struct check *ck, const struct dir_entry *e,
			      struct error *err)
{
	uint8_t slot[DIRENT_BYTES];

	memcpy(slot, e->raw, sizeof(slot));
	dirent_set_clus(ck->bpb->type, slot, 0);
	dirent_set_size(slot, 0);
	return repair_field(ck, e, slot, DIRENT_AT_CLUS_HIGH,
			    DIRENT_BYTES - DIRENT_AT_CLUS_HIGH, err);
}

enum status check_label_entry(struct dirscan *d, const struct dir_entry *e,
			      struct error *err)
{
	struct finding f = { .id = PROBLEM_LABEL_DATA };
	enum status st;
	bool fix;

	if (d->w->depth > 1) {
		f.id = PROBLEM_LABEL_PLACE;
	} else if (d->w->label_seen) {
		f.id = PROBLEM_LABEL_EXTRA;
	} else {
		remember(d->w, e);
		if (!e->clus && !e->size_bytes)
			return ST_OK;
	}
	st = walk_offer(d->w, e->name, f, &fix, err);
	if (st || !fix)
		return st;
	d->dots_wait = true;
	if (f.id == PROBLEM_LABEL_DATA)
		return clear_data(d->ck, e, err);
	return repair_remove(d->ck, e, err);
}

/* Into the boot sector and, where that has the same label, its backup. */
static enum status write_boot_label(struct check *ck, const uint8_t label[11],
				    struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t at = bpb->type == FAT32 ? AT_LABEL_FAT32 : AT_LABEL;
	uint64_t backup = (uint64_t)bpb->backup_sec * bpb->sector_bytes + at;
	uint8_t old[11];
	enum status st;

	st = repair_bytes(ck, REGION_BOOT, at, bpb->label, label, 11, err);
	if (st || !bpb->backup_sec || !check_in_image(ck, backup, 11))
		return st;
	st = blk_read(ck->vol->blk, backup, old, 11, err);
	if (st || memcmp(old, bpb->label, 11))
		return st;
	return repair_bytes(ck, REGION_BOOT, backup, old, label, 11, err);
}

enum status check_label(struct check *ck, const uint8_t root_label[11],
			struct error *err)
{
	static const char none[] = "           ", no_name[] = "NO NAME    ";
	const struct bpb *bpb = ck->bpb;
	enum status st;
	bool fix;

	if (!bpb->has_ext || !memcmp(bpb->label, root_label, 11))
		return ST_OK;
	if (!memcmp(bpb->label, no_name, 11) || !memcmp(bpb->label, none, 11))
		return check_note(ck, PROBLEM_LABEL_NO_NAME, 0, 0, err);
	st = check_offer(ck, (struct finding){ .id = PROBLEM_LABEL_DIFFERS },
			 &fix, err);
	return st || !fix ? st : write_boot_label(ck, root_label, err);
}
