/*
 * commit.c - the only writer: applies edits in a numbered order
 *
 * The order and why it is safe at every cut:
 *  1. MARK     the volume says that it is dirty;
 *  2. MIRRORS  the FAT copies become equal, each chain from the copy in which
 *              it is sound, which a cut leaves as it is;
 *  3. CHAINS   new chains in every FAT copy, new contents: nothing refers to
 *              them, so a cut leaves lost clusters; end marks of directories
 *              behind the ones that are there;
 *  4. STEPS    links whose FAT12 entry lies in two sectors: the bits in one
 *              of them, to a value that is sound by itself (straddle.h). If
 *              it leads into the middle of a chain, CHAINS has left that, or
 *              made it, in two parts;
 *  5. LINKS    tail links, to chains that are durable; cuts, whose clusters
 *              become lost; directory slots behind the end mark, or that
 *              an entry moves to;
 *  6. JOINS    new chains that are in two parts become one;
 *  7. ENTRIES  directory entries, to chains that are durable;
 *  8. FREE     clusters that nothing durable refers to; bytes that the
 *              changes before them went by, and need no more;
 *  9. FSINFO   counts of what is now true;
 * 10. CLEAN    the mark as it was.
 * A barrier follows each phase that wrote. The same walk over the edits
 * serves three passes: check what they expect, write, verify what was
 * written. One buffer of a window's size is all the memory it takes, and
 * three where FAT copies become equal. A copy reads what it comes from as
 * it is written, and is verified by a sum. With an undo file, the check keeps
 * what will be overwritten, and it is durable before the first write.
 */
#include "change/commit.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "change/fatstream.h"
#include "change/mirror.h"

enum pass { PASS_CHECK, PASS_WRITE, PASS_VERIFY };

#define ALL_PHASES  ((1u << PHASE_COUNT) - 1)
/* Their values are undone by, or come from, the other one. */
#define CHECK_PHASES  (ALL_PHASES & ~PHASE_BIT(PHASE_CLEAN))
#define VERIFY_PHASES (ALL_PHASES & ~PHASE_BIT(PHASE_MARK))

struct commit {
	const struct volume *vol;
	struct edits *e;
	const struct commit_options *opt;
	struct commit_result *result;
	enum pass pass;
	bool written; /* since the last barrier */
	uint8_t *buf; /* window_bytes */
	size_t buf_bytes;
	uint64_t done, total; /* bytes, for progress */
};

static enum status differs(const struct commit *c, uint64_t offset,
			   struct error *err)
{
	error_set(err, c->pass == PASS_CHECK ? ST_REFUSED : ST_IO,
		  c->pass == PASS_VERIFY
			  ? "read back, the device does not hold what was "
			    "written"
			  : "the volume has changed since it was read");
	return error_set_offset(err, c->vol->blk->base_bytes + offset);
}

/* Of one phase; found in the check, before anything is written. */
static enum status overlap(const struct commit *c, uint64_t offset,
			   struct error *err)
{
	error_set(err, ST_REFUSED,
		  "two directories share their clusters; run fatfsck first");
	return error_set_offset(err, c->vol->blk->base_bytes + offset);
}

static void step(struct commit *c, uint64_t bytes)
{
	c->done += bytes;
	if (c->opt->progress)
		c->opt->progress(c->opt->arg, MIN(c->done, c->total),
				 c->total);
}

/* A signal counts until the first write; from then on the job completes. */
static enum status check_cancelled(struct commit *c, struct error *err)
{
	if (c->result->wrote || !c->opt->cancelled ||
	    !c->opt->cancelled(c->opt->arg))
		return ST_OK;
	return error_set(err, ST_CANCELLED,
			 "cancelled by a signal; nothing was written");
}

static enum status before_write(struct commit *c, struct error *err)
{
	enum status st = check_cancelled(c, err);

	if (st)
		return st;
	c->result->wrote = true;
	c->written = true;
	return ST_OK;
}

/* The bytes from skip on in the buffer. */
static enum status write_buf(struct commit *c, size_t skip, uint64_t offset,
			     size_t len, enum region region, struct error *err)
{
	enum status st = before_write(c, err);

	if (st)
		return st;
	return blk_write(c->vol->blk, offset, c->buf + skip, len, region, err);
}

/* Does an entry hold something else than the pass must find? */
static bool is_wrong(const struct commit *c, const struct fat_change *ch,
		     uint32_t now)
{
	if (c->pass == PASS_VERIFY)
		return now != ch->value;
	return ch->expect_used ? now == FATENT_FREE : now != ch->expect;
}

