/*
 * fatstream.c - merges chain, link and free edits by cluster
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

static void skip_kept(struct fatstream *s, uint64_t from)
{
	if (!s->e->freed || !has(s, PHASE_FREE))
		return;
	s->freed = bitmap_next_set(s->e->freed, from);
	if (s->freed >= bitmap_bits(s->e->freed))
		s->freed = NONE;
}

void fatstream_init(struct fatstream *s, const struct edits *e,
		    const struct bpb *bpb, unsigned phases)
{
	*s = (struct fatstream){
		.e = e, .bpb = bpb, .phases = phases, .freed = NONE
	};
	if (!has(s, PHASE_CHAINS))
		s->chain = e->n_chains;
	skip_links(s);
	skip_kept(s, 0);
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
	skip_kept(s, s->freed + 1);
}

bool fatstream_next(struct fatstream *s, struct fat_change *out)
{
	uint64_t chain = chain_clus(s), link = link_clus(s);

	if (chain == NONE && link == NONE && s->freed == NONE)
		return false;
	if (chain <= link && chain <= s->freed)
		take_chain(s, out);
	else if (link <= s->freed)
		take_link(s, out);
	else
		take_freed(s, out);
	return true;
}

bool fatstream_segment(const struct fatstream *s, size_t max_bytes,
		       struct fat_segment *out)
{
	const struct bpb *bpb = s->bpb;
	struct fatstream ahead = *s;
	struct fat_change c;
	uint64_t offset, first, last, end = 0;

	*out = (struct fat_segment){ 0 };
	while (fatstream_next(&ahead, &c)) {
		offset = fatent_offset(bpb->type, c.clus);
		first = offset / bpb->sector_bytes;
		last = (offset + fatent_bytes(bpb->type) - 1) /
		       bpb->sector_bytes;
		if (!out->changes)
			out->first_sec = (uint32_t)first;
		else if (first > end || (last + 1 - out->first_sec) *
						bpb->sector_bytes > max_bytes)
			break;
		end = MAX(end, last + 1);
		out->changes++;
	}
	out->count_sec = (uint32_t)(end - out->first_sec);
	return out->changes;
}
