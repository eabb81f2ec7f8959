/*
 * codepage.c - DOS code pages by iconv, and Unicode case by libunistring
 *
 * Invariants: bytes below 80 are ASCII, whatever iconv thinks of 5C or 7E
 * (DOS and its successors take them so); a character goes to bytes only if
 * the bytes come back as that character. Single bytes are looked up in a
 * table; only double-byte characters and the way back ask iconv.
 */
#include "fat/codepage.h"

#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unistr.h>

#include "base/bytes.h"

#define NO_CHAR 0xFFFDu
#define LEAD	0u /* in the table: the first of two bytes */

#define FINAL_SIGMA 0x3C2u
#define SIGMA	    0x3A3u

#define NO_ICONV ((iconv_t)-1)

struct codepage {
	iconv_t to_uni, from_uni; /* to and from UTF-32LE */
	uint32_t high[128];	  /* of the bytes 80 to FF */
};

/*
 * Converts one character, from the initial state and back to it. Returns
 * the bytes in out, 0 if there is no such character, -1 if in is only the
 * beginning of one.
 */
static int convert(iconv_t cd, const uint8_t *in, size_t len, uint8_t out[8])
{
	char from[8], to[8];
	char *src = from, *dst = to;
	size_t left = len, room = sizeof(to);

	memcpy(from, in, len);
	iconv(cd, NULL, NULL, NULL, NULL);
	if (iconv(cd, &src, &left, &dst, &room) == (size_t)-1)
		return errno == EINVAL ? -1 : 0;
	/* Code pages with combining characters hold the last one back. */
	if (iconv(cd, NULL, NULL, &dst, &room) == (size_t)-1)
		return 0;
	memcpy(out, to, sizeof(to) - room);
	return (int)(sizeof(to) - room);
}

/* NO_CHAR if it has none, LEAD if one byte is not enough. */
static uint32_t ask_iconv(iconv_t to_uni, const uint8_t *bytes, size_t len)
{
	uint8_t out[8];
	int n = convert(to_uni, bytes, len, out);

	if (n < 0)
		return len == 1 ? LEAD : NO_CHAR;
	return n == 4 ? get_le32(out) : NO_CHAR;
}

static bool holds_ascii(iconv_t to_uni)
{
	const char *p;

	for (p = "0189AIJMNZaijmnz_.~"; *p; p++) {
		uint8_t byte = (uint8_t)*p;
		uint32_t uc = ask_iconv(to_uni, &byte, 1);

		/* Japanese code pages may call 7E an overline. */
		if (uc != byte && byte != '~')
			return false;
	}
	return true;
}

static void fill_table(struct codepage *cp)
{
	unsigned i;

	for (i = 0; i < 128; i++) {
		uint8_t byte = (uint8_t)(0x80 + i);

		cp->high[i] = ask_iconv(cp->to_uni, &byte, 1);
	}
}

enum status codepage_open(struct codepage **out, unsigned number,
			  struct error *err)
{
	struct codepage *cp = calloc(1, sizeof(*cp));
	char name[16];

	if (!cp)
		return error_set_nomem(err);
	snprintf(name, sizeof(name), "CP%u", number);
	cp->from_uni = NO_ICONV;
	cp->to_uni = iconv_open("UTF-32LE", name);
	if (cp->to_uni != NO_ICONV)
		cp->from_uni = iconv_open(name, "UTF-32LE");
	if (cp->from_uni == NO_ICONV) {
		codepage_close(cp);
		return error_set(err, ST_USAGE,
				 "code page %u is not known to iconv", number);
	}
	if (!holds_ascii(cp->to_uni)) {
		codepage_close(cp);
		return error_set(err, ST_USAGE,
				 "code page %u is not one of DOS: "
				 "it is no superset of ASCII", number);
	}
	fill_table(cp);
	*out = cp;
	return ST_OK;
}

void codepage_close(struct codepage *cp)
{
	if (!cp)
		return;
	if (cp->to_uni != NO_ICONV)
		iconv_close(cp->to_uni);
	if (cp->from_uni != NO_ICONV)
		iconv_close(cp->from_uni);
	free(cp);
}

/* The character that bytes begin with; *used is 1 or 2. */
static uint32_t first_char(struct codepage *cp, const uint8_t *bytes,
			   size_t len, size_t *used)
{
	uint32_t uc;

	*used = 1;
	if (bytes[0] < 0x80)
		return bytes[0] ? bytes[0] : NO_CHAR;
	uc = cp->high[bytes[0] - 0x80];
	if (uc != LEAD)
		return uc;
	if (len < 2)
		return NO_CHAR;
	uc = ask_iconv(cp->to_uni, bytes, 2);
	if (uc != NO_CHAR)
		*used = 2;
	return uc;
}

void codepage_to_utf8(struct codepage *cp, const uint8_t *bytes, size_t len,
		      char *utf8, size_t cap)
{
	size_t pos = 0, used;

	while (len > 0) {
		uint32_t uc = first_char(cp, bytes, len, &used);
		int n = u8_uctomb((uint8_t *)utf8 + pos, uc,
				  (ptrdiff_t)(cap - 1 - pos));

		if (n < 0)
			break;
		pos += (size_t)n;
		bytes += used;
		len -= used;
	}
	utf8[pos] = '\0';
}

size_t codepage_from_char(struct codepage *cp, uint32_t uc, uint8_t out[4])
{
	uint8_t in[4], bytes[8];
	size_t used;
	int n;

	if (uc < 0x80) {
		out[0] = (uint8_t)uc;
		return 1;
	}
	put_le32(in, uc);
	n = convert(cp->from_uni, in, sizeof(in), bytes);
	if (n != 1 && n != 2)
		return 0;
	if (first_char(cp, bytes, (size_t)n, &used) != uc || (int)used != n)
		return 0;
	memcpy(out, bytes, used);
	return used;
}

uint32_t name_upper(uint32_t uc)
{
	uint32_t up;

	if (uc < 0x80)
		return uc >= 'a' && uc <= 'z' ? uc - 'a' + 'A' : uc;
	if (uc == FINAL_SIGMA)
		return SIGMA;
	up = uc_toupper(uc);
	return uc_tolower(up) == uc ? up : uc;
}

char *name_fold(const char *utf8)
{
	const uint8_t *src = (const uint8_t *)utf8;
	size_t left = strlen(utf8), pos = 0;
	uint8_t *key = NULL;
	ucs4_t uc;

	/* The upper case of two bytes may have three. */
	key = malloc(left / 2 * 3 + 2);
	if (!key)
		return NULL;
	while (left > 0) {
		int n = u8_mbtoucr(&uc, src, left);

		if (n < 0) {
			free(key);
			return NULL;
		}
		src += n;
		left -= (size_t)n;
		pos += (size_t)u8_uctomb(key + pos, name_upper(uc), 4);
	}
	key[pos] = '\0';
	return (char *)key;
}

bool name_same(const char *a, const char *b)
{
	const uint8_t *p = (const uint8_t *)a, *q = (const uint8_t *)b;
	size_t p_left = strlen(a), q_left = strlen(b);
	ucs4_t x, y;

	while (p_left > 0 && q_left > 0) {
		int m = u8_mbtoucr(&x, p, p_left);
		int n = u8_mbtoucr(&y, q, q_left);

		if (m < 0 || n < 0 || name_upper(x) != name_upper(y))
			return false;
		p += m;
		p_left -= (size_t)m;
		q += n;
		q_left -= (size_t)n;
	}
	return p_left == q_left;
}
