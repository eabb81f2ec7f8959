/*
 * repair_plan.c - who decides about a repair, and what is planned
 *
 * Invariants: an edit for each directory entry, up to a bound; for each
 * cluster a bit. While the FAT copies differ and stay so, nothing is planned
 * on the strength of one of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "change/straddle.h"
#include "check/repair_in.h"
#include "check/walk.h"

/* Edits that a round holds: some 10 MB. */
#define PLAN_MAX 32768

bool repair_is_full(const struct repair *rep)
{
	return rep->edits.n_bytes + rep->edits.n_links >= PLAN_MAX;
}

static bool is_lost(enum problem_id id)
{
	return id == PROBLEM_LOST_CHAIN || id == PROBLEM_LOST_RING ||
	       id == PROBLEM_LOST_BEYOND;
}

/* Damage that makes what the tree has, or has not, uncertain. */
static bool is_of_tree(enum problem_id id)
{
	return (id >= PROBLEM_START_RANGE && id <= PROBLEM_CROSS_LINK) ||
	       (id >= PROBLEM_DIR_NONE && id <= PROBLEM_DIR_DATA);
}

static bool lost_may_go(const struct repair *rep)
{
	enum repair_lost lost = rep->opt->lost;

	if (rep->tree_left || lost == REPAIR_LOST_KEEP)
		return false;
	return lost != REPAIR_LOST_DEFAULT ||
	       rep->opt->mode != REPAIR_PREEN;
}

/* What was answered no stays so: nobody is asked twice. */
static enum status ask(struct repair *rep, const struct finding *f, bool *yes,
		       struct error *err)
{
	uint64_t h = finding_hash(f);
	enum status st;
	size_t i;

	*yes = false;
	for (i = 0; i < rep->n_declined; i++)
		if (rep->declined[i] == h)
			return ST_OK;
	st = rep->opt->ask(rep->opt->arg, f, yes, err);
	if (st || *yes)
		return st;
	st = array_reserve(&rep->declined, &rep->cap_declined,
			   rep->n_declined + 1, sizeof(h), err);
	if (!st)
		rep->declined[rep->n_declined++] = h;
	return st;
}

static enum status decide(struct repair *rep, const struct finding *f,
			  bool *yes, struct error *err)
{
	const struct problem *p = problem_get(f->id);
	bool asked_for = false;

	*yes = false;
	if (!*p->repair || rep->locked)
		return ST_OK;
	if (is_lost(f->id)) {
		if (!lost_may_go(rep))
			return ST_OK;
		asked_for = rep->opt->lost != REPAIR_LOST_DEFAULT;
	}
	if (f->id == PROBLEM_RESERVATION) {
		if (!rep->opt->release)
			return ST_OK;
		asked_for = true;
	}
	switch (rep->opt->mode) {
	case REPAIR_PREEN:
		*yes = p->preen || asked_for;
		return ST_OK;
	case REPAIR_ASK:
		return ask(rep, f, yes, err);
	default:
		*yes = true;
		return ST_OK;
	}
}

static enum status drop(struct finding *f)
{
	free(f->path);
	free(f->other);
	return ST_OK;
}

enum status check_offer(struct check *ck, struct finding f, bool *fix,
			struct error *err)
{
	struct repair *rep = ck->rep;
	enum status st;

	*fix = false;
	if (!rep)
		return check_add(ck, f, err);
	if (repair_is_full(rep)) {
		rep->postponed = true;
		rep->tree_changes = true;
		return drop(&f);
	}
	st = decide(rep, &f, fix, err);
	if (st) {
		drop(&f);
		return st;
	}
	f.planned = *fix;
	if (!*fix && is_of_tree(f.id))
		rep->tree_left = true;
	return check_add(ck, f, err);
}

enum status walk_offer(const struct walk *w, const char *name,
		       struct finding f, bool *fix, struct error *err)
{
	bool asks = w->ck->rep && w->ck->rep->opt->mode == REPAIR_ASK;

	if (asks || !findings_full(&w->ck->res->findings)) {
		f.path = walk_path(w, name);
		if (!f.path) {
			free(f.other);
			return error_set_nomem(err);
		}
	}
	return check_offer(w->ck, f, fix, err);
}

void repair_tree_changes(struct check *ck)
{
	ck->rep->tree_changes = true;
}

