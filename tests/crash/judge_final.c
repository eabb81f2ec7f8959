/*
 * judge_final.c - the state after the whole job
 *
 * What shall be is worked out here from the volume before the job and the
 * goal alone; nothing that the program reports is believed.
 */
#include <string.h>
#include <strings.h>

#include "judge_in.h"

static const struct goal_file *goal_of(const struct judge *j,
				       const struct reader_file *f)
{
	size_t i;

	for (i = 0; i < j->goal->n; i++)
		if (!strcasecmp(j->goal->files[i].path, f->path))
			return &j->goal->files[i];
	return NULL;
}

/* Is f a directory on the way to a requested file? */
static bool on_the_way(const struct judge *j, const struct reader_file *f)
{
	size_t len = strlen(f->path), i;

	for (i = 0; i < j->goal->n && f->dir; i++)
		if (!strncasecmp(j->goal->files[i].path, f->path, len) &&
		    j->goal->files[i].path[len] == '/')
			return true;
	return false;
}

static uint32_t clusters(const struct judge *j, uint64_t bytes)
{
	return (uint32_t)((bytes + j->old.cluster - 1) / j->old.cluster);
}

static uint32_t runs(const uint32_t *chain, uint32_t n)
{
	uint32_t i, count = n > 0;

	for (i = 1; i < n; i++)
		count += chain[i] != chain[i - 1] + 1;
	return count;
}