/* What is in the buffer from skip on will be overwritten. */
static enum status keep(struct commit *c, size_t skip, uint64_t offset,
			size_t len, struct error *err)
{
	if (c->pass != PASS_CHECK || !c->opt->undo)
		return ST_OK;
	return undo_keep(c->opt->undo, offset, c->buf + skip, len, err);
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
	return differs(c, copy_offset + fatent_offset(bpb->type, at), err);
}

static enum status fat_segment_copy(struct commit *c, struct fatstream *s,
				    const struct fat_segment *seg,
				    unsigned copy, struct error *err)
{
	const struct bpb *bpb = &c->vol->bpb;
	uint64_t sector = bpb->sector_bytes;
	uint64_t start = bpb_fat_copy_offset(bpb, copy);
	size_t skip = (size_t)((seg->first_sec - seg->read_sec) * sector);
	size_t len = (size_t)((seg->end_sec - seg->first_sec) * sector);
	enum status st;

	st = blk_read(c->vol->blk, start + seg->read_sec * sector, c->buf,
		      (size_t)((seg->read_end - seg->read_sec) * sector), err);
	if (!st)
		st = keep(c, skip, start + seg->first_sec * sector, len, err);
	if (!st)
		st = apply_changes(c, s, seg, start, err);
	if (st)
		return st;
	step(c, len);
	if (c->pass != PASS_WRITE)
		return ST_OK;
	return write_buf(c, skip, start + seg->first_sec * sector, len,
			 REGION_FAT, err);
}

/* The FAT edits of these phases, each sector once per copy (law 3). */
static enum status fat_edits(struct commit *c, unsigned phases,
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
		st = check_cancelled(c, err);
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

static uint64_t first_sec(const struct commit *c, const struct byte_edit *b)
{
	return b->offset_bytes / c->vol->bpb.sector_bytes;
}

static uint64_t end_sec(const struct commit *c, const struct byte_edit *b)
{
	return div_round_up(b->offset_bytes + b->len,
			    c->vol->bpb.sector_bytes);
}

/* Number of edits from i on that share or adjoin sectors, up to a window. */
static size_t group_bytes(const struct commit *c, size_t i, uint64_t *end)
{
	const struct byte_edit *b = c->e->bytes;
	uint64_t start = first_sec(c, &b[i]);
	size_t n = i + 1;

	*end = end_sec(c, &b[i]);
	while (n < c->e->n_bytes && b[n].phase == b[i].phase &&
	       b[n].region == b[i].region && first_sec(c, &b[n]) <= *end &&
	       (end_sec(c, &b[n]) - start) * c->vol->bpb.sector_bytes <=
		       c->buf_bytes) {
		*end = MAX(*end, end_sec(c, &b[n]));
		n++;
	}
	return n - i;
}

static enum status byte_group(struct commit *c, size_t i, size_t n,
			      uint64_t end, struct error *err)
{
	const uint32_t sector = c->vol->bpb.sector_bytes;
	const struct byte_edit *b = &c->e->bytes[i];
	uint64_t start = first_sec(c, b) * sector;
	size_t len = (size_t)(end * sector - start), k;
	const uint8_t *want;
	uint8_t *p;
	enum status st;

	if (len > c->buf_bytes)
		return error_set(err, ST_REFUSED,
				 "an edit of %zu bytes exceeds the buffer",
				 len);
	st = blk_read(c->vol->blk, start, c->buf, len, err);
	if (!st)
		st = keep(c, 0, start, len, err);
	if (st)
		return st;
	for (k = 0; k < n; k++, b++) {
		if (k && b->offset_bytes < b[-1].offset_bytes + b[-1].len)
			return overlap(c, b->offset_bytes, err);
		p = c->buf + (b->offset_bytes - start);
		want = c->pass == PASS_VERIFY ? b->value : b->expect;
		if (want && memcmp(p, want, b->len))
			return differs(c, b->offset_bytes, err);
		if (c->pass == PASS_WRITE)
			memcpy(p, b->value, b->len);
	}
	step(c, len);
	if (c->pass != PASS_WRITE)
		return ST_OK;
	return write_buf(c, 0, start, len, b[-1].region, err);
}

static enum status byte_edits(struct commit *c, unsigned phases,
			      struct error *err)
{
	uint64_t end;
	size_t i, n;
	enum status st;

	for (i = 0; i < c->e->n_bytes; i += n) {
		n = group_bytes(c, i, &end);
		if (!(phases & PHASE_BIT(c->e->bytes[i].phase)))
			continue;
		st = check_cancelled(c, err);
		if (!st)
			st = byte_group(c, i, n, end, err);
		if (st)
			return st;
	}
	return ST_OK;
}

/* Verifies a range of zeros or, in the check, keeps what is there. */
static enum status read_zero(struct commit *c, const struct zero_edit *z,
			     struct error *err)
{
	uint64_t done;
	size_t len, i;
	enum status st;

	for (done = 0; done < z->len; done += len) {
		len = (size_t)MIN(z->len - done, c->buf_bytes);
		st = blk_read(c->vol->blk, z->offset_bytes + done, c->buf, len,
			      err);
		if (!st)
			st = keep(c, 0, z->offset_bytes + done, len, err);
		if (st)
			return st;
		for (i = 0; c->pass == PASS_VERIFY && i < len; i++)
			if (c->buf[i])
				return differs(c, z->offset_bytes + done + i,
					       err);
		step(c, len);
	}
	return ST_OK;
}

static enum status zero_edits(struct commit *c, struct error *err)
{
	const struct zero_edit *z;
	size_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < c->e->n_zeros; i++) {
		z = &c->e->zeros[i];
		if (c->pass != PASS_WRITE) {
			st = read_zero(c, z, err);
			continue;
		}
		st = before_write(c, err);
		if (!st)
			st = blk_zero(c->vol->blk, z->offset_bytes, z->len,
				      z->region, err);
		step(c, z->len);
	}
	return st;
}

