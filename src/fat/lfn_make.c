/*
 * lfn_make.c - the short name and the slots that a new name gets
 *
 * Invariants: the short name holds upper-case characters of the code page
 * only and never half of a double-byte one; nothing depends on anything but
 * the name, the code page and what is taken.
 * Source: fatgen103 "The Basis-Name Generation Algorithm" and "The
 * Numeric-Tail Generation Algorithm"; the hashed tails are Windows NT's.
 */
#include "fat/lfn.h"

#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "base/bytes.h"

#define BASE_BYTES	8
#define EXT_BYTES	3
#define PLAIN_TAILS	4  /* ~1 to ~4 */
#define PLAIN_KEEP	6  /* bytes of the base before them */
#define HASH_TAILS	9  /* ~1 to ~9, for each hash */
#define HASH_KEEP	2
#define HASHES		0x10000u

/* One part of a short name as it is made. */
struct part {
	uint8_t bytes[BASE_BYTES];
	size_t len;
	bool begins[BASE_BYTES]; /* a character, at that byte */
	bool lost;  /* something of the long name is not in it */
	bool upper, lower; /* holds letters of that case */
	bool foreign;	   /* holds characters that are not ASCII */
};

/* The bytes for one character; 0 = it is left out. */
static size_t short_char(struct codepage *cp, ucs4_t uc, uint8_t out[4],
			 struct part *p)
{
	size_t n;

	if (uc >= 'a' && uc <= 'z')
		p->lower = true;
	if (uc >= 'A' && uc <= 'Z')
		p->upper = true;
	if (uc >= 0x80)
		p->foreign = true;
	if (uc == '.' || uc == ' ') {
		p->lost = true;
		return 0;
	}
	if (uc < 0x20 || uc == 0x7F ||
	    (uc < 0x80 && strchr("\"*+,/:;<=>?[\\]|", (int)uc))) {
		n = 0;
	} else {
		n = codepage_from_char(cp, name_upper(uc), out);
		/* Sharp s, the micro sign, ...: upper case is not there. */
		if (n == 0)
			n = codepage_from_char(cp, uc, out);
	}
	if (n == 0) {
		p->lost = true;
		out[0] = '_';
		n = 1;
	}
	return n;
}

static void make_part(struct codepage *cp, const uint8_t *utf8, size_t len,
		      size_t cap, struct part *p)
{
	uint8_t bytes[4];
	ucs4_t uc;

	memset(p, 0, sizeof(*p));
	while (len > 0) {
		int used = u8_mbtouc(&uc, utf8, len);
		size_t n = short_char(cp, uc, bytes, p);

		if (p->len + n > cap) {
			p->lost = true;
			return;
		}
		if (n > 0)
			p->begins[p->len] = true;
		memcpy(p->bytes + p->len, bytes, n);
		p->len += n;
		utf8 += used;
		len -= (size_t)used;
	}
}

/*
 * Base and extension. Leading dots and blanks don't count: ".profile" has
 * no extension.
 */
static void make_parts(struct codepage *cp, const char *utf8,
		       struct part *base, struct part *ext)
{
	size_t skip = strspn(utf8, ". "), len;
	const char *name = utf8 + skip, *dot = strrchr(name, '.');

	len = dot ? (size_t)(dot - name) : strlen(name);
	make_part(cp, (const uint8_t *)name, len, BASE_BYTES, base);
	if (base->len == 0) {
		base->bytes[base->len++] = '_';
		base->begins[0] = true;
		base->lost = true;
	}
	dot = dot ? dot + 1 : "";
	make_part(cp, (const uint8_t *)dot, strlen(dot), EXT_BYTES, ext);
	if (skip > 0)
		base->lost = true;
}

/* The first bytes of the base, at most max, whole characters only. */
static size_t base_cut(const struct part *base, size_t max)
{
	size_t len = base->len;

	if (len <= max)
		return len;
	for (len = max; len > 0 && !base->begins[len]; len--)
		;
	return len;
}

