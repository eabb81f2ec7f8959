/*
 * check_dot.c - "." and ".." of a directory
 *
 * They are its first two slots (format.md 34); anywhere else, and in the
 * root, systems either trip over them or don't see them.
 */
#include <string.h>

#include "check/check_dir.h"
#include "check/repair_in.h"

#define CLUS_BYTES 8 /* from the high half to the low one */

/* The first two slots, as raw bytes. */
static enum status read_dots(struct dirscan *d, struct dots *dots,
			     struct error *err)
{
	struct dirpos pos = d->w->frames[d->w->depth - 1].pos;
	const uint8_t *slot;
	enum status st = ST_OK;
	unsigned i;

	for (i = 0; i < 2 && !st; i++) {
		st = dirread_slot(&d->w->reader, &pos, &slot,
				  &dots->offset[i], err);
		if (st || !slot)
			break;
		memcpy(dots->raw[i], slot, DIRENT_BYTES);
		dots->live[i] = slot[0] != DIRENT_END &&
				slot[0] != DIRENT_DELETED &&
				(!i || dots->raw[0][0] != DIRENT_END);
		dots->n++;
	}
	return st;
}

bool dot_is_right(const struct dots *dots, unsigned i)
{
	static const char names[2][12] = { ".          ", "..         " };

	return dots->n > i && dots->live[i] && dirent_is_dir(dots->raw[i]) &&
	       !memcmp(dots->raw[i], names[i], DIRENT_NAME_BYTES);
}

clus_t dot_target(const struct walk *w, unsigned i)
{
	if (!i)
		return w->frames[w->depth - 1].clus;
	return w->depth > 1 ? w->frames[w->depth - 2].clus : 0;
}

/*
 * The dots tell whose a directory is that two entries have. So they change
 * when all that was decided by them is durable.
 */
static enum status set_cluster(struct check *ck, const struct dots *dots,
			       unsigned i, clus_t c, struct error *err)
{
	uint8_t slot[DIRENT_BYTES];

	memcpy(slot, dots->raw[i], sizeof(slot));
	dirent_set_clus(ck->bpb->type, slot, c);
	return edits_add_bytes(&ck->rep->edits, PHASE_FREE, REGION_DIR,
			       dots->offset[i] + DIRENT_AT_CLUS_HIGH,
			       dots->raw[i] + DIRENT_AT_CLUS_HIGH,
			       slot + DIRENT_AT_CLUS_HIGH, CLUS_BYTES, err);
}

static enum status check_target(struct dirscan *d, const struct dots *dots,
				unsigned i, struct error *err)
{
	const struct bpb *bpb = d->ck->bpb;
	struct finding f = {
		.id = i ? PROBLEM_DOTDOT_CLUSTER : PROBLEM_DOT_CLUSTER,
		.n = dirent_clus(bpb->type, dots->raw[i]),
		.m = dot_target(d->w, i),
	};
	enum status st;
	bool fix;

	/* Some write the root's cluster where 0 should be; no one minds. */
	if (f.n == f.m || (i && !f.m && f.n == bpb->root_clus))
		return ST_OK;
	st = walk_offer(d->w, NULL, f, &fix, err);
	return st || !fix ? st
			  : set_cluster(d->ck, dots, i, (clus_t)f.m, err);
}

enum status check_dots(struct dirscan *d, struct error *err)
{
	struct dots dots = { .n = 0 };
	enum status st;
	unsigned i, right = 0;

	st = read_dots(d, &dots, err);
	for (i = 0; i < 2 && !st; i++) {
		if (!dot_is_right(&dots, i))
			continue;
		right++;
		st = check_target(d, &dots, i, err);
	}
	if (st || right == 2)
		return st;
	return mend_dots(d, &dots, err);
}

enum status check_stray_dot(struct dirscan *d, const struct dir_entry *e,
			    struct error *err)
{
	enum status st;
	bool fix;

	st = walk_offer(d->w, e->name, (struct finding){
		.id = PROBLEM_DOT_PLACE, .n = e->slot }, &fix, err);
	if (st || !fix)
		return st;
	d->dots_wait = true;
	return repair_remove(d->ck, e, err);
}
