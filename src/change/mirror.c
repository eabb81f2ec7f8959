/*
 * mirror.c - makes the FAT copies equal, entry by entry
 *
 * Invariants: a piece begins where an entry and a sector begin (a whole
 * FAT12 fits into one); what is not the value of an entry stays as it is in
 * each copy.
 */
#include "change/mirror.h"

#include <stdlib.h>

#include "base/ckd.h"

#define PIECE_ALIGN 4096u

enum status mirror_open(struct mirror *m, const struct volume *vol,
			const struct mirror_edit *edit, struct error *err)
{
	*m = (struct mirror){ .vol = vol, .edit = edit };
	m->piece_bytes = vol->window_bytes / PIECE_ALIGN * PIECE_ALIGN;
	m->first = malloc(m->piece_bytes);
	m->other = malloc(m->piece_bytes);
	m->out = malloc(m->piece_bytes);
	if (!m->first || !m->other || !m->out)
		return error_set_nomem(err);
	ledger_buffer_add(vol->blk->ledger, 3 * m->piece_bytes);
	return ST_OK;
}

void mirror_close(struct mirror *m)
{
	if (m->first && m->other && m->out)
		ledger_buffer_sub(m->vol->blk->ledger, 3 * m->piece_bytes);
	free(m->first);
	free(m->other);
	free(m->out);
	*m = (struct mirror){ 0 };
}

static enum status read_piece(struct mirror *m, unsigned copy, uint8_t *buf,
			      struct error *err)
{
	return blk_read(m->vol->blk,
			bpb_fat_copy_offset(&m->vol->bpb, copy) + m->at, buf,
			m->len, err);
}

enum status mirror_next(struct mirror *m, bool *more, struct error *err)
{
	const struct bpb *bpb = &m->vol->bpb;
	uint64_t all = (uint64_t)bpb->last_clus + 1, bytes;
	enum status st;

	*more = m->end < all;
	if (!*more)
		return ST_OK;
	m->at += m->len;
	m->clus = m->end;
	/* up to the end of the sector that holds the last entry */
	bytes = fatent_offset(bpb->type, bpb->last_clus) +
		fatent_bytes(bpb->type);
	bytes = div_round_up(bytes, bpb->sector_bytes) * bpb->sector_bytes;
	m->len = (size_t)MIN(m->piece_bytes, bytes - m->at);
	m->end = all;
	if (bpb->type != FAT12)
		m->end = MIN(all, m->clus + m->len / fatent_bytes(bpb->type));
	st = read_piece(m, m->edit->copy, m->first, err);
	if (!st && m->edit->take_other)
		st = read_piece(m, m->edit->other, m->other, err);
	return st;
}

static uint32_t wanted_value(const struct mirror *m, clus_t c, uint64_t at)
{
	const struct bitmap *take = m->edit->take_other;
	const uint8_t *from = m->first;

	if (take && bitmap_get(take, c))
		from = m->other;
	return fatent_load(m->vol->bpb.type, from + at, c);
}

bool mirror_has(const struct mirror *m, unsigned copy)
{
	return !m->edit->pair || copy == m->edit->copy ||
	       copy == m->edit->other;
}

enum status mirror_copy(struct mirror *m, unsigned copy, size_t *skip,
			size_t *len, struct error *err)
{
	const struct bpb *bpb = &m->vol->bpb;
	uint64_t c, at, low = m->len, high = 0;
	enum status st;
	uint32_t value;

	*skip = *len = 0;
	st = read_piece(m, copy, m->out, err);
	if (st)
		return st;
	for (c = m->clus; c < m->end; c++) {
		at = fatent_offset(bpb->type, (clus_t)c) - m->at;
		value = wanted_value(m, (clus_t)c, at);
		if (fatent_load(bpb->type, m->out + at, (clus_t)c) == value)
			continue;
		fatent_store(bpb->type, m->out + at, (clus_t)c, value);
		low = MIN(low, at);
		high = at + fatent_bytes(bpb->type);
	}
	if (!high)
		return ST_OK;
	low -= low % bpb->sector_bytes;
	high = div_round_up(high, bpb->sector_bytes) * bpb->sector_bytes;
	*skip = (size_t)low;
	*len = (size_t)(MIN(high, m->len) - low);
	return ST_OK;
}
