/* codepage.h - DOS code pages by iconv, and Unicode case by libunistring */
#ifndef FAT_CODEPAGE_H
#define FAT_CODEPAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct codepage;

/*
 * Code page number, e.g. 437, 850, 932. ST_USAGE if iconv has no such, or if
 * it is no superset of ASCII (EBCDIC).
 */
enum status codepage_open(struct codepage **out, unsigned number,
			  struct error *err);
void codepage_close(struct codepage *cp); /* accepts NULL */

/*
 * len bytes of a short name to UTF-8. A byte that the code page has no
 * character for, and NUL, becomes U+FFFD. Always terminates; cap >= 3 * len
 * + 1.
 */
void codepage_to_utf8(struct codepage *cp, const uint8_t *bytes, size_t len,
		      char *utf8, size_t cap);

/*
 * One Unicode character to bytes of the code page (1 or 2), which it comes
 * back from unchanged. Returns the number of bytes, 0 if it has none.
 */
size_t codepage_from_char(struct codepage *cp, uint32_t uc, uint8_t out[4]);

/*
 * A character's upper case, by which names are compared: one to one, no
 * locale, no normalisation. Only true pairs: what is not the lower case of
 * its upper case stays itself (dotless i is no I, long s no S, the micro
 * sign no Greek letter; sharp s has no partner), but for the final sigma.
 * That is how Windows folds; its table is in the exFAT specification, 7.2.5.
 */
uint32_t name_upper(uint32_t uc);

/*
 * The key by which names are compared: name_upper() of each character.
 * malloc'ed; NULL if out of memory or utf8 is not valid UTF-8.
 */
char *name_fold(const char *utf8);

/* Are the keys equal? Needs no memory; what is not UTF-8 equals nothing. */
bool name_same(const char *a, const char *b);

#endif
