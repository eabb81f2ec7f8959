/*
 * reader.c - geometry, FAT entries and chains
 *
 * Invariant: each cluster has at most one owner; the second who wants it is
 * a cross-link or a loop, and the read stops there. So every read ends.
 */
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reader_in.h"

bool reader_fault(struct reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->fault, sizeof(r->fault), fmt, ap);
	va_end(ap);
	return false;
}

static bool geometry32(struct reader *r, const uint8_t *b)
{
	unsigned flags = reader_le(b + 40, 2);

	r->type = 32;
	r->fat_bytes = (size_t)reader_le(b + 36, 4) * r->sector;
	r->mirrored = !(flags & 0x80);
	r->active = r->mirrored ? 0 : flags & 15;
	r->root_clus = reader_le(b + 44, 4);
	r->fsinfo = reader_le(b + 48, 2);
	r->backup = reader_le(b + 50, 2);
	r->state = b[66] == 0x28 || b[66] == 0x29 ? 65 : 0;
	return r->active < r->copies || reader_fault(r, "no active copy");
}

static bool geometry(struct reader *r, const uint8_t *b)
{
	uint64_t sectors = reader_le(b + 19, 2), clusters;

	r->sector = reader_le(b + 11, 2);
	r->cluster = r->sector * b[13];
	r->copies = b[16];
	r->root_slots = reader_le(b + 17, 2);
	r->media = b[21];
	r->fat = (size_t)reader_le(b + 14, 2) * r->sector;
	if (!sectors)
		sectors = reader_le(b + 32, 4);
	if (!r->cluster || !r->copies || sectors * r->sector > r->size)
		return reader_fault(r, "boot sector: no volume");
	r->mirrored = true;
	r->active = 0;
	r->fat_bytes = (size_t)reader_le(b + 22, 2) * r->sector;
	r->state = b[38] == 0x28 || b[38] == 0x29 ? 37 : 0;
	if (!r->fat_bytes && !geometry32(r, b))
		return false;
	r->root = r->fat + r->fat_bytes * r->copies;
	r->data = r->root + (r->root_slots * 32 + r->sector - 1) / r->sector *
			    r->sector;
	if (r->data > sectors * r->sector)
		return reader_fault(r, "boot sector: no data area");
	clusters = (sectors * r->sector - r->data) / r->cluster;
	if (r->type != 32)
		r->type = clusters < 4085 ? 12 : 16;
	r->last = (uint32_t)clusters + 1;
	return true;
}

bool reader_open(struct reader *r, const uint8_t *image, size_t size)
{
	memset(r, 0, sizeof(*r));
	r->size = size;
	if (!geometry(r, image))
		return false;
	r->ent = calloc(r->last + 1, sizeof(*r->ent));
	r->owner = calloc(r->last + 1, sizeof(*r->owner));
	r->chains = calloc(r->last + 1, sizeof(*r->chains));
	r->f = calloc(READER_FILES, sizeof(*r->f));
	return (r->ent && r->owner && r->chains && r->f) ||
	       reader_fault(r, "out of memory");
}

void reader_close(struct reader *r)
{
	free(r->ent);
	free(r->owner);
	free(r->chains);
	free(r->f);
	memset(r, 0, sizeof(*r));
}

uint32_t reader_entry(const struct reader *r, const uint8_t *image,
		      unsigned copy, uint32_t clus)
{
	const uint8_t *fat = image + r->fat + copy * r->fat_bytes;

	if (r->type == 32)
		return reader_le(fat + (size_t)clus * 4, 4) & 0x0FFFFFFF;
	if (r->type == 16)
		return reader_le(fat + (size_t)clus * 2, 2);
	return reader_le(fat + (size_t)clus * 3 / 2, 2) >> (clus & 1) * 4 &
	       0xFFF;
}

static uint32_t ones(const struct reader *r)
{
	return r->type == 12 ? 0xFFF : r->type == 16 ? 0xFFFF : 0x0FFFFFFF;
}

bool reader_is_end(const struct reader *r, uint32_t value)
{
	return value >= ones(r) - 7;
}

bool reader_is_bad(const struct reader *r, uint32_t value)
{
	return value == ones(r) - 8;
}

size_t reader_clus_at(const struct reader *r, uint32_t clus)
{
	return r->data + (size_t)(clus - 2) * r->cluster;
}

bool reader_chain(struct reader *r, int owner, const char *path, uint32_t c,
		  uint32_t **chain, uint32_t *n)
{
	*chain = r->chains + r->n_chains;
	*n = 0;
	for (; c && !reader_is_end(r, c); c = r->ent[c]) {
		if (c < 2 || c > r->last)
			return reader_fault(r, "/%s: chain runs out of range "
					    "to %u", path, c);
		if (!r->ent[c])
			return reader_fault(r, "/%s: chain runs into free "
					    "cluster %u", path, c);
		if (reader_is_bad(r, r->ent[c]))
			return reader_fault(r, "/%s: chain runs into bad "
					    "cluster %u", path, c);
		if (r->owner[c] == owner)
			return reader_fault(r, "/%s: loop at cluster %u", path,
					    c);
		if (r->owner[c] != READER_NOBODY)
			return reader_fault(r, "/%s: cross-link at cluster %u "
					    "with /%s", path, c,
					    r->owner[c] < 0 ? "" :
					    r->f[r->owner[c]].path);
		r->owner[c] = owner;
		r->chains[r->n_chains++] = c;
		++*n;
	}
	return true;
}

static void read_entries(struct reader *r, const uint8_t *image, unsigned copy)
{
	const uint8_t *p = image + r->fat + copy * r->fat_bytes;
	uint32_t c;

	for (c = 0; c <= r->last && r->type == 32; c++, p += 4)
		r->ent[c] = (p[0] | (uint32_t)p[1] << 8 |
			     (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24) &
			    0x0FFFFFFF;
	for (c = 0; c <= r->last && r->type == 16; c++, p += 2)
		r->ent[c] = p[0] | (uint32_t)p[1] << 8;
	for (c = 0; c <= r->last && r->type == 12; c++)
		r->ent[c] = reader_entry(r, image, copy, c);
	for (c = 0; c <= r->last; c++)
		r->owner[c] = READER_NOBODY;
}

bool reader_read(struct reader *r, const uint8_t *image, unsigned copy)
{
	uint32_t last = r->last;
	int i;

	r->fault[0] = 0;
	r->type = 0;
	if (!geometry(r, image))
		return false;
	if (r->last != last)
		return reader_fault(r, "the geometry changed");
	read_entries(r, image, copy);
	memset(r->names, 0, sizeof(r->names));
	r->n = 0;
	r->n_chains = 0;
	r->n_root = 0;
	if (r->type == 32 &&
	    (!r->root_clus || !reader_chain(r, READER_ROOT, "", r->root_clus,
					    &r->root_chain, &r->n_root)))
		return false;
	if (!reader_dir(r, image, -1))
		return false;
	for (i = 0; i < r->n; i++)
		if (r->f[i].dir && !reader_dir(r, image, i))
			return false;
	return true;
}

int reader_find(const struct reader *r, const char *path)
{
	int i;

	for (i = 0; i < r->n; i++)
		if (!r->f[i].label && !strcasecmp(r->f[i].path, path))
			return i;
	return -1;
}

bool reader_is_dirty(const struct reader *r, const uint8_t *image)
{
	uint32_t bit = r->type == 16 ? 0x8000 : r->type == 32 ? 0x08000000 : 0;

	if (r->state)
		return image[r->state] & 1;
	return bit && !(reader_entry(r, image, r->active, 1) & bit);
}
