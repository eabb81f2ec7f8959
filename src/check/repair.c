/*
 * repair.c - the rounds of a repair, and their commits
 *
 * Invariants: a round plans against what the volume holds, and is one
 * commit; the last round plans nothing, so what is left over is what it
 * found; the clean mark is written when that is no error. Each round repairs
 * something, so there are as many as it takes, and a bound for the case that
 * a device forgets what it is told.
 */
#include "check/repair_in.h"

#include <stdlib.h>

#include "dev/blk_overlay.h"

#define ROUNDS_MAX     1000
#define PREVIEW_LIMIT  (32u << 20)

/* The boot sector may have changed; what the caller believes has not. */
static enum status read_geometry(struct repair *rep, struct error *err)
{
	const struct repair_options *opt = rep->opt;
	struct volume *vol = rep->vol;
	enum status st;

	if (!opt->boot_backup || rep->outcome->rounds) {
		st = bpb_read(vol->blk, &vol->bpb, err);
		if (st)
			return st;
	}
	if (!opt->use_fat)
		return ST_OK;
	if (opt->use_fat > vol->bpb.fat_copies)
		return error_set(err, ST_USAGE,
				 "--use-fat: the volume has %u FAT copies",
				 (unsigned)vol->bpb.fat_copies);
	if (!vol->bpb.mirrored && opt->use_fat - 1 != vol->bpb.active_fat)
		return error_set(err, ST_USAGE,
				 "--use-fat: mirroring is off, and copy %u is "
				 "the active one",
				 (unsigned)vol->bpb.active_fat + 1);
	vol->bpb.active_fat = opt->use_fat - 1;
	return ST_OK;
}

static enum status put_overlay(struct volume *vol, struct error *err)
{
	struct blk *overlay = NULL;
	enum status st;

	st = blk_overlay_open(&overlay, vol->blk, PREVIEW_LIMIT, err);
	if (!st)
		vol->blk = overlay;
	return st;
}

/* What goes to the overlay is no work that was done. */
static enum status commit_preview(struct repair *rep, struct edits *e,
				  struct error *err)
{
	const struct commit_options opt = { .no_copies = true };
	struct commit_result result;
	struct ledger *ledger;
	enum status st;

	if (!rep->outcome->rounds) {
		st = put_overlay(rep->vol, err);
		if (st)
			return st;
	}
	ledger = rep->vol->blk->ledger;
	rep->vol->blk->ledger = NULL;
	st = commit_apply(rep->vol, e, &opt, &result, err);
	rep->vol->blk->ledger = ledger;
	return st;
}

static enum status commit(struct repair *rep, struct edits *e,
			  struct error *err)
{
	struct commit_result result;
	enum status st;

	if (rep->opt->mode == REPAIR_PREVIEW)
		return commit_preview(rep, e, err);
	st = commit_apply(rep->vol, e, &rep->opt->commit, &result, err);
	rep->outcome->wrote |= result.wrote;
	return st;
}

static void reset_round(struct repair *rep)
{
	edits_free(&rep->edits);
	rep->boot_changes = rep->geometry_changes = false;
	rep->tree_changes = rep->tree_left = rep->locked = false;
	rep->freed = rep->taken = rep->errors_left = 0;
}

static enum status commit_round(struct repair *rep, struct error *err)
{
	struct edits *e = &rep->edits;
	enum status st;

	/* Two entries may have one directory, and each its repairs. */
	if (edits_drop_overlaps(e) || rep->geometry_changes)
		rep->postponed = true;
	st = repair_mark_dirty(rep, err);
	if (st)
		return st;
	rep->fat_touched |= e->mirror.wanted || e->ends || e->freed ||
			    e->n_links || e->n_chains;
	return commit(rep, e, err);
}

/* Nobody may think that it was done. */
static void take_back_marks(struct check_result *result)
{
	struct findings *fs = &result->findings;
	struct finding *f;
	size_t i;

	for (i = 0; i < fs->n; i++) {
		f = &fs->v[i];
		if ((f->id != PROBLEM_DIRTY && f->id != PROBLEM_ERROR_MARK) ||
		    !f->planned)
			continue;
		f->planned = false;
		fs->planned[problem_get(f->id)->severity]--;
	}
}

static enum status finish(struct repair *rep, struct check_result *result,
			  struct error *err)
{
	struct edits e = { 0 };
	enum status st;

	if (!rep->marked && !rep->clear_dirty && !rep->clear_error)
		return ST_OK;
	if (rep->errors_left) {
		take_back_marks(result);
		return ST_OK;
	}
	st = repair_clear_marks(rep, &e, err);
	if (!st)
		st = commit(rep, &e, err);
	edits_free(&e);
	return st;
}

static enum status rounds(struct repair *rep, struct codepage *cp,
			  const struct check_options *check,
			  struct check_result *result, struct error *err)
{
	struct findings *fs = &result->findings;
	size_t first;
	enum status st;

	for (;;) {
		reset_round(rep);
		st = read_geometry(rep, err);
		if (st)
			return st;
		first = fs->n;
		st = check_round(rep->vol, cp, check, rep, result, err);
		if (st)
			return st;
		if (edits_empty(&rep->edits) ||
		    rep->outcome->rounds == ROUNDS_MAX)
			return fs->preview && first ?
			       findings_drop_known(fs, first, err) : ST_OK;
		st = commit_round(rep, err);
		if (st == ST_NOMEM && rep->opt->mode == REPAIR_PREVIEW) {
			rep->outcome->preview_cut = true;
			rep->marked = false;
			return ST_OK;
		}
		if (st)
			return st;
		findings_end_round(fs, first, !rep->outcome->rounds);
		rep->outcome->rounds++;
	}
}

enum status repair_volume(struct volume *vol, struct codepage *cp,
			  const struct check_options *check,
			  const struct repair_options *opt,
			  struct check_result *result,
			  struct repair_outcome *outcome, struct error *err)
{
	struct repair rep = { .vol = vol, .opt = opt, .outcome = outcome };
	enum status st;

	*outcome = (struct repair_outcome){ 0 };
	result->findings.preview = opt->mode == REPAIR_PREVIEW;
	st = rounds(&rep, cp, check, result, err);
	if (!st && !outcome->preview_cut)
		st = finish(&rep, result, err);
	if (rep.counted)
		result->summary = rep.summary;
	edits_free(&rep.edits);
	free(rep.declined);
	return st;
}