static void put_name(uint8_t name[DIRENT_NAME_BYTES], const struct part *base,
		     size_t keep, const char *tail, const struct part *ext)
{
	memset(name, ' ', DIRENT_NAME_BYTES);
	memcpy(name, base->bytes, keep);
	memcpy(name + keep, tail, strlen(tail));
	memcpy(name + BASE_BYTES, ext->bytes, ext->len);
	if (name[0] == DIRENT_DELETED)
		name[0] = DIRENT_KANJI_E5;
}

/* FNV-1a, folded to 16 bits. */
static unsigned hash_name(const char *utf8)
{
	uint32_t h = 2166136261u;

	for (; *utf8; utf8++)
		h = (h ^ (uint8_t)*utf8) * 16777619u;
	return (h >> 16 ^ h) & 0xFFFF;
}

/* False if every tail is taken. */
static bool find_tail(const char *utf8, const struct part *base,
		      const struct part *ext, short_taken_fn *taken,
		      void *arg, uint8_t name[DIRENT_NAME_BYTES])
{
	size_t keep = base_cut(base, PLAIN_KEEP);
	unsigned hash = hash_name(utf8), i;
	char tail[16];

	for (i = 1; i <= PLAIN_TAILS; i++) {
		snprintf(tail, sizeof(tail), "~%u", i);
		put_name(name, base, keep, tail, ext);
		if (!taken(arg, name))
			return true;
	}
	keep = base_cut(base, HASH_KEEP);
	for (i = 0; i < HASHES * HASH_TAILS; i++) {
		snprintf(tail, sizeof(tail), "%04X~%u",
			 (hash + i / HASH_TAILS) % HASHES,
			 i % HASH_TAILS + 1);
		put_name(name, base, keep, tail, ext);
		if (!taken(arg, name))
			return true;
	}
	return false;
}

static void put_slot(uint8_t *slot, const uint16_t *units, size_t left,
		     unsigned ordinal, uint8_t checksum)
{
	unsigned i;

	memset(slot, 0, DIRENT_BYTES);
	slot[0] = (uint8_t)ordinal;
	slot[11] = ATTR_LFN;
	slot[13] = checksum;
	for (i = 0; i < LFN_SLOT_UNITS; i++) {
		uint16_t unit = 0xFFFF;

		if (i < left)
			unit = units[i];
		else if (i == left)
			unit = 0;
		put_le16(slot + lfn_unit_at(i), unit);
	}
}

static void put_slots(const char *utf8, struct new_name *out)
{
	uint16_t units[LFN_UNITS_MAX];
	size_t n = LFN_UNITS_MAX;
	uint8_t sum = lfn_checksum(out->short_name);
	unsigned slots, i;

	if (u8_to_u16((const uint8_t *)utf8, strlen(utf8), units, &n) != units)
		return; /* name_check() would have refused it */
	slots = (unsigned)((n + LFN_SLOT_UNITS - 1) / LFN_SLOT_UNITS);
	for (i = 0; i < slots; i++) {
		unsigned ordinal = slots - i;
		size_t at = (size_t)(ordinal - 1) * LFN_SLOT_UNITS;

		put_slot(out->slots[i], units + at, n - at,
			 i == 0 ? ordinal | LFN_LAST : ordinal, sum);
	}
	out->lfn_slots = slots;
}

/* Can the short name with NTRes bits say the name? */
static bool says_it_all(const struct part *p)
{
	return !p->lost && !p->foreign && !(p->upper && p->lower);
}

enum status lfn_make(struct codepage *cp, const char *utf8,
		     short_taken_fn *taken, void *arg, struct new_name *out,
		     struct error *err)
{
	struct part base, ext;
	bool tail;

	memset(out, 0, sizeof(*out));
	make_parts(cp, utf8, &base, &ext);
	put_name(out->short_name, &base, base.len, "", &ext);
	tail = base.lost || ext.lost || taken(arg, out->short_name);
	if (!tail && says_it_all(&base) && says_it_all(&ext)) {
		if (base.lower)
			out->ntres |= NTRES_LOWER_BASE;
		if (ext.lower)
			out->ntres |= NTRES_LOWER_EXT;
		return ST_OK;
	}
	if (tail && !find_tail(utf8, &base, &ext, taken, arg, out->short_name))
		return error_set(err, ST_REFUSED,
			"\"%s\": its directory has no short name left for it",
			utf8);
	put_slots(utf8, out);
	return ST_OK;
}
