/*
 * edit.c - collects edits and sorts them into the order of the disk
 *
 * Nothing here touches a device. Invariant after edits_sort(): chains ascend
 * by cluster, links by cluster and then by phase, byte edits by phase and
 * then by offset.
 */
#include "change/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void edits_free(struct edits *e)
{
	size_t i;

	for (i = 0; i < e->n_bytes; i++) {
		free(e->bytes[i].value);
		free(e->bytes[i].expect);
	}
	free(e->bytes);
	free(e->chains);
	free(e->links);
	free(e->zeros);
	free(e->copies);
	bitmap_free(e->freed);
	bitmap_free(e->ends);
	bitmap_free(e->mirror.take_other);
	*e = (struct edits){ 0 };
}

bool edits_empty(const struct edits *e)
{
	return !e->n_chains && !e->n_links && !e->n_bytes && !e->n_zeros &&
	       !e->n_copies && !e->freed && !e->ends && !e->mirror.wanted;
}

static uint8_t *copy_of(const void *bytes, uint32_t len)
{
	uint8_t *p = malloc(len);

	if (p)
		memcpy(p, bytes, len);
	return p;
}

enum status edits_add_bytes(struct edits *e, enum phase phase,
			    enum region region, uint64_t offset_bytes,
			    const void *expect, const void *value,
			    uint32_t len, struct error *err)
{
	struct byte_edit *b = NULL;
	enum status st;

	st = array_reserve(&e->bytes, &e->cap_bytes, e->n_bytes + 1,
			   sizeof(*e->bytes), err);
	if (st)
		return st;
	b = &e->bytes[e->n_bytes];
	*b = (struct byte_edit){ .phase = phase,
				 .region = region,
				 .offset_bytes = offset_bytes,
				 .len = len };
	b->value = copy_of(value, len);
	b->expect = expect ? copy_of(expect, len) : NULL;
	if (!b->value || (expect && !b->expect)) {
		free(b->value);
		free(b->expect);
		return error_set_nomem(err);
	}
	e->n_bytes++;
	return ST_OK;
}

enum status edits_add_zero(struct edits *e, enum region region,
			   uint64_t offset_bytes, uint64_t len,
			   struct error *err)
{
	enum status st;

	if (!len)
		return ST_OK;
	st = array_reserve(&e->zeros, &e->cap_zeros, e->n_zeros + 1,
			   sizeof(*e->zeros), err);
	if (!st)
		e->zeros[e->n_zeros++] =
			(struct zero_edit){ region, offset_bytes, len };
	return st;
}

enum status edits_add_copy(struct edits *e, uint64_t from, uint64_t to,
			   uint64_t len, struct error *err)
{
	struct copy_edit *last;
	enum status st;

	last = e->n_copies ? &e->copies[e->n_copies - 1] : NULL;
	if (last && last->from + last->len == from &&
	    last->to + last->len == to) {
		last->len += len;
		return ST_OK;
	}
	st = array_reserve(&e->copies, &e->cap_copies, e->n_copies + 1,
			   sizeof(*e->copies), err);
	if (!st)
		e->copies[e->n_copies++] =
			(struct copy_edit){ from, to, len, 0 };
	return st;
}

enum status edits_add_link(struct edits *e, enum phase phase, clus_t clus,
			   uint32_t expect, uint32_t value, struct error *err)
{
	enum status st;

	st = array_reserve(&e->links, &e->cap_links, e->n_links + 1,
			   sizeof(*e->links), err);
	if (!st)
		e->links[e->n_links++] =
			(struct link_edit){ phase, clus, expect, value };
	return st;
}

enum status edits_add_chain(struct edits *e, enum fat_type type,
			    const struct runs *runs, clus_t part_end,
			    struct error *err)
{
	uint32_t next;
	struct run r;
	clus_t n;
	size_t i;
	enum status st;

	st = array_reserve(&e->chains, &e->cap_chains,
			   e->n_chains + runs->n + 1, sizeof(*e->chains), err);
	if (st)
		return st;
	for (i = 0; i < runs->n; i++) {
		r = runs->v[i];
		next = i + 1 < runs->n ? runs->v[i + 1].first
				       : fatent_eoc(type);
		if (part_end >= r.first && part_end < run_end(r)) {
			n = part_end + 1 - r.first;
			e->chains[e->n_chains++] = (struct chain_edit){
				{ r.first, n }, fatent_eoc(type)
			};
			r = (struct run){ r.first + n, r.count - n };
		}
		if (r.count)
			e->chains[e->n_chains++] =
				(struct chain_edit){ r, next };
	}
	return ST_OK;
}

enum status edits_add_free(struct edits *e, const struct bpb *bpb,
			   struct run run, struct error *err)
{
	if (!e->freed) {
		e->freed = bitmap_new((uint64_t)bpb->last_clus + 1);
		if (!e->freed)
			return error_set_nomem(err);
	}
	bitmap_set_range(e->freed, run.first, run.count);
	return ST_OK;
}

enum status edits_add_end(struct edits *e, const struct bpb *bpb, clus_t clus,
			  struct error *err)
{
	if (!e->ends)
		e->ends = bitmap_new((uint64_t)bpb->last_clus + 1);
	if (!e->ends)
		return error_set_nomem(err);
	bitmap_set(e->ends, clus);
	return ST_OK;
}

static int by_cluster(const void *a, const void *b)
{
	const struct chain_edit *x = a, *y = b;

	return (x->run.first > y->run.first) - (x->run.first < y->run.first);
}

static int by_cluster_and_phase(const void *a, const void *b)
{
	const struct link_edit *x = a, *y = b;

	if (x->clus != y->clus)
		return x->clus < y->clus ? -1 : 1;
	return (x->phase > y->phase) - (x->phase < y->phase);
}

static int by_phase_and_offset(const void *a, const void *b)
{
	const struct byte_edit *x = a, *y = b;

	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	return (x->offset_bytes > y->offset_bytes) -
	       (x->offset_bytes < y->offset_bytes);
}

static void sort(void *vec, size_t n, size_t elem_bytes,
		 int (*compare)(const void *, const void *))
{
	if (n)
		qsort(vec, n, elem_bytes, compare);
}

void edits_sort(struct edits *e)
{
	sort(e->chains, e->n_chains, sizeof(*e->chains), by_cluster);
	sort(e->links, e->n_links, sizeof(*e->links), by_cluster_and_phase);
	sort(e->bytes, e->n_bytes, sizeof(*e->bytes), by_phase_and_offset);
}

bool edits_drop_overlaps(struct edits *e)
{
	size_t i, kept = 0;
	struct byte_edit *b, *last;

	edits_sort(e);
	for (i = 0; i < e->n_bytes; i++) {
		b = &e->bytes[i];
		last = kept ? &e->bytes[kept - 1] : NULL;
		if (!last || last->phase != b->phase ||
		    b->offset_bytes >= last->offset_bytes + last->len) {
			e->bytes[kept++] = *b;
			continue;
		}
		free(b->value);
		free(b->expect);
	}
	i = e->n_bytes;
	e->n_bytes = kept;
	return kept < i;
}
