/*
 * check_copies.c - one pass over all FAT copies
 *
 * Two buffers of at most a window each: the believed copy in one, each other
 * copy in turn in the other. Invariants: the slack behind the last entry is
 * never read; a piece starts where an entry starts (a whole FAT12 fits into
 * one piece); reserved bits never count.
 */
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "check/work.h"

#define COPIES_MAX  255
#define OLD_EOC     0xFF0 /* FAT12, DOS before 3 */
#define PIECE_ALIGN 4096u

struct difference {
	clus_t first, last;
	uint64_t entries;
};

struct pass {
	struct check *ck;
	uint8_t *a, *b;
	size_t cap;
	uint64_t old_marks;
	struct difference diff[COPIES_MAX];
};

/* What the entry of cluster c says, in the copy that is believed. */
static void take_entry(struct pass *p, clus_t c, uint32_t value)
{
	const struct bpb *bpb = p->ck->bpb;
	struct check_summary *sum = &p->ck->res->summary;

	if (c < 2)
		return;
	if (value == FATENT_FREE) {
		sum->clusters_free++;
	} else if (value == fatent_bad(bpb->type)) {
		sum->clusters_bad++;
	} else {
		sum->clusters_used++;
		if (bpb_has_clus(bpb, value))
			bitmap_set(p->ck->linked, value);
		else if (bpb->type == FAT12 && value == OLD_EOC)
			p->old_marks++;
	}
}

static const uint8_t *entry_at(const struct bpb *bpb, const uint8_t *buf,
			       clus_t first, clus_t c)
{
	return buf + (fatent_offset(bpb->type, c) -
		      fatent_offset(bpb->type, first));
}

static enum status take_piece(struct pass *p, clus_t first, clus_t end,
			      struct error *err)
{
	const struct bpb *bpb = p->ck->bpb;
	enum status st = ST_OK;
	const uint8_t *at;
	clus_t c;

	for (c = first; c < end && !st; c++) {
		at = entry_at(bpb, p->a, first, c);
		take_entry(p, c, fatent_load(bpb->type, at, c));
		st = check_tick(p->ck, err);
	}
	return st;
}

static void compare_piece(struct pass *p, unsigned copy, clus_t first,
			  clus_t end)
{
	const struct bpb *bpb = p->ck->bpb;
	struct difference *d = &p->diff[copy];
	clus_t c;

	for (c = first; c < end; c++) {
		if (fatent_load(bpb->type, entry_at(bpb, p->a, first, c), c) ==
		    fatent_load(bpb->type, entry_at(bpb, p->b, first, c), c))
			continue;
		if (!d->entries++)
			d->first = c;
		d->last = c;
	}
}

static bool is_compared(const struct check *ck, unsigned copy, uint64_t table)
{
	const struct bpb *bpb = ck->bpb;

	return bpb->mirrored && copy != bpb->active_fat &&
	       check_in_image(ck, bpb_fat_copy_offset(bpb, copy), table);
}

/* FAT[0] carries the media byte, FAT[1] an end mark (format.md 10, 11). */
static enum status judge_head(struct check *ck, unsigned copy,
			      const uint8_t *buf, struct error *err)
{
	const struct bpb *bpb = ck->bpb;
	uint32_t v0 = fatent_load(bpb->type, buf, 0);
	uint32_t v1 = fatent_load(bpb->type, entry_at(bpb, buf, 0, 1), 1);
	uint32_t marks = fatent_clean_bit(bpb->type) |
			 fatent_noerror_bit(bpb->type);
	enum status st = ST_OK;

	if (v0 != ((fatent_mask(bpb->type) & ~0xFFu) | bpb->media))
		st = check_note(ck, PROBLEM_FAT0, copy + 1, v0, err);
	if (!st && !fatent_is_eoc(bpb->type, v1 | marks))
		st = check_note(ck, PROBLEM_FAT1, copy + 1, v1, err);
	return st;
}

/* The entries [first, end) of every copy; len bytes of each. */
static enum status pass_piece(struct pass *p, clus_t first, clus_t end,
			      size_t len, struct error *err)
{
	struct check *ck = p->ck;
	const struct bpb *bpb = ck->bpb;
	uint64_t at = fatent_offset(bpb->type, first);
	enum status st;
	unsigned i;

	st = blk_read(ck->vol->blk,
		      bpb_fat_copy_offset(bpb, bpb->active_fat) + at, p->a,
		      len, err);
	if (!st && !first)
		st = judge_head(ck, bpb->active_fat, p->a, err);
	for (i = 0; i < bpb->fat_copies && !st; i++) {
		if (!is_compared(ck, i, at + len))
			continue;
		st = blk_read(ck->vol->blk, bpb_fat_copy_offset(bpb, i) + at,
			      p->b, len, err);
		if (!st && memcmp(p->a, p->b, len))
			compare_piece(p, i, first, end);
		if (!st && !first)
			st = judge_head(ck, i, p->b, err);
	}
	return st ? st : take_piece(p, first, end, err);
}

static enum status pass_all(struct pass *p, struct error *err)
{
	const struct bpb *bpb = p->ck->bpb;
	uint64_t table = fatent_offset(bpb->type, bpb->last_clus) +
			 fatent_bytes(bpb->type);
	uint64_t first = 0, end, len, all = (uint64_t)bpb->last_clus + 1;
	enum status st = ST_OK;

	while (first < all && !st) {
		len = MIN(p->cap, table - fatent_offset(bpb->type,
							(clus_t)first));
		end = all;
		if (bpb->type != FAT12)
			end = MIN(all, first + len / fatent_bytes(bpb->type));
		st = pass_piece(p, (clus_t)first, (clus_t)end, (size_t)len,
				err);
		first = end;
	}
	return st;
}

static enum status note_differences(struct pass *p, struct error *err)
{
	enum status st = ST_OK;
	unsigned i;

	for (i = 0; i < p->ck->bpb->fat_copies && !st; i++)
		if (p->diff[i].entries)
			st = check_add(p->ck, (struct finding){
				.id = PROBLEM_MIRROR_DIFFERS,
				.first = p->diff[i].first,
				.last = p->diff[i].last,
				.n = i + 1,
				.m = p->diff[i].entries }, err);
	if (!st && p->old_marks)
		st = check_note(p->ck, PROBLEM_END_MARK_OLD, p->old_marks, 0,
				err);
	return st;
}

enum status check_copies(struct check *ck, struct error *err)
{
	struct ledger *lg = ck->vol->blk->ledger;
	struct pass *p = calloc(1, sizeof(*p));
	enum status st;

	if (!p)
		return error_set_nomem(err);
	p->ck = ck;
	p->cap = ck->vol->window_bytes / PIECE_ALIGN * PIECE_ALIGN;
	p->a = malloc(p->cap);
	p->b = malloc(p->cap);
	if (p->a && p->b) {
		ledger_buffer_add(lg, 2 * p->cap);
		st = pass_all(p, err);
		ledger_buffer_sub(lg, 2 * p->cap);
	} else {
		st = error_set_nomem(err);
	}
	if (!st) {
		ck->res->fat_read = true;
		st = note_differences(p, err);
	}
	free(p->a);
	free(p->b);
	free(p);
	return st;
}
