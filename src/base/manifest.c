/*
 * manifest.c - lines of "LENGTH PATH"
 *
 * Every line that is kept has a length, a path and valid UTF-8.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "base/array.h"
#include "base/manifest.h"
#include "base/text.h"

#define BLANKS " \t"

enum status manifest_parse_length(const char *text, uint64_t *length_bytes,
				  bool *max, struct error *err)
{
	char shown[128];

	*max = !strcmp(text, "max");
	*length_bytes = 0;
	if (*max)
		return ST_OK;
	text_escape(shown, sizeof(shown), text);
	if (!text_parse_size(text, length_bytes)) {
		*length_bytes = 0;
		return error_set(
			err, ST_USAGE,
			"\"%s\" is not a length: a number with K, M, G "
			"(1024) or KB, MB, GB (1000), or \"max\"",
			shown);
	}
	if (!*length_bytes)
		return error_set(
			err, ST_USAGE,
			"\"%s\" is not a length: it must be more than 0",
			shown);
	return ST_OK;
}

enum status manifest_add(struct manifest *m, const char *path,
			 uint64_t length_bytes, bool max, unsigned line,
			 struct error *err)
{
	enum status st;
	char *copy = NULL;

	st = array_reserve(&m->v, &m->cap, m->n + 1, sizeof(*m->v), err);
	if (st)
		return st;
	copy = strdup(path);
	if (!copy)
		return error_set_nomem(err);
	m->v[m->n++] = (struct manifest_line){.path = copy,
					      .length_bytes = length_bytes,
					      .max = max,
					      .line = line};
	return ST_OK;
}

/* text: len bytes and a NUL, without the line's end; it is cut in two. */
static enum status add_line(struct manifest *m, char *text, size_t len,
			    unsigned line, struct error *err)
{
	uint64_t length_bytes;
	enum status st;
	char *path;
	bool max;

	if (strlen(text) != len)
		return error_set(err, ST_USAGE, "contains a NUL byte");
	if (u8_check((const uint8_t *)text, len))
		return error_set(err, ST_USAGE, "is not UTF-8");
	text += strspn(text, BLANKS);
	path = text + strcspn(text, BLANKS);
	if (*path)
		*path++ = '\0';
	path += strspn(path, BLANKS);
	st = manifest_parse_length(text, &length_bytes, &max, err);
	if (st)
		return st;
	if (!*path)
		return error_set(err, ST_USAGE, "has a length but no path");
	return manifest_add(m, path, length_bytes, max, line, err);
}

enum status manifest_read(struct manifest *m, FILE *f, const char *name,
			  struct error *err)
{
	struct error local = {0};
	enum status st = ST_OK;
	char *text = NULL;
	size_t cap = 0;
	unsigned line = 0;
	ssize_t n;

	while (!st && (n = getline(&text, &cap, f)) >= 0) {
		line++;
		if (n && text[n - 1] == '\n')
			text[--n] = '\0';
		if (n && text[n - 1] == '\r')
			text[--n] = '\0';
		if (!n || text[strspn(text, BLANKS)] == '#')
			continue;
		if (strspn(text, BLANKS) == (size_t)n)
			continue;
		st = add_line(m, text, (size_t)n, line, &local);
	}
	if (st)
		error_set(err, st, "%s:%u: %s", name, line, local.text);
	else if (!feof(f))
		st = error_set_sys(err, ST_IO, errno, "%s: cannot read", name);
	free(text);
	return st;
}

void manifest_free(struct manifest *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].path);
	free(m->v);
	*m = (struct manifest){0};
}