static bool starts_with(const struct reader_file *f,
			const struct reader_file *start)
{
	return f->n >= start->n &&
	       (!start->n || !memcmp(f->chain, start->chain,
				     start->n * sizeof(uint32_t)));
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool final_goal(struct judge *j, const struct goal_file *g,
		       const struct reader_file *f,
		       const struct reader_file *o)
{
	bool release = j->goal->mode == GOAL_RELEASE;
	bool extend = j->goal->mode == GOAL_EXTEND ||
		      j->goal->mode == GOAL_NO_ZERO;
	uint32_t old_n = o ? o->n : 0, size = o ? o->size : 0;
	uint32_t want = release ? clusters(j, size) : clusters(j, g->length);

	if (!release && want < old_n)
		want = old_n;
	if (extend && g->length > size)
		size = (uint32_t)g->length;
	if (f->n != want || f->size != size)
		return judge_fault(j, "after the job: /%s has %u clusters "
				   "and size %u, not %u and %u", f->path,
				   f->n, f->size, want, size);
	if (o && !(release ? starts_with(o, f) : starts_with(f, o)))
		return judge_fault(j, "after the job: /%s lost its chain",
				   f->path);
	if (f->n > old_n && runs(f->chain + old_n, f->n - old_n) >
				    (j->goal->max_extents ?
				     j->goal->max_extents : 1))
		return judge_fault(j, "after the job: /%s has too many runs",
				   f->path);
	if (!o && strcmp(last_name(f->path), last_name(g->path)))
		return judge_fault(j, "after the job: /%s is not named %s",
				   f->path, last_name(g->path));
	return true;
}

static bool final_other(struct judge *j, const struct reader_file *f,
			const struct reader_file *o)
{
	if (!o)
		return on_the_way(j, f) ||
		       judge_fault(j, "after the job: /%s appeared", f->path);
	if (memcmp(f->raw, o->raw, 32))
		return judge_fault(j, "after the job: the entry of /%s "
				   "changed", f->path);
	if (f->dir ? !starts_with(f, o) : !judge_same_chain(f, o))
		return judge_fault(j, "after the job: the chain of /%s "
				   "changed", f->path);
	return true;
}

static bool final_files(struct judge *j)
{
	const struct reader_file *f, *o;
	const struct goal_file *g;
	size_t i;
	int k, at;

	for (k = 0; k < j->final.n; k++) {
		f = &j->final.f[k];
		at = f->label ? -1 : reader_find(&j->old, f->path);
		o = at < 0 ? NULL : &j->old.f[at];
		g = goal_of(j, f);
		if (f->label)
			continue;
		if (g ? !final_goal(j, g, f, o) : !final_other(j, f, o))
			return false;
	}
	for (i = 0; i < j->goal->n; i++)
		if (reader_find(&j->final, j->goal->files[i].path) < 0)
			return judge_fault(j, "after the job: /%s is missing",
					   j->goal->files[i].path);
	return true;
}

/* Copies equal, upper bits and slack kept, nothing newly lost. */
static bool final_fats(struct judge *j)
{
	const struct reader *r = &j->final;
	uint64_t bits = ((uint64_t)r->last + 1) * r->type;
	size_t used = (size_t)((bits + 7) / 8), at, c;
	unsigned k;

	for (k = 0; k < r->copies; k++) {
		at = r->fat + k * r->fat_bytes;
		if (r->mirrored && memcmp(j->after + at, j->after + r->fat,
					  used))
			return judge_fault(j, "after the job: FAT copy %u "
					   "differs", k + 1);
		if (memcmp(j->after + at + used, j->before + at + used,
			   r->fat_bytes - used))
			return judge_fault(j, "after the job: slack of FAT "
					   "copy %u changed", k + 1);
		for (c = 0; c <= r->last && r->type == 32; c++)
			if ((j->after[at + c * 4 + 3] ^
			     j->before[at + c * 4 + 3]) & 0xF0)
				return judge_fault(j, "after the job: upper "
						   "bits of entry %zu changed",
						   c);
	}
	for (c = 0; c <= r->last; c++)
		if (r->ent[c] != j->old.ent[c] &&
		    (c < 2 || (r->ent[c] && r->owner[c] == -1)))
			return judge_fault(j, "after the job: cluster %zu is "
					   "lost", c);
	return true;
}

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

static bool final_fsinfo(struct judge *j)
{
	const struct reader *r = &j->final;
	uint32_t c, free = 0, n, hint;
	const uint8_t *p;
	int i;

	if (r->type != 32 || !r->fsinfo || r->fsinfo == 0xFFFF)
		return true;
	for (c = 2; c <= r->last; c++)
		free += !r->ent[c];
	for (i = 0; i < (r->backup ? 2 : 1); i++) {
		p = j->after + (size_t)(r->fsinfo + (i ? r->backup : 0)) *
			       r->sector;
		n = le32(p + 488);
		hint = le32(p + 492);
		if (n != free)
			return judge_fault(j, "after the job: FSInfo %d says "
					   "%u free, not %u", i, n, free);
		if (hint != 0xFFFFFFFF && (hint < 2 || hint > r->last))
			return judge_fault(j, "after the job: FSInfo %d hints "
					   "at %u", i, hint);
	}
	return true;
}

/* Which data the job may change: its own new space, and directories. */
static bool may_change(const struct judge *j, uint32_t c)
{
	int who = j->final.owner[c];
	const struct reader_file *f = who < 0 ? NULL : &j->final.f[who];
	int at = f ? reader_find(&j->old, f->path) : -1;
	uint32_t size = at < 0 ? 0 : j->old.f[at].size, i;

	if (who == -2 || (f && f->dir))
		return true;
	if (!f || j->goal->mode != GOAL_EXTEND || !goal_of(j, f))
		return false;
	for (i = 0; i < f->n && f->chain[i] != c; i++)
		;
	return (uint64_t)(i + 1) * j->final.cluster > size;
}

static bool final_data(struct judge *j)
{
	const struct reader *r = &j->final;
	uint32_t c;
	size_t at;

	for (c = 2; c <= r->last; c++) {
		at = reader_clus_at(r, c);
		if (memcmp(j->after + at, j->before + at, r->cluster) &&
		    !may_change(j, c))
			return judge_fault(j, "after the job: data in cluster "
					   "%u changed for no reason", c);
	}
	return true;
}

bool judge_final(struct judge *j)
{
	if (!judge_state(j, j->after) || !final_files(j) || !final_fats(j) ||
	    !final_fsinfo(j) || !final_data(j))
		return false;
	if (j->final.state && j->after[j->final.state] !=
			      j->before[j->final.state])
		return judge_fault(j, "after the job: the dirty mark is not "
				   "as it was");
	return true;
}
