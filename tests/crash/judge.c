/*
 * judge.c - a state in the middle of a job
 *
 * Invariant: judge_final() shows that the final chain of a file begins with
 * its old one (or is the beginning of it, after a release); so contents are
 * compared cluster by cluster in place.
 */
#include "judge.h"

#include <string.h>

#include "judge_in.h"

bool judge_open(struct judge *j, const struct goal *goal,
		const uint8_t *before, const uint8_t *after, size_t size)
{
	memset(j, 0, sizeof(*j));
	j->goal = goal;
	j->before = before;
	j->after = after;
	j->size = size;
	if (!reader_open(&j->old, before, size) ||
	    !reader_open(&j->final, before, size) ||
	    !reader_open(&j->now, before, size) ||
	    !reader_read(&j->old, before, j->old.active))
		return judge_fault(j, "before the job: %s%s%s", j->old.fault,
				   j->final.fault, j->now.fault);
	if (!reader_read(&j->final, after, j->final.active))
		return judge_fault(j, "after the job: %s", j->final.fault);
	return true;
}

void judge_close(struct judge *j)
{
	reader_close(&j->old);
	reader_close(&j->final);
	reader_close(&j->now);
}

/* The file of the same path; near its own index, mostly. */
static int match(const struct reader *r, const struct reader_file *f, int near)
{
	int i, k;

	for (i = 0; i < r->n; i++) {
		k = (near + i) % r->n;
		if (r->f[k].hash == f->hash && r->f[k].label == f->label &&
		    !strcmp(r->f[k].path, f->path))
			return k;
	}
	return -1;
}

bool judge_same_chain(const struct reader_file *a, const struct reader_file *b)
{
	return a->n == b->n &&
	       (!a->n || !memcmp(a->chain, b->chain, a->n * sizeof(uint32_t)));
}

/* Bytes 0 to len of f in two images are the same. */
static bool same_bytes(const struct judge *j, const struct reader_file *f,
		       const uint8_t *image, uint32_t len)
{
	uint32_t i, part;
	size_t at;

	for (i = 0; len; i++, len -= part) {
		part = len < j->now.cluster ? len : j->now.cluster;
		at = reader_clus_at(&j->now, f->chain[i]);
		if (memcmp(image + at, j->before + at, part))
			return false;
	}
	return true;
}

bool judge_zeros(const struct judge *j, const struct reader_file *f,
		 const uint8_t *image, uint32_t from, uint32_t to)
{
	uint32_t pos, in, part, k;
	const uint8_t *p;

	for (pos = from; pos < to; pos += part) {
		in = pos % j->now.cluster;
		part = j->now.cluster - in;
		part = part < to - pos ? part : to - pos;
		p = image + in +
		    reader_clus_at(&j->now, f->chain[pos / j->now.cluster]);
		for (k = 0; k < part; k++)
			if (p[k])
				return false;
	}
	return true;
}

/* FAT12: the entry lies in two sectors, which may be written in two steps. */
static bool straddles(const struct reader *r, uint32_t c)
{
	return r->type == 12 && (c * 3 / 2) % r->sector == r->sector - 1;
}

/* Does f's chain go on, from its cluster k to its end, as at `at`? */
static bool ends_with(const struct reader_file *f, uint32_t k,
		      const uint32_t *at)
{
	return !memcmp(f->chain + k, at, (f->n - k) * sizeof(uint32_t));
}

/*
 * On the way between two chains of a file, of which one begins with the
 * other: the shorter one, whose last link straddles, and then either end of
 * what the longer one has beyond it. The entry is still the old one.
 */
static bool is_step(const struct judge *j, const struct reader_file *f,
		    const struct reader_file *o, const struct reader_file *n)
{
	const struct reader_file *s = o->n < n->n ? o : n;
	const struct reader_file *l = o->n < n->n ? n : o;

	return !f->dir && s->n && f->n > s->n && f->n < l->n &&
	       straddles(&j->now, s->chain[s->n - 1]) &&
	       !memcmp(f->raw, o->raw, 32) &&
	       !memcmp(f->chain, s->chain, s->n * sizeof(uint32_t)) &&
	       (ends_with(f, s->n, l->chain + s->n) ||
		ends_with(f, s->n, l->chain + l->n - (f->n - s->n)));
}

