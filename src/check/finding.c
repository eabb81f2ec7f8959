/*
 * finding.c - the table of problems and the list of findings
 *
 * Invariant: at most max findings are stored, however many there are, and
 * bytes of paths in proportion, so a damaged volume can't use up the memory;
 * all are counted.
 */
#include "check/finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

#define SEV_ERROR   SEVERITY_ERROR
#define SEV_WARNING SEVERITY_WARNING
#define SEV_INFO    SEVERITY_INFO
#define SAY_YES	    true
#define SAY_NO	    false

static const struct problem problems[PROBLEM_COUNT] = {
#define PROBLEM(id, slug, severity, preen, answer, sentence, repair) \
	[PROBLEM_##id] = { slug, SEV_##severity, SAY_##preen, SAY_##answer, \
			   sentence, repair },
#include "check/problem.def"
#undef PROBLEM
};

const struct problem *problem_get(enum problem_id id)
{
	return &problems[id];
}

const char *severity_text(enum severity severity)
{
	static const char *const text[SEVERITY_COUNT] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return text[severity];
}

static uint64_t path_bytes(const struct finding *f)
{
	return (f->path ? strlen(f->path) + 1 : 0) +
	       (f->other ? strlen(f->other) + 1 : 0);
}

static void finding_release(const struct finding *f)
{
	free(f->path);
	free(f->other);
}

enum status findings_add(struct findings *fs, const struct finding *f,
			 struct error *err)
{
	enum severity severity = problem_get(f->id)->severity;
	bool counts = !f->follows || !fs->preview;
	enum status st = ST_OK;

	if (counts)
		fs->count[severity]++;
	if (f->planned)
		fs->planned[severity]++;
	else
		fs->left[severity]++;
	if (f->planned && !counts)
		fs->follow[severity]++;
	if (!findings_full(fs)) {
		st = array_reserve(&fs->v, &fs->cap, fs->n + 1, sizeof(*f),
				   err);
		if (!st) {
			fs->path_bytes += path_bytes(f);
			fs->v[fs->n++] = *f;
			return ST_OK;
		}
	}
	if (f->planned)
		fs->unlisted++;
	else if (counts)
		fs->unlisted_round++;
	finding_release(f);
	return st;
}

static void drop_unplanned(struct findings *fs, size_t first)
{
	size_t i, kept = first;

	for (i = first; i < fs->n; i++) {
		if (fs->v[i].planned) {
			fs->v[kept++] = fs->v[i];
			continue;
		}
		fs->path_bytes -= path_bytes(&fs->v[i]);
		finding_release(&fs->v[i]);
	}
	fs->n = kept;
}

void findings_end_round(struct findings *fs, size_t first, bool is_first)
{
	unsigned i;

	if (!fs->preview || !is_first)
		drop_unplanned(fs, first);
	if (fs->preview && is_first)
		fs->unlisted += fs->unlisted_round;
	fs->unlisted_round = 0;
	for (i = 0; i < SEVERITY_COUNT; i++) {
		if (fs->preview && is_first)
			fs->stay[i] = fs->count[i] - fs->planned[i];
		fs->count[i] = fs->stay[i] + fs->planned[i] - fs->follow[i];
		fs->left[i] = 0;
	}
}

/* FNV-1a */
static uint64_t hash_add(uint64_t h, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len--)
		h = (h ^ *p++) * 0x100000001B3u;
	return h;
}

