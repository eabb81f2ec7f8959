/*
 * lfn.c - long names in directory slots, and short names as people see them
 *
 * A long name stands before its short entry in up to 20 slots of 13 UTF-16
 * units, last part first. Invariant: a name is believed only if every slot
 * is there, in order, with the checksum of the short name that follows at
 * once; otherwise the short name stands (format.md 36).
 * Source: fatgen103 "FAT Long Directory Entries".
 */
#include "fat/lfn.h"

#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unistr.h>

#include "base/bytes.h"

#define AT_ORDINAL  0
#define AT_CHECKSUM 13
#define ORDINAL_MASK 0x3F
#define PADDING	    0xFFFF
#define BASE_BYTES  8
#define EXT_BYTES   (DIRENT_NAME_BYTES - BASE_BYTES)

uint8_t lfn_checksum(const uint8_t name[DIRENT_NAME_BYTES])
{
	uint8_t sum = 0;
	int i;

	for (i = 0; i < DIRENT_NAME_BYTES; i++)
		sum = (uint8_t)((sum << 7 | sum >> 1) + name[i]);
	return sum;
}

/* A slot with LFN_LAST: whatever was collected before it is an orphan. */
static void begin_set(struct lfn *l, const uint8_t *slot)
{
	l->slots = 0;
	l->total = slot[AT_ORDINAL] & ~LFN_LAST;
	l->expected = l->total;
	l->checksum = slot[AT_CHECKSUM];
	l->fault = LFN_FINE;
	if (l->total < 1 || l->total > LFN_SLOTS_MAX)
		l->fault = LFN_ORDER;
}

void lfn_push(struct lfn *l, const uint8_t *slot)
{
	unsigned ordinal = slot[AT_ORDINAL] & ~LFN_LAST;
	uint16_t *units;
	unsigned i;

	l->pushed++;
	if (slot[AT_ORDINAL] & LFN_LAST)
		begin_set(l, slot);
	l->slots++;
	if (l->fault != LFN_FINE)
		return;
	if (l->expected == 0 || ordinal != l->expected) {
		l->fault = LFN_ORDER;
		return;
	}
	if (slot[AT_CHECKSUM] != l->checksum) {
		l->fault = LFN_CHECKSUM;
		return;
	}
	l->expected--;
	units = l->units + l->expected * LFN_SLOT_UNITS;
	for (i = 0; i < LFN_SLOT_UNITS; i++)
		units[i] = get_le16(slot + lfn_unit_at(i));
}

unsigned lfn_drop(struct lfn *l)
{
	unsigned pushed = l->pushed;

	l->pushed = 0;
	l->slots = 0;
	l->expected = 0;
	l->fault = LFN_FINE;
	return pushed;
}

/* The name in a complete set of slots, as UTF-8. */
static bool units_to_utf8(const struct lfn *l, char utf8[NAME_UTF8_MAX])
{
	size_t all = (size_t)l->total * LFN_SLOT_UNITS, n, i;
	size_t bytes = NAME_UTF8_MAX - 1;

	for (n = 0; n < all && l->units[n] != 0; n++)
		;
	/* The end belongs into the last slot. */
	if (n > LFN_UNITS_MAX || n <= all - LFN_SLOT_UNITS)
		return false;
	for (i = 0; i < n; i++)
		if (l->units[i] == PADDING)
			return false;
	if (!u16_to_u8(l->units, n, (uint8_t *)utf8, &bytes))
		return false;
	utf8[bytes] = '\0';
	return true;
}

static enum lfn_fault judge(const struct lfn *l,
			    const uint8_t name[DIRENT_NAME_BYTES],
			    char utf8[NAME_UTF8_MAX])
{
	if (l->fault != LFN_FINE)
		return l->fault;
	if (l->expected != 0)
		return LFN_ORDER;
	if (l->checksum != lfn_checksum(name))
		return LFN_CHECKSUM;
	if (!units_to_utf8(l, utf8))
		return LFN_UNICODE;
	return l->pushed > l->slots ? LFN_ORPHAN : LFN_FINE;
}

bool lfn_finish(struct lfn *l, const uint8_t name[DIRENT_NAME_BYTES],
		char utf8[NAME_UTF8_MAX], enum lfn_fault *fault)
{
	*fault = LFN_FINE;
	if (l->pushed == 0)
		return false;
	*fault = judge(l, name, utf8);
	lfn_drop(l);
	return *fault == LFN_FINE || *fault == LFN_ORPHAN;
}

/* Refuses the characters that no FAT name can hold. */
static enum status check_chars(const char *utf8, struct error *err)
{
	const char *p;

