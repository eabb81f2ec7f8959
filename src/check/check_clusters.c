/*
 * check_clusters.c - do files lie behind the last cluster?
 *
 * With too low a total of sectors, or a root directory that is said to be too
 * long, the last clusters are said not to be there, and files would be cut
 * there, or made empty. What the FAT has behind its last entry is mostly
 * nothing, and may be anything (format.md 6). So it is looked at only to see
 * whether an entry of the tree has a chain there that ends properly and is as
 * long as the entry needs. Then there are as many clusters as the image has,
 * or, if it goes on behind the volume, as the files have, if that explains it;
 * else nobody knows where the clusters are.
 *
 * Invariants: all looks of a walk share a budget in proportion to the
 * clusters; nothing is read behind what a volume as large as the image needs.
 */
#include "base/ckd.h"
#include "check/check_layout.h"
#include "check/repair_in.h"
#include "check/walk.h"
#include "fat/chain.h"

#define BUDGET_PER_CLUSTER 8
#define FAT16_BYTES_MIN	   (4087u * 2) /* for 4,085 clusters */

struct clusters {
	struct check *ck;
	struct volume wide; /* with all clusters that there may be */
	struct fatwin win;  /* on a copy of its FAT */
	uint64_t budget;    /* clusters that may still be looked at */
	uint64_t sound;	    /* chains that entries of the tree may have */
	clus_t last;	    /* of those behind the last cluster; 0 = none yet */
};

/* With those that the FAT has entries for, and the image room. */
static struct clusters make(struct check *ck, enum fat_type type)
{
	struct clusters s = { .ck = ck, .wide = *ck->vol };
	uint64_t n = s.wide.blk->size_bytes / ck->bpb->cluster_bytes;

	s.wide.bpb.type = type;
	s.wide.bpb.last_clus =
		(clus_t)MIN(n, bpb_fat_clusters(&s.wide.bpb)) + 1;
	return s;
}

/* Is an entry behind the last one in use? */
static enum status has_more(struct clusters *s, bool *yes, struct error *err)
{
	const struct bpb *bpb = &s->wide.bpb;
	uint64_t c = (uint64_t)s->ck->bpb->last_clus + 1;
	enum status st = ST_OK;
	uint32_t value;

	*yes = false;
	for (; c <= bpb->last_clus && !*yes && !st; c++) {
		st = fatwin_get(&s->win, (clus_t)c, &value, err);
		*yes = !st && fatent_is_used(bpb->type, value);
		if (!st)
			st = check_tick(s->ck, err);
	}
	return st;
}

static enum status note_last(void *arg, struct run run, struct error *err)
{
	clus_t *last = arg;

	(void)err;
	*last = MAX(*last, run.first + run.count - 1);
	return ST_OK;
}

/* The chain of an entry, or the root's. */
static enum status look(void *arg, const struct dir_entry *e, clus_t first,
			struct error *err)
{
	struct clusters *s = arg;
	const struct bpb *bpb = &s->wide.bpb;
	uint64_t needed = 1;
	struct chain chain;
	clus_t last = 0;
	enum status st;

	if (!bpb_has_clus(bpb, first) || !s->budget)
		return ST_OK;
	if (e && !dirent_is_dir(e->raw))
		needed = bpb_clusters_for(bpb, e->size_bytes);
	st = chain_walk(&s->win, first, s->budget, note_last, &last, &chain,
			err);
	if (st)
		return st;
	s->budget -= chain.clusters;
	if (chain.end == CHAIN_EOC && chain.clusters >= needed) {
		s->sound++;
		if (last > s->ck->bpb->last_clus)
			s->last = MAX(s->last, last);
	}
	return check_tick(s->ck, err);
}

static enum status look_at_tree(struct clusters *s, struct error *err)
{
	const struct walk_visitor looks = { .before = look, .arg = s };
	struct check *ck = s->ck;
	enum status st = ST_OK;

	s->budget = check_budget(ck, BUDGET_PER_CLUSTER);
	/* Where the root's is not one of the clusters the walk has none. */
	if (ck->bpb->oddities & BPB_ROOT_CLUSTER)
		st = look(s, NULL, ck->bpb->root_clus, err);
	if (!st)
		st = walk_tree(ck, &looks, err);
	ck->tree_incomplete = false;
	return st ? st : check_forget_used(ck, err);
}

