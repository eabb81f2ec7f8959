/*
 * image_dir.c - directories and contents of a test volume
 *
 * Invariant: slots are filled in order, so a directory's end is where
 * image_end() puts it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_bytes.h"

void image_put16(uint8_t *b, size_t at, unsigned v)
{
	b[at] = (uint8_t)v;
	b[at + 1] = (uint8_t)(v >> 8);
}

void image_put32(uint8_t *b, size_t at, uint32_t v)
{
	image_put16(b, at, v & 0xFFFF);
	image_put16(b, at + 2, v >> 16);
}

unsigned image_get16(const uint8_t *b, size_t at)
{
	return b[at] | (unsigned)b[at + 1] << 8;
}

uint32_t image_get32(const uint8_t *b, size_t at)
{
	return image_get16(b, at) | (uint32_t)image_get16(b, at + 2) << 16;
}

void image_copy(uint8_t *b, size_t at, const char *s, size_t n)
{
	memcpy(b + at, s, n);
}

void image_die(const char *why)
{
	fprintf(stderr, "test image: %s\n", why);
	exit(99);
}

uint32_t image_ones(const struct image *im)
{
	return im->spec.type == 12 ? 0xFFF : im->spec.type == 16 ? 0xFFFF
								 : 0x0FFFFFFF;
}

/* A plain entry; FAT12/16 keep an extended-attribute handle at offset 20. */
static void fill_entry(const struct image *im, uint8_t *e, const char *name11,
		       unsigned attr, uint32_t clus, uint32_t size)
{
	memset(e, 0, 32);
	image_copy(e, 0, name11, 11);
	e[11] = (uint8_t)attr;
	e[13] = 100;
	image_put16(e, 14, 0x6000); /* 12:00:00 */
	image_put16(e, 16, 0x5821); /* 2024-01-01 */
	image_put16(e, 18, 0x5821);
	image_put16(e, 20, im->spec.type == 32 ? clus >> 16 : 0x00EA);
	image_put16(e, 22, 0x6000);
	image_put16(e, 24, 0x5821);
	image_put16(e, 26, clus & 0xFFFF);
	image_put32(e, 28, size);
}

void image_stale(struct image *im, size_t at, size_t len)
{
	char name[] = "STALE000OLD";
	size_t i, n;

	for (i = 0; i + 32 <= len; i += 32) {
		n = i / 32;
		name[5] = (char)('0' + n / 100 % 10);
		name[6] = (char)('0' + n / 10 % 10);
		name[7] = (char)('0' + n % 10);
		fill_entry(im, im->bytes + at + i, name, 0x20, 4, 700);
	}
}

static size_t clus_at(const struct image *im, uint32_t c)
{
	return im->data + (size_t)(c - 2) * im->cluster_bytes;
}

/* Where a slot of a directory lies; 0 past its space. */
static size_t slot_at(const struct image *im, uint32_t dir, unsigned slot)
{
	unsigned per = im->cluster_bytes / 32;
	uint32_t c = dir;

	if (!dir && im->spec.type != 32)
		return slot < im->spec.root_slots ? im->root + slot * 32 : 0;
	if (!dir)
		c = im->spec.root_clus;
	for (; slot >= per; slot -= per) {
		c = image_get_fat(im, c);
		if (c < 2 || c >= im->spec.clusters + 2)
			return 0;
	}
	return clus_at(im, c) + slot * 32;
}

static uint8_t *take_slot(struct image *im, struct image_dir *d)
{
	size_t at = slot_at(im, d->clus, d->slots++);

	if (!at)
		image_die("directory is full");
	return im->bytes + at;
}

struct image_dir image_root(struct image *im, const char *runs)
{
	uint32_t more;

	if (im->spec.type == 32) {
		image_set_fat(im, im->spec.root_clus, image_ones(im));
		more = image_chain(im, runs);
		if (more)
			image_set_fat(im, im->spec.root_clus, more);
	}
	return (struct image_dir){ 0, 0 };
}

/* Slot ordinal n of a long name: 13 units from (n - 1) * 13. */
static void long_slot(uint8_t *e, const char *name, unsigned n, bool last,
		      unsigned sum)
{
	static const unsigned char place[13] = { 1, 3, 5, 7, 9, 14, 16, 18,
						 20, 22, 24, 28, 30 };
	size_t len = strlen(name), i, at;

	memset(e, 0, 32);
	e[0] = (uint8_t)(n | (last ? 0x40 : 0));
	e[11] = 0x0F;
	e[13] = (uint8_t)sum;
	for (i = 0; i < 13; i++) {
		at = (n - 1) * 13 + i;
		image_put16(e, place[i], at < len ? (unsigned char)name[at]
				: at == len ? 0 : 0xFFFF);
	}
}

static void put(struct image *im, struct image_dir *d, const char *name11,
		const char *long_name, unsigned attr, uint32_t clus,
		uint32_t size)
{
	unsigned sum = 0, n, slots, i;

	for (i = 0; i < 11; i++)
		sum = ((sum & 1 ? 0x80 : 0) + (sum >> 1) +
		       (unsigned char)name11[i]) & 0xFF;
	slots = long_name ? (unsigned)(strlen(long_name) + 12) / 13 : 0;
	for (n = slots; n > 0; n--)
		long_slot(take_slot(im, d), long_name, n, n == slots, sum);
	fill_entry(im, take_slot(im, d), name11, attr, clus, size);
}

/* Bytes that depend on the file and the place: no two clusters are alike. */
static void contents(struct image *im, uint32_t c, uint32_t size)
{
	uint32_t start = c, i, pos = 0;
	uint8_t *p;

	while (c >= 2 && c < im->spec.clusters + 2 && pos < size) {
		p = im->bytes + clus_at(im, c);
		for (i = 0; i < im->cluster_bytes && pos < size; i++, pos++)
			p[i] = (uint8_t)(start * 31 + pos / 251 + pos * 7 + 1);
		c = image_get_fat(im, c);
	}
}

void image_file(struct image *im, struct image_dir *d, const char *name11,
		const char *long_name, const char *runs, uint32_t size)
{
	uint32_t c = image_chain(im, runs);

	contents(im, c, size);
	put(im, d, name11, long_name, 0x20, c, size);
}

struct image_dir image_mkdir(struct image *im, struct image_dir *parent,
			     const char *name11, const char *long_name,
			     const char *runs)
{
	struct image_dir d = { image_chain(im, runs), 0 };

	put(im, parent, name11, long_name, 0x10, d.clus, 0);
	put(im, &d, ".          ", NULL, 0x10, d.clus, 0);
	put(im, &d, "..         ", NULL, 0x10, parent->clus, 0);
	return d;
}

void image_label(struct image *im, struct image_dir *d, const char *name11)
{
	put(im, d, name11, NULL, 0x08, 0, 0);
}

void image_deleted(struct image *im, struct image_dir *d, unsigned n)
{
	uint8_t *e;

	while (n--) {
		e = take_slot(im, d);
		fill_entry(im, e, "?ELETED TXT", 0x20, 4, 700);
		e[0] = 0xE5;
	}
}

void image_end(struct image *im, const struct image_dir *d)
{
	size_t at = slot_at(im, d->clus, d->slots);
	unsigned i;

	if (!at)
		return;
	for (i = d->slots; (at = slot_at(im, d->clus, i)); i++) {
		memset(im->bytes + at, 0, 32);
		if (!im->spec.clean_end)
			image_stale(im, at, 32);
	}
	im->bytes[slot_at(im, d->clus, d->slots)] = 0;
}
