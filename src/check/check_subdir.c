/*
 * check_subdir.c - the entry and the chain of a directory
 *
 * A directory without a cluster of its own has nothing in it, so it is
 * removed; what once was in it is found as lost chains. Invariant: the names
 * of such an entry are not judged, so nothing else changes its slots.
 */
#include "check/check_dir.h"

#define ANCESTORS_MAX (1u << 26) /* looked at in a round */
#define DIR_BYTES_MAX (DIR_SLOTS_MAX * DIRENT_BYTES)

/*
 * Is the directory at clus one of those that the walk is in? A hostile volume
 * can't make it ask for ever: after so many answers it is a cross-link.
 */
static bool find_ancestor(struct check *ck, const struct walk *w, clus_t clus,
			  size_t *depth)
{
	size_t i;

	for (i = 0; i < w->depth && ck->ancestors < ANCESTORS_MAX; i++) {
		ck->ancestors++;
		if ((i ? w->frames[i].clus : w->ck->bpb->root_clus) == clus) {
			*depth = i;
			return true;
		}
	}
	return false;
}

enum status check_is_void(struct check *ck, const struct dir_entry *e,
			  bool *is_void, struct error *err)
{
	uint32_t value;
	enum status st;

	*is_void = true;
	if (!bpb_has_clus(ck->bpb, e->clus) || bitmap_get(ck->used, e->clus))
		return ST_OK;
	st = check_get(ck, e->clus, &value, err);
	*is_void = !fatent_is_used(ck->bpb->type, value);
	return st;
}

enum status check_remove_dir(const struct walk *w, const struct dir_entry *e,
			     struct error *err)
{
	enum status st = repair_remove(w->ck, e, err);

	if (st || !e->has_long)
		return st;
	return check_delete_slots(w->ck, &w->reader.set, err);
}

static enum status judge_loop(const struct walk *w, const struct dir_entry *e,
			      size_t depth, struct error *err)
{
	struct finding f = { .id = PROBLEM_DIR_LOOP };
	enum status st;
	bool fix;

	if (!findings_full(&w->ck->res->findings)) {
		f.other = walk_path_at(w, depth);
		if (!f.other)
			return error_set_nomem(err);
	}
	st = walk_offer(w, e->name, f, &fix, err);
	return st || !fix ? st : check_remove_dir(w, e, err);
}

/* It has no use, and systems expect 0 (format.md 35). */
static enum status judge_size(const struct walk *w, const struct dir_entry *e,
			      struct error *err)
{
	enum status st;
	bool fix;

	if (!e->size_bytes)
		return ST_OK;
	st = walk_offer(w, e->name, (struct finding){
		.id = PROBLEM_DIR_SIZE, .n = e->size_bytes }, &fix, err);
	if (st || !fix)
		return st;
	return repair_size(w->ck, e, 0, err);
}

enum status check_no_chain(const struct walk *w, const struct dir_entry *e,
			   struct error *err)
{
	enum status st;
	bool fix;

	if (!w->visitor->judge)
		return ST_OK;
	st = walk_offer(w, e->name, (struct finding){
		.id = PROBLEM_DIR_NONE }, &fix, err);
	return st || !fix ? st : check_remove_dir(w, e, err);
}

/* What is behind the slots that systems read is cut off. */
static enum status judge_length(const struct walk *w, const char *name,
				const struct claim *claim, struct error *err)
{
	uint32_t cluster_bytes = w->ck->bpb->cluster_bytes, i;
	clus_t last = 0, next = claim->first;
	enum status st;
	bool fix;

	st = walk_offer(w, name, (struct finding){
		.id = PROBLEM_DIR_LONG,
		.n = (uint64_t)claim->clusters * cluster_bytes }, &fix, err);
	if (st || !fix)
		return st;
	for (i = 0; i < DIR_BYTES_MAX / cluster_bytes && !st; i++) {
		last = next;
		st = check_get(w->ck, last, &next, err);
	}
	return st ? st : repair_cut(w->ck, last, next, err);
}

enum status check_dir_chain(const struct walk *w, const struct dir_entry *e,
			    const struct claim *claim, struct error *err)
{
	const char *name = e ? e->name : NULL;
	uint64_t bytes = (uint64_t)claim->clusters * w->ck->bpb->cluster_bytes;
	enum status st = check_chain(w, e, claim, err);

	if (!st && bytes > DIR_BYTES_MAX)
		st = judge_length(w, name, claim, err);
	if (!st && claim->beyond) {
		w->ck->tree_incomplete = true;
		st = walk_add(w, name, (struct finding){
			.id = PROBLEM_BEYOND_IMAGE, .first = claim->beyond,
			.last = claim->beyond }, err);
	}
	return st;
}

enum status check_subdir(const struct walk *w, const struct dir_entry *e,
			 const struct claim *claim, struct error *err)
{
	enum status st;
	size_t depth;

	if (!claim->clusters && claim->end == CLAIM_SHARED &&
	    find_ancestor(w->ck, w, e->clus, &depth))
		return judge_loop(w, e, depth, err);
	st = check_dir_chain(w, e, claim, err);
	return st ? st : judge_size(w, e, err);
}
