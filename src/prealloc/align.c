/*
 * align.c - which cluster numbers lie on a multiple
 *
 * Pure arithmetic, in 128 bits where a product needs it.
 */
#include "prealloc/align.h"

#include "base/ckd.h"

static uint64_t gcd(uint64_t a, uint64_t b)
{
	uint64_t t;

	while (b) {
		t = a % b;
		a = b;
		b = t;
	}
	return a;
}

/* The x < m with a * x = 1 modulo m, where a and m have no common factor. */
static uint64_t inverse(uint64_t a, uint64_t m)
{
	__int128 old_r = a % m, r = m, old_s = 1, s = 0, q, t;

	while (r) {
		q = old_r / r;
		t = old_r - q * r;
		old_r = r;
		r = t;
		t = old_s - q * s;
		old_s = s;
		s = t;
	}
	return (uint64_t)((old_s % m + m) % m);
}

bool align_init(struct align *a, uint64_t align_bytes, uint64_t data_bytes,
		uint32_t cluster_bytes)
{
	uint64_t g, m, x;

	*a = (struct align){ .step = 1 };
	if (align_bytes <= 1)
		return true;
	g = gcd(align_bytes, cluster_bytes);
	if (data_bytes % g)
		return false;
	/* data + x * cluster = 0 modulo align, for x = c - 2 */
	m = align_bytes / g;
	x = (m - data_bytes / g % m) % m;
	x = (uint64_t)((unsigned __int128)x *
		       inverse(cluster_bytes / g, m) % m);
	a->step = m;
	a->remainder = (uint64_t)(((unsigned __int128)x + 2) % m);
	return true;
}

bool align_has(const struct align *a, clus_t c)
{
	return c % a->step == a->remainder;
}

void align_split(const struct align *a, struct run r, struct run *before,
		 struct run *rest)
{
	uint64_t off = r.first % a->step;
	uint64_t skip = a->remainder - off; /* wraps if it is before off */
	clus_t n;

	if (off > a->remainder)
		skip += a->step;
	n = (clus_t)MIN(skip, (uint64_t)r.count);

	*before = (struct run){ r.first, n };
	*rest = (struct run){ r.first + n, r.count - n };
}