/* FNV-1a, over the pieces of a copy one after the other. */
static uint64_t sum_add(uint64_t sum, const uint8_t *p, size_t len)
{
	while (len--)
		sum = (sum ^ *p++) * 0x100000001B3u;
	return sum;
}

/* The len bytes from done on; *sum goes on over what to holds or shall. */
static enum status copy_piece(struct commit *c, const struct copy_edit *k,
			      uint64_t done, size_t len, uint64_t *sum,
			      struct error *err)
{
	struct ledger *lg = c->vol->blk->ledger;
	uint64_t to = k->to + done;
	enum status st;

	st = blk_read(c->vol->blk,
		      c->pass == PASS_WRITE ? k->from + done : to, c->buf,
		      len, err);
	if (!st)
		st = keep(c, 0, to, len, err);
	if (st)
		return st;
	*sum = sum_add(*sum, c->buf, len);
	step(c, len);
	if (c->pass != PASS_WRITE)
		return ST_OK;
	if (lg)
		lg->data_bytes_moved += len;
	return write_buf(c, 0, to, len, REGION_DATA, err);
}

/*
 * The pieces of one copy. What it came from may have other contents by the
 * time it is verified, so the sum of what was written is held against it.
 */
static enum status copy_edit(struct commit *c, struct copy_edit *k,
			     struct error *err)
{
	uint64_t done, sum = 0;
	enum status st = ST_OK;
	size_t len;

	for (done = 0; done < k->len && !st; done += len) {
		len = (size_t)MIN(k->len - done, c->buf_bytes);
		st = check_cancelled(c, err);
		if (!st)
			st = copy_piece(c, k, done, len, &sum, err);
	}
	if (!st && c->pass == PASS_VERIFY && sum != k->sum)
		return differs(c, k->to, err);
	k->sum = sum;
	return st;
}

static enum status copy_edits(struct commit *c, struct error *err)
{
	enum status st = ST_OK;
	size_t i;

	if (c->opt->no_copies)
		return ST_OK;
	for (i = 0; !st && i < c->e->n_copies; i++)
		st = copy_edit(c, &c->e->copies[i], err);
	return st;
}

/* A changed part of a copy, which is in m->out. */
static enum status mirror_part(struct commit *c, struct mirror *m,
			       unsigned copy, size_t skip, size_t len,
			       struct error *err)
{
	uint64_t at = bpb_fat_copy_offset(&c->vol->bpb, copy) + m->at + skip;
	enum status st;

	if (c->pass == PASS_VERIFY)
		return differs(c, at, err);
	if (c->pass == PASS_WRITE) {
		st = before_write(c, err);
		return st ? st : blk_write(c->vol->blk, at, m->out + skip, len,
					   REGION_FAT, err);
	}
	if (!c->opt->undo)
		return ST_OK;
	st = blk_read(c->vol->blk, at, c->buf, len, err);
	return st ? st : keep(c, 0, at, len, err);
}

