/*
 * fatstream.c - merges chain, link, end and free edits by cluster
 *
 * Invariant: clusters come in ascending order, so each sector of a FAT is
 * reached once in a stream (law 3).
 */
#include "change/fatstream.h"

#include "base/ckd.h"

#define NONE UINT64_MAX

static bool has(const struct fatstream *s, enum phase phase)
{
	return s->phases & PHASE_BIT(phase);
}

/* Links of other phases are passed over. */
static void skip_links(struct fatstream *s)
{
	while (s->link < s->e->n_links && !has(s, s->e->links[s->link].phase))
		s->link++;
}

/* The next cluster of a bitmap from there on. */
static uint64_t next_of(const struct bitmap *bm, uint64_t from)
{
	uint64_t c = bm ? bitmap_next_set(bm, from) : NONE;

	return bm && c < bitmap_bits(bm) ? c : NONE;
}

void fatstream_init(struct fatstream *s, const struct edits *e,
		    const struct bpb *bpb, unsigned phases)
{
	*s = (struct fatstream){
		.e = e, .bpb = bpb, .phases = phases, .freed = NONE,
		.end = NONE
	};
	if (!has(s, PHASE_CHAINS))
		s->chain = e->n_chains;
	skip_links(s);
	if (has(s, PHASE_FREE))
		s->freed = next_of(e->freed, 0);
	if (has(s, PHASE_LINKS))
		s->end = next_of(e->ends, 0);
}

static uint64_t chain_clus(const struct fatstream *s)
{
	if (s->chain >= s->e->n_chains)
		return NONE;
	return (uint64_t)s->e->chains[s->chain].run.first + s->within;
}

static uint64_t link_clus(const struct fatstream *s)
{
	return s->link < s->e->n_links ? s->e->links[s->link].clus : NONE;
}

static void take_chain(struct fatstream *s, struct fat_change *out)
{
	const struct chain_edit *c = &s->e->chains[s->chain];
	clus_t clus = c->run.first + s->within;
	bool last = s->within + 1 == c->run.count;

	*out = (struct fat_change){ .clus = clus,
				    .expect = FATENT_FREE,
				    .value = last ? c->next : clus + 1 };
	s->within++;
	if (last) {
		s->chain++;
		s->within = 0;
	}
}

static void take_link(struct fatstream *s, struct fat_change *out)
{
	const struct link_edit *l = &s->e->links[s->link++];

	*out = (struct fat_change){ .clus = l->clus,
				    .expect = l->expect,
				    .value = l->value };
	skip_links(s);
}

static void take_freed(struct fatstream *s, struct fat_change *out)
{
	*out = (struct fat_change){ .clus = (clus_t)s->freed,
				    .expect_used = true,
				    .value = FATENT_FREE };
	s->freed = next_of(s->e->freed, s->freed + 1);
}

static void take_end(struct fatstream *s, struct fat_change *out)
{
	*out = (struct fat_change){ .clus = (clus_t)s->end,
				    .expect_used = true,
				    .value = fatent_eoc(s->bpb->type) };
	s->end = next_of(s->e->ends, s->end + 1);
}

bool fatstream_next(struct fatstream *s, struct fat_change *out)
{
	uint64_t chain = chain_clus(s), link = link_clus(s);
	uint64_t next = MIN(MIN(chain, link), MIN(s->freed, s->end));

	if (next == NONE)
		return false;
	if (next == chain)
		take_chain(s, out);
	else if (next == link)
		take_link(s, out);
	else if (next == s->end)
		take_end(s, out);
	else
		take_freed(s, out);
	return true;
}

struct span {
	uint64_t first, last; /* bytes of a copy, then sectors */
};

/* The bytes of an entry that get another value; all, if it is not known. */
static struct span changed_bytes(enum fat_type type,
				 const struct fat_change *c)
{
	uint64_t at = fatent_offset(type, c->clus);
	struct span s = { at, at + fatent_bytes(type) - 1 };
	uint32_t differ = c->expect ^ c->value;
	unsigned in_first = c->clus & 1 ? 4 : 8; /* bits */

	if (type != FAT12 || c->expect_used)
		return s;
	if (!(differ >> in_first))
		s.last--;
	else if (!(differ & ((1u << in_first) - 1)))
		s.first++;
	return s;
}

static struct span to_sectors(const struct bpb *bpb, struct span s)
{
	return (struct span){ s.first / bpb->sector_bytes,
			      s.last / bpb->sector_bytes };
}

/* Takes a change into the segment; false if it does not belong to it. */
static bool join(struct fat_segment *seg, const struct bpb *bpb,
		 const struct fat_change *c, size_t max_bytes)
{
	uint64_t at = fatent_offset(bpb->type, c->clus);
	struct span all = { at, at + fatent_bytes(bpb->type) - 1 };
	struct span some = to_sectors(bpb, changed_bytes(bpb->type, c));

	all = to_sectors(bpb, all);
	if (!seg->changes)
		*seg = (struct fat_segment){
			.first_sec = (uint32_t)some.first,
			.read_sec = (uint32_t)all.first,
		};
	else if (some.first > seg->end_sec ||
		 (all.last + 1 - seg->read_sec) * bpb->sector_bytes >
			 max_bytes)
		return false;
	/* the second of two links of one cluster may reach back */
	seg->first_sec = MIN(seg->first_sec, (uint32_t)some.first);
	seg->end_sec = MAX(seg->end_sec, (uint32_t)some.last + 1);
	seg->read_end = MAX(seg->read_end, (uint32_t)all.last + 1);
	seg->changes++;
	return true;
}

bool fatstream_segment(const struct fatstream *s, size_t max_bytes,
		       struct fat_segment *out)
{
	struct fatstream ahead = *s;
	struct fat_change c;

	*out = (struct fat_segment){ 0 };
	while (fatstream_next(&ahead, &c) &&
	       join(out, s->bpb, &c, max_bytes))
		;
	return out->changes;
}
