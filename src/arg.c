/*
 * arg.c - values of options that both programs take
 *
 * Invariant: *out is written only for a value that will do.
 */
#include "arg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "fat/volume.h"

#define BUFFER_MAX (UINT64_C(1) << 30)
#define PAGE_BYTES 4096u

enum status arg_number(const char *option, const char *text, uint64_t least,
		       uint64_t most, uint64_t *out, struct error *err)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n < least ||
	    n > most)
		return error_set(err, ST_USAGE,
				 "%s: \"%s\" is not a number from %" PRIu64
				 " to %" PRIu64, option, text, least, most);
	*out = n;
	return ST_OK;
}

enum status arg_buffer(const char *text, size_t *out, struct error *err)
{
	uint64_t bytes;

	if (!text_parse_size(text, &bytes))
		return error_set(err, ST_USAGE, "--buffer: \"%s\" is no size",
				 text);
	if (bytes < VOLUME_WINDOW_MIN)
		return error_set(err, ST_USAGE,
				 "--buffer: %s is too small; at least 64K",
				 text);
	if (bytes > BUFFER_MAX)
		return error_set(err, ST_USAGE,
				 "--buffer: %s is too large; at most 1G", text);
	*out = (size_t)(bytes - bytes % PAGE_BYTES);
	return ST_OK;
}

enum status arg_offset(const char *text, uint64_t *out, struct error *err)
{
	if (!text_parse_offset(text, out))
		return error_set(err, ST_USAGE,
				 "--image-offset: \"%s\" is no offset", text);
	return ST_OK;
}

enum status arg_time(struct dos_time *out, struct error *err)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	struct timespec now;
	struct tm tm;
	long long seconds;
	char *end;

	if (!epoch) {
		clock_gettime(CLOCK_REALTIME, &now);
		if (!localtime_r(&now.tv_sec, &tm))
			tm.tm_gmtoff = 0;
		*out = dos_time_from_unix(now.tv_sec + tm.tm_gmtoff,
					  (int)now.tv_nsec);
		return ST_OK;
	}
	errno = 0;
	seconds = strtoll(epoch, &end, 10);
	if (!*epoch || *end || errno || seconds < 0)
		return error_set(err, ST_USAGE,
				 "SOURCE_DATE_EPOCH: \"%s\" is no number of "
				 "seconds", epoch);
	*out = dos_time_from_unix(seconds, 0);
	return ST_OK;
}