	for (p = utf8; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c < 0x20 || c == 0x7F)
			return error_set(err, ST_USAGE,
				"a FAT name cannot hold the control "
				"character 0x%02X", c);
		if (strchr("\"*/:<>?\\|", c))
			return error_set(err, ST_USAGE,
				"a FAT name cannot hold '%c'", c);
	}
	if (strstr(utf8, "\xEF\xBF\xBF"))
		return error_set(err, ST_USAGE,
				 "a FAT name cannot hold U+FFFF");
	return ST_OK;
}

enum status name_check(const char *utf8, struct error *err)
{
	size_t len = strlen(utf8);
	uint16_t units[LFN_UNITS_MAX];
	size_t n = LFN_UNITS_MAX;
	uint16_t *conv = NULL;
	enum status st;

	if (len == 0)
		return error_set(err, ST_USAGE, "a name is empty");
	if (len < NAME_UTF8_MAX) {
		if (u8_check((const uint8_t *)utf8, len))
			return error_set(err, ST_USAGE,
					 "a name is not valid UTF-8");
		conv = u8_to_u16((const uint8_t *)utf8, len, units, &n);
	}
	if (conv != units) {
		free(conv);
		return error_set(err, ST_USAGE, "a FAT name has at most %d "
				 "characters (UTF-16 units)", LFN_UNITS_MAX);
	}
	st = check_chars(utf8, err);
	if (st)
		return st;
	if (strcmp(utf8, ".") == 0 || strcmp(utf8, "..") == 0)
		return error_set(err, ST_USAGE,
				 "\"%s\" is no name for a file", utf8);
	if (utf8[len - 1] == '.' || utf8[len - 1] == ' ')
		return error_set(err, ST_USAGE, "\"%s\": a FAT name cannot "
				 "end in a dot or a blank", utf8);
	return ST_OK;
}

/* Bytes of a blank-padded field that say something. */
static size_t field_len(const uint8_t *field, size_t len)
{
	while (len > 0 && field[len - 1] == ' ')
		len--;
	return len;
}

static void lower_utf8(char *utf8)
{
	char out[SHORT_UTF8_MAX];
	const uint8_t *src = (const uint8_t *)utf8;
	size_t pos = 0;
	ucs4_t uc;

	while (*src) {
		src += u8_mbtouc(&uc, src, strlen((const char *)src));
		pos += (size_t)u8_uctomb((uint8_t *)out + pos,
					 uc_tolower(uc), 4);
	}
	out[pos] = '\0';
	memcpy(utf8, out, pos + 1);
}

static void field_to_utf8(struct codepage *cp, const uint8_t *field,
			  size_t len, bool lower, char utf8[SHORT_UTF8_MAX])
{
	codepage_to_utf8(cp, field, field_len(field, len), utf8,
			 SHORT_UTF8_MAX);
	if (lower)
		lower_utf8(utf8);
}

void short_to_utf8(struct codepage *cp, const uint8_t name[DIRENT_NAME_BYTES],
		   uint8_t ntres, char utf8[SHORT_UTF8_MAX])
{
	uint8_t base[BASE_BYTES];
	char ext[SHORT_UTF8_MAX];

	memcpy(base, name, BASE_BYTES);
	if (base[0] == DIRENT_KANJI_E5)
		base[0] = DIRENT_DELETED;
	field_to_utf8(cp, base, BASE_BYTES, ntres & NTRES_LOWER_BASE, utf8);
	field_to_utf8(cp, name + BASE_BYTES, EXT_BYTES,
		      ntres & NTRES_LOWER_EXT, ext);
	if (ext[0]) {
		strcat(utf8, ".");
		strcat(utf8, ext);
	}
}

void label_to_utf8(struct codepage *cp, const uint8_t name[DIRENT_NAME_BYTES],
		   char utf8[SHORT_UTF8_MAX])
{
	uint8_t label[DIRENT_NAME_BYTES];

	memcpy(label, name, sizeof(label));
	if (label[0] == DIRENT_KANJI_E5)
		label[0] = DIRENT_DELETED;
	field_to_utf8(cp, label, sizeof(label), false, utf8);
}

bool short_is_legal(const uint8_t name[DIRENT_NAME_BYTES])
{
	bool after_lead = false;
	int i;

	if (name[0] == ' ')
		return false;
	for (i = 0; i < DIRENT_NAME_BYTES; i++) {
		uint8_t c = name[i];

		if (i == BASE_BYTES)
			after_lead = false;
		if (after_lead && c >= 0x40) {
			after_lead = false;
			continue;
		}
		after_lead = c >= 0x81 && c <= 0xFE;
		if (i == 0 && c == DIRENT_KANJI_E5) {
			after_lead = true;
			continue;
		}
		if (c < 0x20 || (c >= 'a' && c <= 'z') ||
		    strchr("\"*+,./:;<=>?[\\]|", c))
			return false;
	}
	return true;
}
