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
#include "check/repair_in.h"

#define COPIES_MAX  255
#define OLD_EOC     0xFF0 /* FAT12, DOS before 3 */
#define PIECE_ALIGN 4096u

struct difference {
	clus_t first, last;
	uint64_t entries;
};

/* FAT[0] and FAT[1] of a copy. */
struct head {
	uint32_t value[2];
	bool read;
};

struct pass {
	struct check *ck;
	uint8_t *a, *b;
	size_t cap;
	uint64_t old_marks;
	struct difference diff[COPIES_MAX];
	struct head head[COPIES_MAX];
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
		if (bpb->type == FAT12 && value == OLD_EOC)
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

static void take_head(struct pass *p, unsigned copy, const uint8_t *buf)
{
	const struct bpb *bpb = p->ck->bpb;

	p->head[copy].read = true;
	p->head[copy].value[0] = fatent_load(bpb->type, buf, 0);
	p->head[copy].value[1] =
		fatent_load(bpb->type, entry_at(bpb, buf, 0, 1), 1);
}

/* FAT[0] carries the media byte, FAT[1] an end mark (format.md 10, 11). */
static bool head_is_right(const struct bpb *bpb, unsigned i, uint32_t value)
{
	if (!i)
		return value == ((fatent_mask(bpb->type) & ~0xFFu) |
				 bpb->media);
	return fatent_is_eoc(bpb->type, value | fatent_clean_bit(bpb->type) |
						fatent_noerror_bit(bpb->type));
}

/* Entry i of all copies; one answer and one edit does for all. */
static enum status judge_heads(struct pass *p, unsigned i, struct error *err)
{
	static const enum problem_id ids[2] = { PROBLEM_FAT0, PROBLEM_FAT1 };
	struct check *ck = p->ck;
	const struct bpb *bpb = ck->bpb;
	uint32_t right = fatent_mask(bpb->type), value;
	struct finding f = { .id = ids[i] };
	bool asked = false, fix = false;
	enum status st = ST_OK;
	unsigned copy;

	if (!i)
		right = (right & ~0xFFu) | bpb->media;
	for (copy = 0; copy < bpb->fat_copies && !st; copy++) {
		value = p->head[copy].value[i];
		if (!p->head[copy].read || head_is_right(bpb, i, value))
			continue;
		f.n = copy + 1;
		f.m = value;
		f.planned = fix;
		if (asked) {
			st = check_add(ck, f, err);
			continue;
		}
		asked = true;
		st = check_offer(ck, f, &fix, err);
		if (!st && fix)
			st = repair_link(ck, i, value, right, err);
	}
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
		take_head(p, bpb->active_fat, p->a);
	for (i = 0; i < bpb->fat_copies && !st; i++) {
		if (!is_compared(ck, i, at + len))
			continue;
		st = blk_read(ck->vol->blk, bpb_fat_copy_offset(bpb, i) + at,
			      p->b, len, err);
		if (!st && memcmp(p->a, p->b, len))
			compare_piece(p, i, first, end);
		if (!st && !first)
			take_head(p, i, p->b);
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

/* A FAT12's old end marks become today's. */
static enum status note_old_marks(struct pass *p, struct error *err)
{
	struct check *ck = p->ck;
	const struct bpb *bpb = ck->bpb;
	uint32_t value;
	enum status st;
	bool fix;
	clus_t c;

	if (!p->old_marks)
		return ST_OK;
	st = check_offer(ck, (struct finding){
		.id = PROBLEM_END_MARK_OLD, .n = p->old_marks }, &fix, err);
	for (c = 2; c <= bpb->last_clus && !st && fix; c++) {
		st = check_get(ck, c, &value, err);
		if (!st && value == OLD_EOC)
			st = repair_link(ck, c, value, fatent_eoc(FAT12),
					 err);
	}
	return st;
}

/*
 * One answer does for all copies. *n differ, *other is the first of them; with
 * *fix it is made equal, and evidence about the others has to wait.
 */
static enum status note_differences(struct pass *p, unsigned *n,
				    unsigned *other, bool *fix,
				    struct error *err)
{
	const struct repair *rep = p->ck->rep;
	struct finding f;
	enum status st = ST_OK;
	unsigned i;

	*fix = false;
	*n = 0;
	for (i = 0; i < p->ck->bpb->fat_copies && !st; i++) {
		if (!p->diff[i].entries)
			continue;
		f = (struct finding){ .id = PROBLEM_MIRROR_DIFFERS,
				      .first = p->diff[i].first,
				      .last = p->diff[i].last,
				      .n = i + 1,
				      .m = p->diff[i].entries,
				      .planned = *fix };
		if (!(*n)++) {
			*other = i;
			st = check_offer(p->ck, f, fix, err);
		} else if (!*fix || rep->opt->use_fat) {
			st = check_add(p->ck, f, err);
		}
	}
	if (!st && *n && rep)
		p->ck->rep->locked |= !*fix;
	return st;
}

static enum status judge(struct pass *p, struct error *err)
{
	unsigned other = 0, n;
	enum status st;
	bool fix;

	st = note_differences(p, &n, &other, &fix, err);
	if (!st && fix)
		return check_mirrors(p->ck, other,
				     n > 1 && !p->ck->rep->opt->use_fat, err);
	/* FAT[0] has to go with the media byte that will be. */
	if (!st && !(p->ck->bpb->oddities & BPB_MEDIA))
		st = judge_heads(p, 0, err);
	if (!st)
		st = judge_heads(p, 1, err);
	return st ? st : note_old_marks(p, err);
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
		st = judge(p, err);
	}
	free(p->a);
	free(p->b);
	free(p);
	return st;
}
