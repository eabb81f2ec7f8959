/*
 * image.c - the shape of a volume: boot sector, FATs, FSInfo, chains
 *
 * Invariant: a volume that went through image_finish() is sound but for
 * what the caller asked for: all copies equal (or, with mirroring off, the
 * inactive ones garbage), FSInfo counted, no dirty mark.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "image_bytes.h"

#define FAT_GARBAGE 0xA5

static void lay_out(struct image *im)
{
	struct image_spec *s = &im->spec;
	size_t entries = (size_t)s->clusters + 2;
	size_t reserved = s->type == 32 ? 8 : 1;
	size_t bits = entries * (s->type == 12 ? 12 : s->type == 16 ? 16 : 32);

	s->sector_bytes = s->sector_bytes ? s->sector_bytes : 512;
	s->cluster_sec = s->cluster_sec ? s->cluster_sec : 1;
	s->copies = s->copies ? s->copies : 2;
	if (s->type != 32 && !s->root_slots)
		s->root_slots = s->sector_bytes > 2048 ?
					s->sector_bytes / 32 : 64;
	if (s->type == 32)
		s->root_clus = s->root_clus ? s->root_clus : 2;
	im->cluster_bytes = s->sector_bytes * s->cluster_sec;
	im->fat = reserved * s->sector_bytes;
	im->fat_bytes = ((bits + 7) / 8 + s->sector_bytes - 1) /
			s->sector_bytes * s->sector_bytes;
	im->root = im->fat + im->fat_bytes * s->copies;
	im->root_bytes = s->type == 32 ? 0 : s->root_slots * 32;
	im->data = im->root + im->root_bytes;
	im->size = im->data + (size_t)s->clusters * im->cluster_bytes;
}

static void boot_common(struct image *im)
{
	const struct image_spec *s = &im->spec;
	uint8_t *b = im->bytes;
	size_t sectors = im->size / s->sector_bytes;

	memset(b, 0xCC, 510); /* boot code */
	image_copy(b, 0, s->type == 32 ? "\xEB\x58\x90" : "\xEB\x3C\x90", 3);
	image_copy(b, 3, "CRASHTST", 8);
	image_put16(b, 11, s->sector_bytes);
	b[13] = (uint8_t)s->cluster_sec;
	image_put16(b, 14, (unsigned)(im->fat / s->sector_bytes));
	b[16] = (uint8_t)s->copies;
	image_put16(b, 17, s->type == 32 ? 0 : s->root_slots);
	image_put16(b, 19, s->type != 32 && sectors < 65536 ?
				   (unsigned)sectors : 0);
	b[21] = 0xF8;
	image_put16(b, 22, s->type == 32 ? 0 :
			   (unsigned)(im->fat_bytes / s->sector_bytes));
	image_put16(b, 24, 32);
	image_put16(b, 26, 2);
	image_put32(b, 28, 0);
	image_put32(b, 32, s->type == 32 || sectors >= 65536 ?
				   (uint32_t)sectors : 0);
	image_copy(b, 510, "\x55\xAA", 2);
}

static void boot_ext(struct image *im, unsigned at, const char *type)
{
	uint8_t *b = im->bytes;

	b[at] = 0x80;
	b[at + 1] = 0;
	b[at + 2] = 0x29;
	image_put32(b, at + 3, 0x12345678);
	image_copy(b, at + 7, "NO NAME    ", 11);
	image_copy(b, at + 18, type, 8);
}

static void boot_sector(struct image *im)
{
	const struct image_spec *s = &im->spec;
	uint8_t *b = im->bytes;

	boot_common(im);
	if (s->type != 32) {
		if (!s->no_ext)
			boot_ext(im, 36, s->type == 12 ? "FAT12   "
						       : "FAT16   ");
		return;
	}
	image_put32(b, 36, (uint32_t)(im->fat_bytes / s->sector_bytes));
	image_put16(b, 40, s->no_mirror ? 0x80 | s->active : 0);
	image_put16(b, 42, 0);
	image_put32(b, 44, s->root_clus);
	image_put16(b, 48, s->no_fsinfo ? 0xFFFF : 1);
	image_put16(b, 50, s->no_fsinfo ? 0 : 6);
	memset(b + 52, 0, 12);
	boot_ext(im, 64, "FAT32   ");
}

/* Every entry free; FAT32's upper four bits hold a pattern to be kept. */
static void empty_fats(struct image *im)
{
	const struct image_spec *s = &im->spec;
	uint32_t c, ones = s->type == 12 ? 0xFFF : s->type == 16 ? 0xFFFF
								 : 0x0FFFFFFF;
	size_t k;

	memset(im->bytes + im->fat, FAT_GARBAGE, im->fat_bytes * s->copies);
	for (c = 2; c < s->clusters + 2 && s->type == 32; c++)
		for (k = 0; k < s->copies; k++)
			image_put32(im->bytes, im->fat + k * im->fat_bytes +
				    (size_t)c * 4, (c * 7) << 28);
	for (c = 2; c < s->clusters + 2; c++)
		image_set_fat(im, c, 0);
	image_set_fat(im, 0, (ones & ~0xFFu) | 0xF8);
	image_set_fat(im, 1, ones);
}

