/*
 * check_gate.c - what the caller expects of files by name
 *
 * A gate for manufacture: what can't be shown to hold does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "check/work.h"
#include "fat/path.h"

static enum status add(struct check *ck, const char *path, enum problem_id id,
		       uint64_t n, uint64_t m, struct error *err)
{
	struct finding f = { .id = id, .n = n, .m = m };

	f.path = strdup(path);
	if (!f.path)
		return error_set_nomem(err);
	return check_add(ck, f, err);
}

/* The chain of the file at path; *found = false if there is no such file. */
static enum status find_chain(struct check *ck, const char *path,
			      struct chain *chain, bool *found,
			      struct error *err)
{
	struct error why = { 0 };
	struct dir_entry *e;
	enum status st;
	bool is_root;

	*found = false;
	e = malloc(sizeof(*e));
	if (!e)
		return error_set_nomem(err);
	st = path_lookup(ck->vol, &ck->win, ck->cp, path, e, &is_root, &why);
	/* A directory that the image lacks can't be read. */
	if (st == ST_REFUSED || (st == ST_IO && ck->tree_incomplete)) {
		st = ST_OK;
	} else if (st) {
		if (err)
			*err = why;
	} else if (!is_root && !dirent_is_dir(e->raw)) {
		*found = true;
		st = chain_walk(&ck->win, e->clus, ck->bpb->clusters, NULL,
				NULL, chain, err);
	}
	free(e);
	return st;
}

static bool ends_badly(const struct chain *chain)
{
	/* The tree walk has told what is wrong with it; FF0 is an end. */
	return chain->end != CHAIN_EOC && chain->end != CHAIN_RESERVED;
}

static enum status check_line(struct check *ck,
			      const struct manifest_line *line,
			      struct error *err)
{
	struct chain chain;
	uint64_t bytes;
	enum status st;
	bool found;

	st = find_chain(ck, line->path, &chain, &found, err);
	if (st)
		return st;
	if (!found)
		return add(ck, line->path, PROBLEM_EXPECT_MISSING, 0, 0, err);
	bytes = (uint64_t)chain.clusters * ck->bpb->cluster_bytes;
	if (ends_badly(&chain))
		bytes = 0;
	if (!line->max && bytes < line->length_bytes)
		return add(ck, line->path, PROBLEM_EXPECT_SHORT,
			   line->length_bytes, bytes, err);
	if (chain.runs != 1)
		return add(ck, line->path, PROBLEM_NOT_CONTIGUOUS, chain.runs,
			   0, err);
	return ST_OK;
}

static enum status check_contiguous(struct check *ck, const char *path,
				    struct error *err)
{
	struct chain chain;
	enum status st;
	bool found;

	st = find_chain(ck, path, &chain, &found, err);
	if (st)
		return st;
	if (!found)
		return add(ck, path, PROBLEM_EXPECT_MISSING, 0, 0, err);
	if (chain.runs != 1 || ends_badly(&chain))
		return add(ck, path, PROBLEM_NOT_CONTIGUOUS, chain.runs, 0,
			   err);
	return ST_OK;
}

enum status check_gate(struct check *ck, struct error *err)
{
	const struct manifest *m = ck->opt->expect;
	enum status st = ST_OK;
	size_t i;

	for (i = 0; m && i < m->n && !st; i++)
		st = check_line(ck, &m->v[i], err);
	for (i = 0; i < ck->opt->n_contiguous && !st; i++)
		st = check_contiguous(ck, ck->opt->contiguous[i], err);
	return st;
}
