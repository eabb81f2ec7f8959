/*
 * check.c - the phases of a check, in order
 *
 * First what lies at fixed places: boot sector, FAT copies in one pass. Then
 * the tree, which says whose each cluster is. What the FAT has and the
 * tree has not is lost. FSInfo says what the rest comes to. Last what the
 * caller asked for by name. Where the FAT copies differ and will be made
 * equal, the rest of the round would be about a state that passes.
 */
#include "check/check.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "check/repair_in.h"
#include "check/walk.h"

#define TICKS_BETWEEN 65536

enum status check_add(struct check *ck, struct finding f, struct error *err)
{
	f.follows = ck->rep && ck->rep->outcome->rounds &&
		    !ck->rep->postponed;
	return findings_add(&ck->res->findings, &f, err);
}

enum status check_note(struct check *ck, enum problem_id id, uint64_t n,
		       uint64_t m, struct error *err)
{
	return check_add(ck, (struct finding){ .id = id, .n = n, .m = m },
			 err);
}

static void tell_progress(struct check *ck)
{
	const struct check_options *opt = ck->opt;

	if (ck->pass == 1)
		ck->entries += TICKS_BETWEEN;
	if (opt->progress && ck->pass == 1)
		opt->progress(opt->arg, 1, MIN(ck->entries, ck->bpb->clusters),
			      ck->bpb->clusters);
	else if (opt->progress && ck->pass)
		opt->progress(opt->arg, ck->pass, ck->used_count,
			      ck->res->summary.clusters_used);
}

enum status check_tick(struct check *ck, struct error *err)
{
	if (++ck->ticks < TICKS_BETWEEN)
		return ST_OK;
	ck->ticks = 0;
	tell_progress(ck);
	if (ck->opt->cancelled && ck->opt->cancelled(ck->opt->arg))
		return error_set(err, ST_CANCELLED, "stopped by a signal");
	return ST_OK;
}

bool check_in_image(const struct check *ck, uint64_t offset, uint64_t len)
{
	uint64_t size = ck->vol->blk->size_bytes;

	return offset <= size && len <= size - offset;
}

static void measure_image(struct check *ck)
{
	uint64_t size = ck->vol->blk->size_bytes;
	uint64_t data = ck->bpb->data_offset_bytes;

	ck->image_last_clus = 1;
	if (size > data)
		ck->image_last_clus += (size - data) / ck->bpb->cluster_bytes;
}

enum status check_get(struct check *ck, clus_t c, uint32_t *value,
		      struct error *err)
{
	if (ck->take_other && bitmap_get(ck->take_other, c))
		return fatwin_get(&ck->other, c, value, err);
	return fatwin_get(&ck->win, c, value, err);
}

enum status check_forget_used(struct check *ck, struct error *err)
{
	bitmap_free(ck->used);
	ck->used = bitmap_new((uint64_t)ck->bpb->last_clus + 1);
	ck->used_count = 0;
	return ck->used ? ST_OK : error_set_nomem(err);
}

uint64_t check_budget(const struct check *ck, unsigned per_cluster)
{
	return ((uint64_t)ck->bpb->clusters + 65536) * per_cluster;
}

/* Is enough there to read: the believed FAT copy and a fixed root? */
static bool can_go_on(const struct check *ck)
{
	const struct bpb *bpb = ck->bpb;
	uint64_t table = fatent_offset(bpb->type, bpb->last_clus) +
			 fatent_bytes(bpb->type);

	if (!check_in_image(ck, bpb_fat_copy_offset(bpb, bpb->active_fat),
			    table))
		return false;
	return check_in_image(ck, bpb->root_offset_bytes, bpb->root_bytes);
}

static enum status open_work(struct check *ck, struct error *err)
{
	enum status st = check_forget_used(ck, err);

	return st ? st : fatwin_open(&ck->win, ck->vol, ck->bpb->active_fat,
				     err);
}