static enum status mirror_edits(struct commit *c, struct error *err)
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
			st = check_cancelled(c, err);
	}
	mirror_close(&m);
	return st;
}

static enum status barrier(struct commit *c, struct error *err)
{
	if (!c->written)
		return ST_OK;
	c->written = false;
	return blk_sync(c->vol->blk, err);
}

static enum status write_phase(struct commit *c, enum phase phase,
			       struct error *err)
{
	enum status st = ST_OK;

	if (phase == PHASE_MIRRORS)
		st = mirror_edits(c, err);
	if (phase == PHASE_CHAINS)
		st = zero_edits(c, err);
	if (!st && phase == PHASE_CHAINS)
		st = copy_edits(c, err);
	if (!st)
		st = fat_edits(c, PHASE_BIT(phase), err);
	if (!st)
		st = byte_edits(c, PHASE_BIT(phase), err);
	return st ? st : barrier(c, err);
}

static enum status check_pass(struct commit *c, struct error *err)
{
	enum status st;

	c->pass = PASS_CHECK;
	/* The mark comes first, so that a rollback restores it last. */
	st = byte_edits(c, CHECK_PHASES, err);
	if (!st)
		st = fat_edits(c, CHECK_PHASES, err);
	if (st || !c->opt->undo)
		return st;
	st = mirror_edits(c, err);
	if (!st)
		st = zero_edits(c, err);
	if (!st)
		st = copy_edits(c, err);
	return st ? st : undo_sync(c->opt->undo, err);
}

static enum status write_pass(struct commit *c, struct error *err)
{
	int phase;
	enum status st = ST_OK;

	c->pass = PASS_WRITE;
	for (phase = 0; !st && phase < PHASE_COUNT; phase++)
		st = write_phase(c, (enum phase)phase, err);
	return st;
}

/* Law 6: from the device, not from a buffer. */
static enum status verify_pass(struct commit *c, struct error *err)
{
	enum status st;

	if (!c->opt->verify)
		return ST_OK;
	c->pass = PASS_VERIFY;
	blk_drop_cache(c->vol->blk);
	st = mirror_edits(c, err);
	if (!st)
		st = fat_edits(c, VERIFY_PHASES, err);
	if (!st)
		st = byte_edits(c, VERIFY_PHASES, err);
	if (!st)
		st = zero_edits(c, err);
	if (!st)
		st = copy_edits(c, err);
	c->result->verified = !st;
	return st;
}

/* Bytes of all passes; small edits count for nothing. */
static uint64_t total_work(const struct commit *c)
{
	const struct bpb *bpb = &c->vol->bpb;
	uint64_t copies = bpb->mirrored ? bpb->fat_copies : 1;
	uint64_t passes = c->opt->verify ? 3 : 2, clusters = 0, data = 0;
	size_t i;

	for (i = 0; i < c->e->n_chains; i++)
		clusters += c->e->chains[i].run.count;
	for (i = 0; i < c->e->n_zeros; i++)
		data += c->e->zeros[i].len;
	for (i = 0; i < c->e->n_copies && !c->opt->no_copies; i++)
		data += c->e->copies[i].len;
	return fatent_offset(bpb->type, 1) * clusters * copies * passes +
	       data * (passes - 1) + 1;
}

enum status commit_apply(const struct volume *vol, struct edits *e,
			 const struct commit_options *opt,
			 struct commit_result *result, struct error *err)
{
	struct commit c = { .vol = vol, .e = e, .opt = opt, .result = result };
	struct ledger *lg = vol->blk->ledger;
	enum status st;

	*result = (struct commit_result){ 0 };
	if (edits_empty(e))
		return ST_OK;
	edits_sort(e);
	c.total = total_work(&c);
	c.buf_bytes = vol->window_bytes;
	c.buf = malloc(c.buf_bytes);
	if (!c.buf)
		return error_set_nomem(err);
	if (lg)
		ledger_buffer_add(lg, c.buf_bytes);
	st = check_pass(&c, err);
	if (!st)
		st = write_pass(&c, err);
	if (!st)
		st = verify_pass(&c, err);
	if (lg)
		ledger_buffer_sub(lg, c.buf_bytes);
	free(c.buf);
	return st;
}
