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

#include "base/ckd.h"
#include "change/commit_in.h"

#define ALL_PHASES  ((1u << PHASE_COUNT) - 1)
/* Their values are undone by, or come from, the other one. */
#define CHECK_PHASES  (ALL_PHASES & ~PHASE_BIT(PHASE_CLEAN))
#define VERIFY_PHASES (ALL_PHASES & ~PHASE_BIT(PHASE_MARK))

enum status commit_differs(const struct commit *c, uint64_t offset,
			   struct error *err)
{
	error_set(err, c->pass == PASS_CHECK ? ST_REFUSED : ST_IO,
		  c->pass == PASS_VERIFY
			  ? "read back, the device does not hold what was "
			    "written"
			  : "the volume has changed since it was read");
	return error_set_offset(err, c->vol->blk->base_bytes + offset);
}

void commit_step(struct commit *c, uint64_t bytes)
{
	c->done += bytes;
	if (c->opt->progress)
		c->opt->progress(c->opt->arg, MIN(c->done, c->total),
				 c->total);
}

enum status commit_cancelled(struct commit *c, struct error *err)
{
	if (c->result->wrote || !c->opt->cancelled ||
	    !c->opt->cancelled(c->opt->arg))
		return ST_OK;
	return error_set(err, ST_CANCELLED,
			 "cancelled by a signal; nothing was written");
}

static enum status before_write(struct commit *c, struct error *err)
{
	enum status st = commit_cancelled(c, err);

	if (st)
		return st;
	c->result->wrote = true;
	c->written = true;
	return ST_OK;
}

enum status commit_write(struct commit *c, const void *buf, uint64_t offset,
			 size_t len, enum region region, struct error *err)
{
	enum status st = before_write(c, err);

	return st ? st : blk_write(c->vol->blk, offset, buf, len, region, err);
}

enum status commit_zero(struct commit *c, const struct zero_edit *z,
			struct error *err)
{
	enum status st = before_write(c, err);

	return st ? st : blk_zero(c->vol->blk, z->offset_bytes, z->len,
				  z->region, err);
}

enum status commit_keep(struct commit *c, size_t skip, uint64_t offset,
			size_t len, struct error *err)
{
	if (c->pass != PASS_CHECK || !c->opt->undo)
		return ST_OK;
	return undo_keep(c->opt->undo, offset, c->buf + skip, len, err);
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
		st = commit_mirrors(c, err);
	if (phase == PHASE_CHAINS)
		st = commit_zeros(c, err);
	if (!st && phase == PHASE_CHAINS)
		st = commit_copies(c, err);
	if (!st)
		st = commit_fat(c, PHASE_BIT(phase), err);
	if (!st)
		st = commit_bytes(c, PHASE_BIT(phase), err);
	return st ? st : barrier(c, err);
}

static enum status check_pass(struct commit *c, struct error *err)
{
	enum status st;

	c->pass = PASS_CHECK;
	/* The mark comes first, so that a rollback restores it last. */
	st = commit_bytes(c, CHECK_PHASES, err);
	if (!st)
		st = commit_fat(c, CHECK_PHASES, err);
	if (st || !c->opt->undo)
		return st;
	st = commit_mirrors(c, err);
	if (!st)
		st = commit_zeros(c, err);
	if (!st)
		st = commit_copies(c, err);
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
	st = commit_mirrors(c, err);
	if (!st)
		st = commit_fat(c, VERIFY_PHASES, err);
	if (!st)
		st = commit_bytes(c, VERIFY_PHASES, err);
	if (!st)
		st = commit_zeros(c, err);
	if (!st)
		st = commit_copies(c, err);
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