static void close_work(struct check *ck)
{
	fatwin_close(&ck->win);
	fatwin_close(&ck->other);
	bitmap_free(ck->used);
	bitmap_free(ck->shared);
	free(ck->settle);
}

/* Is what is planned so far a round of its own? */
static bool is_enough(const struct check *ck)
{
	const struct repair *rep = ck->rep;

	if (!rep)
		return false;
	return rep->edits.mirror.wanted || rep->geometry_changes;
}

static enum status check_tree(struct check *ck, struct error *err)
{
	const struct walk_visitor judge = { .judge = true };
	enum status st;

	ck->pass = 2;
	st = walk_tree(ck, &judge, err);
	ck->pass = 3;
	if (!st)
		st = check_lost(ck, err);
	if (!st)
		st = check_cross(ck, err);
	if (!st)
		st = check_owners(ck, err);
	if (!st)
		st = check_release(ck, err);
	return st;
}

static enum status check_contents(struct check *ck, struct error *err)
{
	const struct findings *fs = &ck->res->findings;
	enum status st;

	if (is_enough(ck))
		return ST_OK;
	ck->pass = 1;
	st = check_copies(ck, err);
	if (st || is_enough(ck))
		return st;
	st = check_size(ck, err);
	if (!st)
		st = check_root(ck, err);
	if (st || is_enough(ck))
		return st;
	st = check_tree(ck, err);
	if (!st)
		st = check_fsinfo(ck, err);
	if (!st)
		st = check_backup(ck, err);
	if (!st && ck->rep && ck->rep->opt->mode == REPAIR_PREVIEW &&
	    !ck->rep->counted) {
		ck->rep->counted = true;
		ck->rep->summary = ck->res->summary;
	}
	if (!st && ck->rep)
		ck->rep->errors_left = fs->left[SEVERITY_ERROR];
	return st ? st : check_gate(ck, err);
}

enum status check_volume(const struct volume *vol, struct codepage *cp,
			 const struct check_options *opt,
			 struct check_result *result, struct error *err)
{
	return check_round(vol, cp, opt, NULL, result, err);
}

/* The boot sector may be the one that is wrong: nothing goes by it. */
static enum status give_up(struct check *ck, struct error *err)
{
	enum status st;

	if (ck->rep) {
		ck->rep->locked = true;
		ck->rep->errors_left = 1;
	}
	st = check_size(ck, err);
	if (!st)
		st = check_backup(ck, err);
	return st ? st : check_note(ck, PROBLEM_NOT_CHECKED, 0, 0, err);
}

static void clear_reservations(struct check_result *result)
{
	size_t i;

	for (i = 0; i < result->n_reservations; i++)
		free(result->reservations[i].path);
	result->n_reservations = 0;
	result->reservation_bytes = 0;
}

enum status check_round(const struct volume *vol, struct codepage *cp,
			const struct check_options *opt, struct repair *rep,
			struct check_result *result, struct error *err)
{
	struct check ck = {
		.vol = vol,
		.bpb = &vol->bpb,
		.cp = cp,
		.opt = opt,
		.res = result,
		.rep = rep,
		.first_finding = result->findings.n,
	};
	bool readable;
	enum status st;

	if (!rep || !rep->counted)
		clear_reservations(result);
	result->summary = (struct check_summary){ 0 };
	result->fat_read = false;
	result->findings.max = opt->max_findings;
	measure_image(&ck);
	readable = can_go_on(&ck);
	st = readable ? open_work(&ck, err) : ST_OK;
	if (!st)
		st = check_boot(&ck, err);
	if (!st)
		st = readable ? check_contents(&ck, err) : give_up(&ck, err);
	close_work(&ck);
	return st;
}

void check_result_free(struct check_result *result)
{
	findings_free(&result->findings);
	clear_reservations(result);
	free(result->reservations);
	result->reservations = NULL;
	result->cap_reservations = 0;
}
