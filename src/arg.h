/*
 * arg.h - values of options that both programs take
 *
 * option is as the user typed it, "--buffer", for the sentence. All return
 * ST_USAGE for a value that won't do.
 */
#ifndef ARG_H
#define ARG_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "fat/dirent.h"

#define ARG_CODEPAGE_DEFAULT 437u
#define ARG_CODEPAGE_MAX     65535u

/* A decimal number from least to most. */
enum status arg_number(const char *option, const char *text, uint64_t least,
		       uint64_t most, uint64_t *out, struct error *err);
/* --buffer: from 64K to 1G, in whole pages. */
enum status arg_buffer(const char *text, size_t *out, struct error *err);
/* --image-offset, in bytes. */
enum status arg_offset(const char *text, uint64_t *out, struct error *err);
/* SOURCE_DATE_EPOCH, in UTC, or now, in local time, as FAT has it. */
enum status arg_time(struct dos_time *out, struct error *err);

#endif
