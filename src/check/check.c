/*
 * check.c - the phases of a check, in order
 *
 * First what lies at fixed places: boot sector, FAT copies in one pass,
 * FSInfo. Then the tree, which says whose each cluster is. What the FAT has
 * and the tree has not is lost. Last what the caller asked for by name.
 */
#include "check/check.h"

#include <stdlib.h>

#include "check/walk.h"

#define TICKS_BETWEEN 65536

enum status check_add(struct check *ck, struct finding f, struct error *err)
{
	return findings_add(&ck->res->findings, &f, err);
}

enum status check_note(struct check *ck, enum problem_id id, uint64_t n,
		       uint64_t m, struct error *err)
{
	return check_add(ck, (struct finding){ .id = id, .n = n, .m = m },
			 err);
}

enum status check_tick(struct check *ck, struct error *err)
{
	if (++ck->ticks < TICKS_BETWEEN)
		return ST_OK;
	ck->ticks = 0;
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
	uint64_t bits = (uint64_t)ck->bpb->last_clus + 1;

	ck->linked = bitmap_new(bits);
	ck->used = bitmap_new(bits);
	if (!ck->linked || !ck->used)
		return error_set_nomem(err);
	return fatwin_open(&ck->win, ck->vol, ck->bpb->active_fat, err);
}

static void close_work(struct check *ck)
{
	fatwin_close(&ck->win);
	bitmap_free(ck->linked);
	bitmap_free(ck->used);
	bitmap_free(ck->shared);
}

static enum status check_contents(struct check *ck, struct error *err)
{
	const struct walk_visitor judge = { .judge = true };
	enum status st;

	st = check_copies(ck, err);
	if (!st)
		st = check_fsinfo(ck, err);
	if (!st)
		st = walk_tree(ck, &judge, err);
	if (!st)
		st = check_lost(ck, err);
	if (!st)
		st = check_cross(ck, err);
	if (!st)
		st = check_gate(ck, err);
	return st;
}

enum status check_volume(const struct volume *vol, struct codepage *cp,
			 const struct check_options *opt,
			 struct check_result *result, struct error *err)
{
	struct check ck = {
		.vol = vol,
		.bpb = &vol->bpb,
		.cp = cp,
		.opt = opt,
		.res = result,
	};
	enum status st;

	result->findings.max = opt->max_findings;
	measure_image(&ck);
	st = check_boot(&ck, err);
	if (st)
		return st;
	if (!can_go_on(&ck))
		return check_note(&ck, PROBLEM_NOT_CHECKED, 0, 0, err);
	st = open_work(&ck, err);
	if (!st)
		st = check_contents(&ck, err);
	close_work(&ck);
	return st;
}

void check_result_free(struct check_result *result)
{
	size_t i;

	findings_free(&result->findings);
	for (i = 0; i < result->n_reservations; i++)
		free(result->reservations[i].path);
	free(result->reservations);
	result->reservations = NULL;
	result->n_reservations = result->cap_reservations = 0;
}
