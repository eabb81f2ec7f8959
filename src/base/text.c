/*
 * text.c - sizes and names, as people type and read them
 *
 * A size is exact or refused: nothing is rounded on the way in. Nothing that
 * could act on a terminal gets through text_escape().
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unictype.h>
#include <unistr.h>

#include "base/ckd.h"
#include "base/text.h"

struct unit {
	const char *name;
	uint64_t bytes;
};

static const struct unit size_units[] = {
	{"", 1},
	{"K", UINT64_C(1) << 10},
	{"KiB", UINT64_C(1) << 10},
	{"KB", UINT64_C(1000)},
	{"M", UINT64_C(1) << 20},
	{"MiB", UINT64_C(1) << 20},
	{"MB", UINT64_C(1000000)},
	{"G", UINT64_C(1) << 30},
	{"GiB", UINT64_C(1) << 30},
	{"GB", UINT64_C(1000000000)},
	{"T", UINT64_C(1) << 40},
	{"TiB", UINT64_C(1) << 40},
	{"TB", UINT64_C(1000000000000)},
};

static uint64_t unit_bytes(const char *name)
{
	for (size_t i = 0; i < sizeof(size_units) / sizeof(*size_units); i++)
		if (!strcasecmp(name, size_units[i].name))
			return size_units[i].bytes;
	return 0;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads digits of a base; false if there is none or they don't fit. */
static bool take_digits(const char **s, int base, uint64_t *value)
{
	const char *p = *s;
	uint64_t v = 0;

	for (; digit_value(*p) < base; p++)
		if (ckd_mul(&v, v, (uint64_t)base) ||
		    ckd_add(&v, v, (uint64_t)digit_value(*p)))
			return false;
	if (p == *s)
		return false;
	*s = p;
	*value = v;
	return true;
}

/* The digits behind a decimal point: 25 becomes 25 / 100. */
static bool take_fraction(const char **s, uint64_t *numerator,
			  uint64_t *denominator)
{
	const char *first = *s;

	if (!take_digits(s, 10, numerator))
		return false;
	*denominator = 1;
	for (; first < *s; first++)
		if (ckd_mul(denominator, *denominator, UINT64_C(10)))
			return false;
	return true;
}

static bool parse(const char *s, bool sectors, uint64_t *bytes)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	uint64_t whole, num = 0, den = 1, unit, part;

	s += hex ? 2 : 0;
	if (!take_digits(&s, hex ? 16 : 10, &whole))
		return false;
	if (!hex && *s == '.') {
		s++;
		if (!take_fraction(&s, &num, &den))
			return false;
	}
	unit = sectors && !strcasecmp(s, "S") ? 512 : unit_bytes(s);
	if (!unit || ckd_mul(&part, num, unit) || part % den)
		return false;
	return !ckd_mul(&whole, whole, unit) &&
	       !ckd_add(bytes, whole, part / den);
}

bool text_parse_size(const char *s, uint64_t *bytes)
{
	return parse(s, false, bytes);
}

bool text_parse_offset(const char *s, uint64_t *bytes)
{
	return parse(s, true, bytes);
}

char *text_format_size(char buf[TEXT_SIZE_MAX], uint64_t bytes)
{
	static const char *const names[] = {"B",   "KiB", "MiB", "GiB",
					    "TiB", "PiB", "EiB"};
	uint64_t unit = 1;
	unsigned i = 0;

	for (; bytes / unit >= 1024; i++)
		unit <<= 10;
	/* unit is at most 2^60, so the remainder times 10 fits. */
	if (bytes % unit)
		snprintf(buf, TEXT_SIZE_MAX, "%" PRIu64 ".%" PRIu64 " %s",
			 bytes / unit, bytes % unit * 10 / unit, names[i]);
	else
		snprintf(buf, TEXT_SIZE_MAX, "%" PRIu64 " %s", bytes / unit,
			 names[i]);
	return buf;
}

/* May this go to a terminal as it is? */
static bool is_plain(ucs4_t uc)
{
	const uint32_t acts = UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Cf |
			      UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;

	return uc != '\\' && !uc_is_general_category_withtable(uc, acts) &&
	       !uc_is_property_default_ignorable_code_point(uc);
}

char *text_escape(char *dst, size_t cap, const char *utf8)
{
	const uint8_t *s = (const uint8_t *)utf8;
	size_t left = strlen(utf8);
	char *d = dst, *end = dst + cap - 1;
	ucs4_t uc;
	int n, i;

	for (; left; s += n, left -= (size_t)n) {
		n = u8_mbtoucr(&uc, s, left);
		if (n > 0 && is_plain(uc)) {
			if (end - d < n)
				break;
			memcpy(d, s, (size_t)n);
			d += n;
			continue;
		}
		n = n > 0 ? n : 1;
		if (end - d < 4 * n)
			break;
		for (i = 0; i < n; i++, d += 4)
			snprintf(d, 5, "\\x%02X", s[i]);
	}
	*d = '\0';
	return dst;
}