uint64_t finding_hash(const struct finding *f)
{
	uint64_t h = 0xCBF29CE484222325u;

	h = hash_add(h, &f->id, sizeof(f->id));
	h = hash_add(h, &f->first, sizeof(f->first));
	h = hash_add(h, &f->n, sizeof(f->n));
	return f->path ? hash_add(h, f->path, strlen(f->path)) : h;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

enum status findings_drop_known(struct findings *fs, size_t first,
				struct error *err)
{
	uint64_t *known = calloc(first + 1, sizeof(*known)), h;
	size_t i, kept = first;

	if (!known)
		return error_set_nomem(err);
	for (i = 0; i < first; i++)
		known[i] = finding_hash(&fs->v[i]);
	qsort(known, first, sizeof(*known), by_value);
	for (i = first; i < fs->n; i++) {
		h = finding_hash(&fs->v[i]);
		if (!bsearch(&h, known, first, sizeof(h), by_value)) {
			fs->v[kept++] = fs->v[i];
			continue;
		}
		fs->path_bytes -= path_bytes(&fs->v[i]);
		finding_release(&fs->v[i]);
	}
	fs->n = kept;
	free(known);
	return ST_OK;
}

void findings_free(struct findings *fs)
{
	size_t i;

	for (i = 0; i < fs->n; i++)
		finding_release(&fs->v[i]);
	free(fs->v);
	fs->v = NULL;
	fs->n = fs->cap = 0;
}

bool findings_paths_full(const struct findings *fs)
{
	return fs->path_bytes / FINDING_PATHS_EACH >= fs->max;
}

bool findings_full(const struct findings *fs)
{
	return fs->n >= fs->max || findings_paths_full(fs);
}

void findings_set_other(struct findings *fs, size_t i, char *path)
{
	struct finding *f = &fs->v[i];

	fs->path_bytes -= path_bytes(f);
	free(f->other);
	f->other = path;
	fs->path_bytes += path_bytes(f);
}

uint64_t findings_unlisted(const struct findings *fs)
{
	return fs->unlisted + fs->unlisted_round;
}

/* In the format that stands behind the colon; none = decimal. */
static const char *print_number(char buf[TEXT_SIZE_MAX], uint64_t value,
				char format)
{
	const char *unit = "";

	switch (format) {
	case 's':
		return text_format_size(buf, value);
	case 'x':
		snprintf(buf, TEXT_SIZE_MAX, "%" PRIX64, value);
		return buf;
	case 'c':
		unit = value == 1 ? " cluster" : " clusters";
		break;
	case 'e':
		unit = value == 1 ? " entry" : " entries";
		break;
	case 'o':
		unit = value == 1 ? " slot" : " slots";
		break;
	}
	snprintf(buf, TEXT_SIZE_MAX, "%" PRIu64 "%s", value, unit);
	return buf;
}

/* The value of a placeholder; NULL if there is no such. */
static const char *expand(const char *name, size_t len,
			  const struct finding *f, char buf[TEXT_SIZE_MAX])
{
	uint64_t value;

	if (len == 5 && !memcmp(name, "other", len))
		return f->other ? f->other : "another file";
	if (len == 5 && !memcmp(name, "first", len))
		value = f->first;
	else if (len == 4 && !memcmp(name, "last", len))
		value = f->last;
	else if (name[0] == 'n')
		value = f->n;
	else if (name[0] == 'm')
		value = f->m;
	else
		return NULL;
	return print_number(buf, value, len == 3 ? name[2] : '\0');
}

/* Drops a character of UTF-8 that was cut in two at the end. */
static void mend_end(char *dst, size_t len)
{
	size_t start = len;

	while (start > 0 && ((unsigned char)dst[start - 1] & 0xC0) == 0x80)
		start--;
	if (start > 0 && ((unsigned char)dst[start - 1] & 0x80))
		dst[start - 1] = '\0';
}

const char *finding_repair(const struct finding *f)
{
	return f->frees ? "free its clusters" : problem_get(f->id)->repair;
}

char *finding_text(char *dst, size_t cap, const struct finding *f)
{
	const char *p = problem_get(f->id)->sentence, *end, *part;
	char number[TEXT_SIZE_MAX];
	size_t used = 0, len;

	while (*p && used + 1 < cap) {
		part = p;
		len = strcspn(p, "{");
		end = p + len;
		if (!len) {
			end = strchr(p, '}') + 1;
			part = expand(p + 1, (size_t)(end - p) - 2, f, number);
			len = strlen(part);
		}
		if (len > cap - 1 - used) {
			memcpy(dst + used, part, cap - 1 - used);
			mend_end(dst, cap - 1);
			dst[cap - 1] = '\0';
			return dst;
		}
		memcpy(dst + used, part, len);
		used += len;
		p = end;
	}
	dst[used] = '\0';
	return dst;
}
