/*
 * slots_read.c - reads a directory whole, to find room in it
 *
 * At most 65,536 slots, whatever its chain does.
 */
#include "prealloc/slots.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "fat/dir.h"
#include "prealloc/slots_in.h"

static enum status collect_run(void *arg, struct run run, struct error *err)
{
	return runs_push(arg, run, err);
}

static enum status read_runs(struct slots *s, struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	size_t i, done = 0;
	uint64_t len;
	enum status st = ST_OK;

	if (s->fixed)
		return blk_read(s->vol->blk, bpb->root_offset_bytes, s->image,
				s->image_bytes, err);
	for (i = 0; !st && i < s->runs.n && done < s->image_bytes; i++) {
		len = (uint64_t)s->runs.v[i].count * bpb->cluster_bytes;
		len = MIN(len, s->image_bytes - done);
		st = blk_read(s->vol->blk,
			      bpb_clus_offset(bpb, s->runs.v[i].first),
			      s->image + done, (size_t)len, err);
		done += (size_t)len;
	}
	return st;
}

static enum status load(struct slots *s, struct error *err)
{
	struct ledger *lg = s->vol->blk->ledger;

	s->image_bytes = (size_t)s->capacity * DIRENT_BYTES;
	s->image = malloc(MAX(s->image_bytes, (size_t)1));
	if (!s->image)
		return error_set_nomem(err);
	if (lg)
		ledger_buffer_add(lg, s->image_bytes);
	return read_runs(s, err);
}

/* Finds the end mark and enters the short names before it. */
static enum status survey(struct slots *s, struct error *err)
{
	const uint8_t *p;
	uint32_t i;
	enum status st = ST_OK;

	for (i = 0; !st && i < s->capacity; i++) {
		p = slots_old(s, i);
		if (p[0] == DIRENT_END)
			break;
		if (p[0] != DIRENT_DELETED && !dirent_is_lfn(p) &&
		    !dirent_is_label(p))
			st = slots_add_name(s, p, err);
	}
	s->old_end = s->end = i;
	return st;
}

static enum status find_runs(struct slots *s, struct fatwin *win, clus_t clus,
			     struct error *err)
{
	const struct bpb *bpb = &s->vol->bpb;
	uint64_t limit = DIR_SLOTS_MAX / slots_per_cluster(s);
	struct chain chain;
	enum status st;

	if (!clus && bpb->type != FAT32) {
		s->fixed = true;
		s->capacity = bpb->root_entries;
		return ST_OK;
	}
	st = chain_walk(win, clus ? clus : bpb->root_clus, limit, collect_run,
			&s->runs, &chain, err);
	s->capacity = chain.clusters * slots_per_cluster(s);
	return st;
}

enum status slots_open(struct slots **out, const struct volume *vol,
		       struct fatwin *win, clus_t clus, struct error *err)
{
	struct slots *s = calloc(1, sizeof(*s));
	enum status st;

	if (!s)
		return error_set_nomem(err);
	s->vol = vol;
	st = find_runs(s, win, clus, err);
	if (!st)
		st = load(s, err);
	if (!st)
		st = survey(s, err);
	if (st) {
		slots_close(s);
		return st;
	}
	*out = s;
	return ST_OK;
}
