/*
 * slots.h - directory slots of long names, as other systems write them
 *
 * In hexadecimal: written by mtools 4.0.33, or by hand from the layout in
 * fatgen103.
 */
#ifndef TESTS_SLOTS_H
#define TESTS_SLOTS_H

#include <stdint.h>
#include <stdio.h>

#define QUICK_2 \
	"42 77006e002e0066006f00 0f 00 07 78000000ffffffffffffffff 0000 " \
	"ffffffff"
#define QUICK_1 \
	"01 54006800650020007100 0f 00 07 7500690063006b0020006200 0000 " \
	"72006f00"
#define QUICK	"THEQUI~1FOX"
#define BASHRC_1 \
	"41 2e006200610073006800 0f 00 76 720063000000ffffffffffff 0000 " \
	"ffffffff"
#define BASHRC	"BASHRC~1   "
#define EXACT_1 \
	"41 65007800610063007400 0f 00 f6 6c0079003100330075006e00 0000 " \
	"69007400"
#define EXACT	"EXACTL~1   "

static inline unsigned from_hex(const char *hex, uint8_t *out)
{
	unsigned n = 0, byte;
	int used;

	for (; sscanf(hex, "%2x%n", &byte, &used) == 1; hex += used)
		out[n++] = (uint8_t)byte;
	return n;
}

#endif
