/*
 * check_layout.c - is a field of the boot sector wrong that all goes by?
 *
 * One wrong byte there moves FATs, root or clusters, and a repair that goes by
 * it would write copies of the FAT over files, or take directories for
 * rubbish. So if something is not where the boot sector puts it, each value
 * that each of these fields can have is tried. Of those by which everything is
 * in its place the one that explains the most FATs is right. format.md 10, 17,
 * 34.
 */
#include "check/check_layout.h"

#include <string.h>

#include "base/bytes.h"
#include "base/ckd.h"
#include "check/layout_look.h"
#include "check/repair_in.h"

#define BOOT_BYTES    512
#define FAT16_SEC_MAX 256u /* no FAT12 or FAT16 needs more */
#define COPIES_MAX    15u
#define SLOTS_PER_SEC 16u /* of 512 bytes */

struct field {
	unsigned at, bytes;
	uint32_t from, to;
	uint32_t step; /* 0: each value is twice the one before */
};

enum {
	AT_SECTOR_BYTES = 11,
	AT_CLUSTER_SEC = 13,
	AT_RESERVED_SEC = 14,
	AT_COPIES = 16,
	AT_ROOT_ENTRIES = 17,
	AT_FAT16_SEC = 22,
	AT_FAT32_SEC = 36,
};

static const struct field of_fats[] = {
	{ AT_COPIES, 1, 1, COPIES_MAX, 1 },
	{ AT_FAT16_SEC, 2, 0, FAT16_SEC_MAX, 1 }, /* 0: it is FAT32 */
	{ AT_FAT32_SEC, 4, 1, UINT32_MAX, 1 },
	{ AT_SECTOR_BYTES, 2, 512, 4096, 0 },
	{ AT_RESERVED_SEC, 2, 1, UINT16_MAX, 1 },
};

/* These move root and clusters alone. */
static const struct field of_clusters[] = {
	{ AT_CLUSTER_SEC, 1, 1, 128, 0 },
	{ AT_ROOT_ENTRIES, 2, 0, UINT16_MAX, SLOTS_PER_SEC },
};

#define N_FIELDS(a) (sizeof(a) / sizeof((a)[0]))

struct search {
	struct check *ck;
	uint8_t boot[BOOT_BYTES];
	struct layout_look here; /* by the boot sector as it is */
	bool by_dirs; /* directories have to be where they are said to be */
	/* The best so far. */
	unsigned fats;
	const struct field *field; /* NULL = none */
	uint32_t value;
};

enum status check_layout_beats(struct check *ck, const struct bpb *b,
			       bool *yes, struct error *err)
{
	struct layout_look here, there = { 0 };
	enum status st = layout_look(ck, ck->bpb, &here, err);

	if (!st)
		st = layout_look(ck, b, &there, err);
	*yes = false;
	if (st || there.fats < here.fats || there.faults > here.faults)
		return st;
	if (there.faults < here.faults)
		*yes = there.fats > here.fats || there.root >= here.root;
	else
		*yes = there.root == ROOT_ENTRIES &&
		       (here.root != ROOT_ENTRIES ||
			there.dirs_right > here.dirs_right);
	return ST_OK;
}

static uint32_t load(const uint8_t *p, unsigned bytes)
{
	return bytes == 1 ? *p : bytes == 2 ? get_le16(p) : get_le32(p);
}

static void store(uint8_t *p, unsigned bytes, uint32_t value)
{
	if (bytes == 1)
		*p = (uint8_t)value;
	else if (bytes == 2)
		put_le16(p, (uint16_t)value);
	else
		put_le32(p, value);
}

/* The root of a FAT32 has no place of its own. */
static bool is_no_root(const struct search *s, const struct field *field,
		       uint32_t value)
{
	return s->ck->bpb->type == FAT32 && field->at == AT_ROOT_ENTRIES &&
	       !value;
}

static bool is_in_place(const struct search *s, const struct layout_look *look,
			bool needs_dirs)
{
	if (look->faults || look->root != ROOT_ENTRIES)
		return false;
	if (s->by_dirs && look->dirs_wrong)
		return false;
	/* What looks like a root may be one. */
	if (!s->by_dirs && s->here.root == ROOT_ENTRIES &&
	    look->fats <= s->here.fats &&
	    (look->fats < s->here.fats ||
	     look->dirs_right <= s->here.dirs_right))
		return false;
	return needs_dirs ? look->dirs_right > 0
			  : look->dirs_right >= look->dirs_wrong;
}

