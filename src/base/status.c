/*
 * status.c - fills struct error
 *
 * The text is built aside and copied last, so an error may quote the text of
 * the one that it replaces.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

static void fill(struct error *err, enum status code, int sys_errno,
		 const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

static void fill(struct error *err, enum status code, int sys_errno,
		 const char *fmt, va_list ap)
{
	char text[sizeof(err->text)] = "";
	size_t len;

	vsnprintf(text, sizeof(text), fmt, ap);
	if (sys_errno) {
		len = strlen(text);
		snprintf(text + len, sizeof(text) - len, ": %s",
			 strerror(sys_errno));
	}
	*err = (struct error){.code = code, .sys_errno = sys_errno};
	memcpy(err->text, text, sizeof(text));
}

enum status error_set(struct error *err, enum status code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		fill(err, code, 0, fmt, ap);
		va_end(ap);
	}
	return code;
}

enum status error_set_sys(struct error *err, enum status code, int sys_errno,
			  const char *fmt, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, fmt);
		fill(err, code, sys_errno, fmt, ap);
		va_end(ap);
	}
	return code;
}

enum status error_set_offset(struct error *err, uint64_t offset_bytes)
{
	if (!err)
		return ST_IO; /* a place on the device: what else can it be */
	err->has_offset = true;
	err->offset_bytes = offset_bytes;
	return err->code;
}

enum status error_set_nomem(struct error *err)
{
	return error_set(err, ST_NOMEM, "out of memory");
}