static enum status open_copy(struct clusters *s, unsigned copy, bool *opened,
			     struct error *err)
{
	const struct bpb *bpb = &s->wide.bpb;

	*opened = check_in_image(s->ck, bpb_fat_copy_offset(bpb, copy),
				 bpb->fat_bytes);
	return *opened ? fatwin_open(&s->win, &s->wide, copy, err) : ST_OK;
}

/* One copy is enough: the other one may be damaged there. */
static enum status look_at_copy(struct clusters *s, unsigned copy,
				struct error *err)
{
	enum status st;
	bool more;

	st = open_copy(s, copy, &more, err);
	if (!st && more)
		st = has_more(s, &more, err);
	if (!st && more)
		st = look_at_tree(s, err);
	fatwin_close(&s->win);
	return st;
}

static enum status count_sound(struct check *ck, enum fat_type type,
			       uint64_t *n, struct error *err)
{
	struct clusters s = make(ck, type);
	enum status st;
	bool opened;

	st = open_copy(&s, ck->bpb->active_fat, &opened, err);
	if (!st && opened)
		st = look_at_tree(&s, err);
	fatwin_close(&s.win);
	*n = s.sound;
	return st;
}

/* So few clusters that it is a FAT12, with a FAT for more: is it one? */
static enum status judge_type(struct check *ck, bool *wrong,
			      struct error *err)
{
	uint64_t as_fat12, as_fat16;
	enum status st;

	st = count_sound(ck, FAT12, &as_fat12, err);
	if (!st)
		st = count_sound(ck, FAT16, &as_fat16, err);
	*wrong = !st && as_fat16 > as_fat12;
	if (st || !*wrong)
		return st;
	return check_note(ck, PROBLEM_TYPE_DOUBT, 0, 0, err);
}

/* No more sectors than the volume can have. */
static uint64_t most_sectors(const struct clusters *s)
{
	const struct bpb *bpb = s->ck->bpb;
	uint64_t data = bpb->data_offset_bytes / bpb->sector_bytes;

	if (s->ck->vol->is_part)
		return data + (uint64_t)(s->last - 1) * bpb->cluster_sec;
	/* Behind the last cluster there may be a part of one. */
	return data + ((uint64_t)bpb_fat_clusters(bpb) + 1) *
			      bpb->cluster_sec - 1;
}

/* How many clusters there are, or that there is no telling. */
static enum status offer(struct clusters *s, bool *fix, struct error *err)
{
	const struct bpb *bpb = s->ck->bpb;
	bool can = false;
	struct total total;
	enum status st = ST_OK;
	enum total_source from;

	for (from = 0; from < TOTALS && !can && !st; from++) {
		st = total_make(s->ck, from, most_sectors(s), &total, &can,
				err);
		can = can && total.bpb.type == bpb->type &&
		      total.bpb.last_clus >= s->last;
	}
	if (st || can)
		return st ? st : total_offer(s->ck, &total, fix, err);
	return check_note(s->ck, PROBLEM_BOOT_CLUSTERS, bpb->last_clus,
			  s->last, err);
}

enum status check_clusters(struct check *ck, bool *wrong, bool *fix,
			   struct error *err)
{
	struct clusters s = make(ck, ck->bpb->type);
	const struct bpb *bpb = ck->bpb;
	enum status st = ST_OK;
	unsigned copy;

	*wrong = *fix = false;
	if (!ck->used)
		return ST_OK;
	if (bpb->type == FAT12 && bpb->fat_bytes >= FAT16_BYTES_MIN)
		st = judge_type(ck, wrong, err);
	if (st || *wrong || s.wide.bpb.last_clus <= bpb->last_clus)
		return st;
	for (copy = 0; copy < bpb->fat_copies && !st; copy++)
		if (bpb->mirrored || copy == bpb->active_fat)
			st = look_at_copy(&s, copy, err);
	*wrong = !st && s.last;
	return st || !*wrong ? st : offer(&s, fix, err);
}