/* Is everything in its place by this value? */
static enum status try_value(struct search *s, const struct field *field,
			     uint32_t value, struct error *err)
{
	bool needs_dirs = s->by_dirs && !is_no_root(s, field, value), yes;
	uint64_t size = s->ck->vol->blk->size_bytes;
	struct layout_look look = { 0 };
	uint8_t boot[BOOT_BYTES];
	struct bpb b;
	enum status st;

	memcpy(boot, s->boot, sizeof(boot));
	store(boot + field->at, field->bytes, value);
	if (bpb_decode(boot, size, &b, NULL) ||
	    (needs_dirs && !layout_fat_fits(&b)))
		return ST_OK;
	/* Most values fail here. */
	st = layout_has_fat(s->ck, b.type,
			    bpb_fat_copy_offset(&b, b.fat_copies - 1), &yes,
			    err);
	if (!st && yes)
		st = layout_look(s->ck, &b, &look, err);
	if (st || !yes || look.fats <= s->fats ||
	    !is_in_place(s, &look, needs_dirs))
		return st;
	s->fats = look.fats;
	s->field = field;
	s->value = value;
	return ST_OK;
}

/* No FAT is longer than twice what the sectors of the volume need. */
static uint64_t last_value(const struct bpb *bpb, const struct field *field)
{
	uint64_t most = bpb->total_sec / bpb->cluster_sec * 8;

	return field->at == AT_FAT32_SEC ?
	       MIN(field->to, most / bpb->sector_bytes + 64) : field->to;
}

static bool has_field(const struct bpb *bpb, const struct field *field)
{
	return field->at == AT_FAT16_SEC ? bpb->type != FAT32 :
	       field->at == AT_FAT32_SEC ? bpb->type == FAT32 : true;
}

static enum status try_field(struct search *s, const struct field *field,
			     struct error *err)
{
	uint32_t now = load(s->boot + field->at, field->bytes);
	uint64_t v, last = last_value(s->ck->bpb, field);
	enum status st = ST_OK;

	if (!has_field(s->ck->bpb, field))
		return ST_OK;
	for (v = field->from; v <= last && !st;
	     v = field->step ? v + field->step : v * 2) {
		if (v != now)
			st = try_value(s, field, (uint32_t)v, err);
		if (!st)
			st = check_tick(s->ck, err);
	}
	return st;
}

static enum status search(struct search *s, const struct field *fields,
			  size_t n, struct error *err)
{
	enum status st = ST_OK;
	size_t i;

	for (i = 0; i < n && !st; i++)
		st = try_field(s, &fields[i], err);
	return st;
}

/* The right value, or that there is none. */
static enum status offer(struct search *s, bool *fix, struct error *err)
{
	struct check *ck = s->ck;
	const struct field *f = s->field;
	uint8_t new[4];
	enum status st;

	if (!f)
		return check_note(ck, PROBLEM_BOOT_DOUBT, 0, 0, err);
	st = check_offer(ck, (struct finding){
		.id = PROBLEM_BOOT_LAYOUT,
		.first = f->at,
		.last = f->at,
		.n = load(s->boot + f->at, f->bytes),
		.m = s->value }, fix, err);
	if (st || !*fix)
		return st;
	ck->rep->geometry_changes = true;
	store(new, f->bytes, s->value);
	return repair_bytes(ck, REGION_BOOT, f->at, s->boot + f->at, new,
			    f->bytes, err);
}

/* No root, or none of the directories in it. */
static bool is_odd(const struct bpb *bpb, const struct layout_look *here)
{
	if (here->root == ROOT_ENTRIES)
		return here->dirs_wrong && !here->dirs_right;
	return here->root == ROOT_NONE ||
	       (bpb->type == FAT32 && bpb->root_entries);
}

enum status check_layout(struct check *ck, bool *wrong, bool *fix,
			 struct error *err)
{
	struct search s = { .ck = ck };
	const struct layout_look *here = &s.here;
	bool doubt = false;
	enum status st;

	*wrong = *fix = false;
	st = layout_look(ck, ck->bpb, &s.here, err);
	if (!st)
		st = blk_read(ck->vol->blk, 0, s.boot, sizeof(s.boot), err);
	if (st)
		return st;
	if (here->faults || here->root == ROOT_NONE) {
		st = search(&s, of_fats, N_FIELDS(of_fats), err);
		doubt = !here->fats && here->root == ROOT_NONE;
	}
	if (!st && !s.field && is_odd(ck->bpb, here)) {
		s.by_dirs = true;
		st = search(&s, of_clusters, N_FIELDS(of_clusters), err);
	}
	*wrong = !st && (s.field || doubt);
	return st || !*wrong ? st : offer(&s, fix, err);
}
