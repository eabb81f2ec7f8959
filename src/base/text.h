/* text.h - sizes and names, as people type and read them */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A length as in fallocate(1): a decimal (or 0x hexadecimal) number with K, M,
 * G, T or KiB, MiB, GiB, TiB (1024) or KB, MB, GB, TB (1000), in either case.
 * A decimal fraction is fine if it comes to whole bytes: 1.5M, not 1.5. A
 * leading 0 does not mean octal. False for anything else: empty, a sign,
 * blanks, trailing bytes, over 64 bits; *bytes is then undefined.
 */
bool text_parse_size(const char *s, uint64_t *bytes);

/* An offset as in mtools' IMAGE@@OFFSET: as above, and S for 512 bytes. */
bool text_parse_offset(const char *s, uint64_t *bytes);

/*
 * "16 MiB", "1.5 GiB", "512 B": in the largest unit that it reaches, exact
 * where that is whole, else with one decimal, rounded down (never more than
 * there is). Returns buf.
 */
#define TEXT_SIZE_MAX 32
char *text_format_size(char buf[TEXT_SIZE_MAX], uint64_t bytes);

/*
 * Copies UTF-8 with control characters (C0, DEL, C1, line separators, and the
 * bidirectional and other invisible format characters), malformed bytes and
 * backslashes as \xNN for each byte, so that a name from a volume can't drive
 * a terminal. Always terminates dst, of cap >= 1 bytes; truncates at a
 * character. Returns dst.
 */
char *text_escape(char *dst, size_t cap, const char *utf8);

#endif