struct image *image_new(const struct image_spec *spec)
{
	struct image *im = calloc(1, sizeof(*im));

	if (!im)
		image_die("out of memory");
	im->spec = *spec;
	lay_out(im);
	im->bytes = calloc(1, im->size);
	if (!im->bytes)
		image_die("out of memory");
	boot_sector(im);
	empty_fats(im);
	image_stale(im, im->data, im->size - im->data);
	return im;
}

void image_free(struct image *im)
{
	if (im)
		free(im->bytes);
	free(im);
}

static void set_one(struct image *im, size_t fat, uint32_t c, uint32_t v)
{
	uint8_t *b = im->bytes;
	size_t at;

	if (im->spec.type == 32) {
		at = fat + (size_t)c * 4;
		image_put32(b, at, (image_get32(b, at) & 0xF0000000) | v);
	} else if (im->spec.type == 16) {
		image_put16(b, fat + (size_t)c * 2, v);
	} else if (c % 2) {
		at = fat + (size_t)c * 3 / 2;
		b[at] = (uint8_t)((b[at] & 0x0F) | (v & 0xF) << 4);
		b[at + 1] = (uint8_t)(v >> 4);
	} else {
		at = fat + (size_t)c * 3 / 2;
		b[at] = (uint8_t)v;
		b[at + 1] = (uint8_t)((b[at + 1] & 0xF0) | v >> 8);
	}
}

void image_set_fat(struct image *im, uint32_t clus, uint32_t value)
{
	unsigned k;

	if (clus >= im->spec.clusters + 2)
		image_die("no such cluster");
	for (k = 0; k < im->spec.copies; k++)
		if (!im->spec.no_mirror || k == im->spec.active)
			set_one(im, im->fat + k * im->fat_bytes, clus, value);
}

uint32_t image_get_fat(const struct image *im, uint32_t c)
{
	const uint8_t *b = im->bytes;
	size_t fat = im->fat + (im->spec.no_mirror ?
				im->spec.active * im->fat_bytes : 0);

	if (im->spec.type == 32)
		return image_get32(b, fat + (size_t)c * 4) & 0x0FFFFFFF;
	if (im->spec.type == 16)
		return image_get16(b, fat + (size_t)c * 2);
	return image_get16(b, fat + (size_t)c * 3 / 2) >> (c % 2 * 4) & 0xFFF;
}

/* The next "10" or "10-14" of *s; false at the end. */
static bool next_run(const char **s, uint32_t *first, uint32_t *last)
{
	char *end;

	if (!**s)
		return false;
	*first = *last = (uint32_t)strtoul(*s, &end, 10);
	if (*end == '-')
		*last = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end && *end != ',')
		image_die("bad list of runs");
	*s = *end ? end + 1 : end;
	return true;
}

uint32_t image_chain(struct image *im, const char *runs)
{
	uint32_t head = 0, prev = 0, c, first, last;

	while (runs && next_run(&runs, &first, &last)) {
		for (c = first; c <= last; c++) {
			if (image_get_fat(im, c))
				image_die("cluster used twice");
			image_set_fat(im, c, 0x0FFFFFFF & image_ones(im));
			if (prev)
				image_set_fat(im, prev, c);
			else
				head = c;
			prev = c;
		}
	}
	return head;
}

void image_bad(struct image *im, const char *runs)
{
	uint32_t c, first, last;

	while (next_run(&runs, &first, &last))
		for (c = first; c <= last; c++)
			image_set_fat(im, c, 0x0FFFFFF7 & image_ones(im));
}

static void fsinfo(struct image *im)
{
	uint8_t *b = im->bytes + im->spec.sector_bytes;
	uint32_t c, n = 0;

	for (c = 2; c < im->spec.clusters + 2; c++)
		n += !image_get_fat(im, c);
	memset(b, 0, im->spec.sector_bytes);
	image_copy(b, 0, "RRaA", 4);
	image_copy(b, 484, "rrAa", 4);
	image_put32(b, 488, n);
	image_put32(b, 492, im->spec.hint ? im->spec.hint : 0xFFFFFFFF);
	image_copy(b, 510, "\x55\xAA", 2);
}

void image_finish(struct image *im)
{
	size_t sec = im->spec.sector_bytes;

	if (im->spec.type != 32 || im->spec.no_fsinfo)
		return;
	fsinfo(im);
	memcpy(im->bytes + 6 * sec, im->bytes, 2 * sec);
}