enum status repair_bytes(struct check *ck, enum region region,
			 uint64_t offset_bytes, const void *expect,
			 const void *value, uint32_t len, struct error *err)
{
	enum phase phase = region == REGION_FSINFO ? PHASE_FSINFO
						   : PHASE_ENTRIES;

	if (region == REGION_BOOT)
		ck->rep->boot_changes = true;
	return edits_add_bytes(&ck->rep->edits, phase, region, offset_bytes,
			       expect, value, len, err);
}

enum status repair_slot(struct check *ck, uint64_t offset_bytes,
			const uint8_t *old, const uint8_t *value, bool hidden,
			struct error *err)
{
	return edits_add_bytes(&ck->rep->edits,
			       hidden ? PHASE_CHAINS : PHASE_LINKS, REGION_DIR,
			       offset_bytes, old, value, DIRENT_BYTES, err);
}

enum status repair_end_mark(struct check *ck, uint64_t offset_bytes,
			    const uint8_t *old, struct error *err)
{
	static const uint8_t end = DIRENT_END;

	if (*old == DIRENT_END)
		return ST_OK;
	return edits_add_bytes(&ck->rep->edits, PHASE_CHAINS, REGION_DIR,
			       offset_bytes, old, &end, 1, err);
}

enum status repair_cut(struct check *ck, clus_t c, uint32_t old,
		       struct error *err)
{
	struct edits *e = &ck->rep->edits;

	ck->rep->tree_changes = true;
	if (!straddle_is(ck->bpb, c))
		return edits_add_end(e, ck->bpb, c, err);
	if (!straddle_add_cut(e, ck->bpb, c, old, NULL, NULL))
		return ST_OK;
	/* No value in between is sound; what is there is not, either. */
	return edits_add_link(e, PHASE_LINKS, c, old, fatent_eoc(FAT12), err);
}

enum status repair_free(struct check *ck, clus_t c, struct error *err)
{
	ck->rep->tree_changes = true;
	ck->rep->freed++;
	return edits_add_free(&ck->rep->edits, ck->bpb, (struct run){ c, 1 },
			      err);
}

enum status repair_link(struct check *ck, clus_t c, uint32_t old,
			uint32_t value, struct error *err)
{
	if (c >= 2)
		ck->rep->tree_changes = true;
	return edits_add_link(&ck->rep->edits, PHASE_LINKS, c, old, value,
			      err);
}

enum status repair_remove(struct check *ck, const struct dir_entry *e,
			  struct error *err)
{
	static const uint8_t deleted = DIRENT_DELETED;

	ck->rep->tree_changes = true;
	return repair_bytes(ck, REGION_DIR, e->offset_bytes, e->raw, &deleted,
			    1, err);
}

enum status repair_field(struct check *ck, const struct dir_entry *e,
			 const uint8_t *slot, unsigned at, uint32_t len,
			 struct error *err)
{
	if (!memcmp(e->raw + at, slot + at, len))
		return ST_OK;
	return repair_bytes(ck, REGION_DIR, e->offset_bytes + at, e->raw + at,
			    slot + at, len, err);
}

enum status repair_start(struct check *ck, const struct dir_entry *e,
			 clus_t clus, struct error *err)
{
	uint8_t slot[DIRENT_BYTES];
	enum status st;

	ck->rep->tree_changes = true;
	memcpy(slot, e->raw, sizeof(slot));
	dirent_set_clus(ck->bpb->type, slot, clus);
	st = repair_field(ck, e, slot, DIRENT_AT_CLUS_HIGH, 2, err);
	return st ? st : repair_field(ck, e, slot, DIRENT_AT_CLUS_LOW, 2, err);
}

enum status repair_size(struct check *ck, const struct dir_entry *e,
			uint32_t size_bytes, struct error *err)
{
	uint8_t slot[DIRENT_BYTES];

	memcpy(slot, e->raw, sizeof(slot));
	dirent_set_size(slot, size_bytes);
	return repair_field(ck, e, slot, DIRENT_AT_SIZE, 4, err);
}

enum status repair_empty(struct check *ck, const struct dir_entry *e,
			 struct error *err)
{
	enum status st = repair_start(ck, e, 0, err);

	return st || dirent_is_dir(e->raw) ? st : repair_size(ck, e, 0, err);
}
