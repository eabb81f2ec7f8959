/*
 * repair_mark.c - the marks of the volume: dirty before the first change,
 * clean when nothing is left to repair
 *
 * The mark is set where every system looks that has one: the state byte, or,
 * where a boot sector has none, FAT[1]. It is cleared in both.
 */
#include "change/edit.h"
#include "check/repair_in.h"

static enum status add_state(struct repair *rep, struct edits *e,
			     enum phase phase, uint8_t new, struct error *err)
{
	const struct bpb *bpb = &rep->vol->bpb;
	uint8_t old;
	enum status st;

	if (!bpb->has_ext)
		return ST_OK;
	st = blk_read(rep->vol->blk, bpb->state_offset, &old, 1, err);
	if (st || old == new)
		return st;
	return edits_add_bytes(e, phase, REGION_BOOT, bpb->state_offset, &old,
			       &new, 1, err);
}

static enum status read_fat1(struct repair *rep, uint32_t *value,
			     struct error *err)
{
	struct fatwin win = { 0 };
	enum status st;

	st = fatwin_open(&win, rep->vol, rep->vol->bpb.active_fat, err);
	if (!st)
		st = fatwin_get(&win, 1, value, err);
	fatwin_close(&win);
	return st;
}

enum status repair_mark_dirty(struct repair *rep, struct error *err)
{
	const struct bpb *bpb = &rep->vol->bpb;
	uint32_t bit = fatent_clean_bit(bpb->type), value;
	enum status st;

	/* Without a boot sector there is no place for it. */
	if (rep->marked || (rep->opt->boot_backup && !rep->outcome->rounds))
		return ST_OK;
	rep->marked = true;
	if (bpb->has_ext)
		return add_state(rep, &rep->edits, PHASE_MARK,
				 bpb->state | BPB_STATE_DIRTY, err);
	/* Copies that differ are made equal first; an entry for all is not. */
	if (!bit || rep->edits.mirror.wanted || rep->locked) {
		rep->marked = !bit;
		return ST_OK;
	}
	st = read_fat1(rep, &value, err);
	if (st || !(value & bit))
		return st;
	/* It is rebuilt in this round, and marked in the next one. */
	if (!fatent_is_eoc(bpb->type,
			   value | fatent_noerror_bit(bpb->type))) {
		rep->marked = false;
		return ST_OK;
	}
	return edits_add_link(&rep->edits, PHASE_MARK, 1, value, value & ~bit,
			      err);
}

enum status repair_clear_marks(struct repair *rep, struct edits *e,
			       struct error *err)
{
	const struct bpb *bpb = &rep->vol->bpb;
	uint32_t set = fatent_clean_bit(bpb->type), value;
	uint8_t clear = BPB_STATE_DIRTY;
	enum status st;

	if (rep->clear_error) {
		set |= fatent_noerror_bit(bpb->type);
		clear |= BPB_STATE_ERROR;
	}
	st = read_fat1(rep, &value, err);
	if (!st && (value | set) != value)
		st = edits_add_link(e, PHASE_FSINFO, 1, value, value | set,
				    err);
	if (st)
		return st;
	return add_state(rep, e, PHASE_FSINFO,
			 bpb->state & (uint8_t)~clear, err);
}