static bool judge_file(struct judge *j, const uint8_t *image,
		       const struct reader_file *f,
		       const struct reader_file *o,
		       const struct reader_file *n)
{
	uint32_t keep = o ? o->size : 0;

	if (!o && !n)
		return judge_fault(j, "/%s appeared", f->path);
	if (!(o && !memcmp(f->raw, o->raw, 32)) &&
	    !(n && !memcmp(f->raw, n->raw, 32)))
		return judge_fault(j, "/%s: entry is neither old nor new",
				   f->path);
	if (!(o && judge_same_chain(f, o)) &&
	    !(n && judge_same_chain(f, n)) && !(o && n && is_step(j, f, o, n)))
		return judge_fault(j, "/%s: chain of %u clusters is neither "
				   "the old nor the new one", f->path, f->n);
	if (f->dir || f->label)
		return true;
	if (f->size < keep || !same_bytes(j, f, image, keep))
		return judge_fault(j, "/%s: bytes changed", f->path);
	if (f->size > keep && j->goal->mode != GOAL_NO_ZERO &&
	    !judge_zeros(j, f, image, keep, f->size))
		return judge_fault(j, "/%s: new space is not zero", f->path);
	return true;
}

static bool judge_files(struct judge *j, const uint8_t *image)
{
	struct reader *now = &j->now;
	int i, o, n, found = 0;

	for (i = 0; i < now->n; i++) {
		o = match(&j->old, &now->f[i], i);
		n = match(&j->final, &now->f[i], i);
		found += o >= 0;
		if (!judge_file(j, image, &now->f[i],
				o < 0 ? NULL : &j->old.f[o],
				n < 0 ? NULL : &j->final.f[n]))
			return false;
	}
	for (i = 0; i < j->old.n && found < j->old.n; i++)
		if (match(now, &j->old.f[i], i) < 0)
			return judge_fault(j, "/%s is gone", j->old.f[i].path);
	return true;
}

/* An entry that straddles may be half written; it is lost anyway. */
static bool judge_lost(struct judge *j)
{
	const struct reader *r = &j->now;
	uint32_t c, v;

	for (c = 2; c <= r->last; c++) {
		v = r->ent[c];
		if (!v || r->owner[c] != -1 || reader_is_end(r, v) ||
		    straddles(r, c))
			continue;
		if (v == j->old.ent[c] && j->old.owner[c] == -1)
			continue;
		if (v < 2 || v > r->last)
			return judge_fault(j, "lost cluster %u runs out of "
					   "range to %u", c, v);
		if (r->owner[v] != -1)
			return judge_fault(j, "lost cluster %u runs into "
					   "cluster %u, in use", c, v);
	}
	return true;
}

/* The root and the chains of all, through one copy. */
static bool judge_copy(struct judge *j, const uint8_t *image, unsigned copy)
{
	struct reader *r = &j->now;

	if (!reader_read(r, image, copy))
		return judge_fault(j, "FAT copy %u: %s", copy + 1, r->fault);
	if (r->n_root && r->n_root != j->old.n_root &&
	    r->n_root != j->final.n_root)
		return judge_fault(j, "FAT copy %u: the root has %u clusters",
				   copy + 1, r->n_root);
	return judge_files(j, image) && judge_lost(j);
}

bool judge_state(struct judge *j, const uint8_t *image)
{
	const struct reader *r = &j->now;
	const uint8_t *fat = image + r->fat, *first;
	unsigned k;

	j->fault[0] = 0;
	first = fat + r->active * r->fat_bytes;
	if (!judge_copy(j, image, r->active))
		return false;
	for (k = 0; k < r->copies; k++, fat += r->fat_bytes) {
		if (fat == first)
			continue;
		if (!r->mirrored) {
			if (memcmp(fat, j->before + (fat - image),
				   r->fat_bytes))
				return judge_fault(j, "inactive FAT copy %u "
						   "changed", k + 1);
		} else if (memcmp(fat, first, r->fat_bytes) &&
			   !judge_copy(j, image, k)) {
			return false;
		}
	}
	return judge_reserved(j, image) && judge_mark(j, image);
}
