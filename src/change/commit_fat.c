/*
 * commit_fat.c - the edits of FAT entries, and FAT copies that become equal
 *
 * Invariant: each sector is read and written once per copy and phase (law 3),
 * a window at a time.
 */
#include "base/ckd.h"
#include "change/commit_in.h"
#include "change/mirror.h"

/* Does an entry hold something else than the pass must find? */
static bool is_wrong(const struct commit *c, const struct fat_change *ch,
		     uint32_t now)
{
	if (c->pass == PASS_VERIFY)
		return now != ch->value;
	return ch->expect_used ? now == FATENT_FREE : now != ch->expect;
}

/*
 * One segment of one copy; *s moves behind it. Of several changes of a cluster
 * the next expects what one leaves, in the check as well, and the last is the
 * one to verify.
 */
static enum status apply_changes(struct commit *c, struct fatstream *s,
				 const struct fat_segment *seg,
				 uint64_t copy_offset, struct error *err)
{
	const struct bpb *bpb = &c->vol->bpb;
	uint64_t base = (uint64_t)seg->read_sec * bpb->sector_bytes, i;
	struct fat_change ch;
	bool wrong = false;
	clus_t at = 0;
	uint8_t *p;

	for (i = 0; i < seg->changes && fatstream_next(s, &ch); i++) {
		if (wrong && (c->pass != PASS_VERIFY || ch.clus != at))
			break;
		at = ch.clus;
		p = c->buf + (fatent_offset(bpb->type, at) - base);
		wrong = is_wrong(c, &ch, fatent_load(bpb->type, p, at));
		if (c->pass != PASS_VERIFY)
			fatent_store(bpb->type, p, at, ch.value);
	}
	if (!wrong)
		return ST_OK;
	return commit_differs(c, copy_offset + fatent_offset(bpb->type, at),
			      err);
}

static enum status fat_segment_copy(struct commit *c, struct fatstream *s,
				    const struct fat_segment *seg,
				    unsigned copy, struct error *err)
{
	const struct bpb *bpb = &c->vol->bpb;
	uint64_t sector = bpb->sector_bytes;
	uint64_t start = bpb_fat_copy_offset(bpb, copy);
	uint64_t first = start + seg->first_sec * sector;
	size_t skip = (size_t)((seg->first_sec - seg->read_sec) * sector);
	size_t len = (size_t)((seg->end_sec - seg->first_sec) * sector);
	enum status st;

	st = blk_read(c->vol->blk, start + seg->read_sec * sector, c->buf,
		      (size_t)((seg->read_end - seg->read_sec) * sector), err);
	if (!st)
		st = commit_keep(c, skip, first, len, err);
	if (!st)
		st = apply_changes(c, s, seg, start, err);
	if (st)
		return st;
	commit_step(c, len);
	if (c->pass != PASS_WRITE)
		return ST_OK;
	return commit_write(c, c->buf + skip, first, len, REGION_FAT, err);
}

/* The FAT edits of these phases, each sector once per copy (law 3). */
enum status commit_fat(struct commit *c, unsigned phases,
			     struct error *err)
{
	const struct bpb *bpb = &c->vol->bpb;
	struct ledger *lg = c->vol->blk->ledger;
	unsigned first = bpb->mirrored ? 0 : bpb->active_fat;
	unsigned end = bpb->mirrored ? bpb->fat_copies : first + 1, copy;
	struct fatstream s, next;
	struct fat_segment seg;
	enum status st;

	fatstream_init(&s, c->e, bpb, phases);
	while (fatstream_segment(&s, c->buf_bytes, &seg)) {
		st = commit_cancelled(c, err);
		for (copy = first; !st && copy < end; copy++) {
			next = s;
			st = fat_segment_copy(c, &next, &seg, copy, err);
		}
		if (st)
			return st;
		if (lg && c->pass == PASS_CHECK) {
			lg->fat_copies = end - first;
			lg->fat_sectors_changed += seg.end_sec - seg.first_sec;
		}
		s = next;
	}
	return ST_OK;
}

/* A changed part of a copy, which is in m->out. */
static enum status mirror_part(struct commit *c, struct mirror *m,
			       unsigned copy, size_t skip, size_t len,
			       struct error *err)
{
	uint64_t at = bpb_fat_copy_offset(&c->vol->bpb, copy) + m->at + skip;
	enum status st;

	if (c->pass == PASS_VERIFY)
		return commit_differs(c, at, err);
	if (c->pass == PASS_WRITE)
		return commit_write(c, m->out + skip, at, len, REGION_FAT,
				    err);
	if (!c->opt->undo)
		return ST_OK;
	st = blk_read(c->vol->blk, at, c->buf, len, err);
	return st ? st : commit_keep(c, 0, at, len, err);
}

enum status commit_mirrors(struct commit *c, struct error *err)
{
	struct mirror m = { .at = 0 };
	size_t skip, len;
	enum status st;
	unsigned copy;
	bool more;

	if (!c->e->mirror.wanted)
		return ST_OK;
	st = mirror_open(&m, c->vol, &c->e->mirror, err);
	while (!st) {
		st = mirror_next(&m, &more, err);
		if (st || !more)
			break;
		for (copy = 0; copy < c->vol->bpb.fat_copies && !st; copy++) {
			if (!mirror_has(&m, copy))
				continue;
			st = mirror_copy(&m, copy, &skip, &len, err);
			if (!st && len)
				st = mirror_part(c, &m, copy, skip, len, err);
		}
		if (!st)
			st = commit_cancelled(c, err);
	}
	mirror_close(&m);
	return st;
}
