/* image_bytes.h - what image.c and image_dir.c share */
#ifndef TESTS_CRASH_IMAGE_BYTES_H
#define TESTS_CRASH_IMAGE_BYTES_H

#include "image.h"

void image_put16(uint8_t *b, size_t at, unsigned v);
void image_put32(uint8_t *b, size_t at, uint32_t v);
unsigned image_get16(const uint8_t *b, size_t at);
uint32_t image_get32(const uint8_t *b, size_t at);
void image_copy(uint8_t *b, size_t at, const char *s, size_t n);
void image_die(const char *why) __attribute__((noreturn));

/* All bits of an entry: FFF, FFFF, 0FFFFFFF. */
uint32_t image_ones(const struct image *im);
uint32_t image_get_fat(const struct image *im, uint32_t c);
/* Fills with stale directory entries. */
void image_stale(struct image *im, size_t at, size_t len);

#endif
