/*
 * fsck_json.c - fatfsck's findings and summary, for programs
 *
 * The keys are a contract; they are only ever added to. Invariant: every
 * string is valid UTF-8 (a name that is not would be escaped).
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/fsck.h"

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

/* Takes value over; *ok becomes false where memory is missing. */
static void put(bool *ok, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		*ok = false;
}

static void append(bool *ok, json_t *list, json_t *value)
{
	if (json_array_append_new(list, value))
		*ok = false;
}

static json_t *string(const char *utf8)
{
	json_t *s = json_string(utf8);
	size_t cap = 4 * strlen(utf8) + 1;
	char *escaped;

	if (s)
		return s;
	escaped = malloc(cap);
	if (!escaped)
		return NULL;
	s = json_string(text_escape(escaped, cap, utf8));
	free(escaped);
	return s;
}

static json_t *volume_json(bool *ok, const struct fsck_report *r)
{
	const struct bpb *bpb = r->bpb;
	json_t *v = json_object();

	put(ok, v, "type", json_string(bpb_type_name(bpb->type)));
	put(ok, v, "offset", number(r->offset_bytes));
	put(ok, v, "sector_size", number(bpb->sector_bytes));
	put(ok, v, "cluster_size", number(bpb->cluster_bytes));
	put(ok, v, "clusters", number(bpb->clusters));
	put(ok, v, "fat_copies", number(bpb->fat_copies));
	put(ok, v, "mirrored", json_boolean(bpb->mirrored));
	return v;
}

static json_t *finding_json(bool *ok, const struct fsck_report *r,
			    const struct finding *f)
{
	bool done = f->planned && r->mode != REPAIR_PREVIEW;
	const struct problem *p = problem_get(f->id);
	char text[FINDING_TEXT_MAX];
	json_t *x = json_object();

	put(ok, x, "code", json_string(p->slug));
	put(ok, x, "severity", json_string(severity_text(p->severity)));
	if (f->path)
		put(ok, x, "path", string(f->path));
	if (f->other)
		put(ok, x, "other_path", string(f->other));
	if (f->first)
		put(ok, x, "clusters",
		    json_pack("[I, I]", (json_int_t)f->first,
			      (json_int_t)f->last));
	put(ok, x, "message", string(finding_text(text, sizeof(text), f)));
	if (*p->repair)
		put(ok, x, "repair", json_string(finding_repair(f)));
	put(ok, x, "repaired", json_boolean(done));
	if (f->follows)
		put(ok, x, "follows", json_true());
	/* What -y would repair. */
	if (r->mode == REPAIR_PREVIEW)
		put(ok, x, "would_repair", json_boolean(f->planned));
	return x;
}

static json_t *findings_json(bool *ok, const struct fsck_report *r)
{
	const struct findings *fs = &r->result->findings;
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < fs->n; i++)
		append(ok, list, finding_json(ok, r, &fs->v[i]));
	return list;
}

static json_t *summary_json(bool *ok, const struct fsck_report *r)
{
	const struct check_result *res = r->result;
	const struct check_summary *s = &res->summary;
	const struct findings *fs = &res->findings;
	json_t *x = json_object();

	put(ok, x, "files", number(s->files));
	put(ok, x, "directories", number(s->directories));
	put(ok, x, "clusters_used", number(s->clusters_used));
	put(ok, x, "clusters_free", number(s->clusters_free));
	put(ok, x, "clusters_bad", number(s->clusters_bad));
	put(ok, x, "clusters_reserved_beyond_eof",
	    number(s->clusters_reserved));
	put(ok, x, "fragmented_files", number(s->fragmented_files));
	put(ok, x, "reservations", number(s->reservations));
	put(ok, x, "errors", number(fs->count[SEVERITY_ERROR]));
	put(ok, x, "warnings", number(fs->count[SEVERITY_WARNING]));
	put(ok, x, "infos", number(fs->count[SEVERITY_INFO]));
	put(ok, x, "errors_left", number(fsck_left(r, SEVERITY_ERROR)));
	put(ok, x, "warnings_left", number(fsck_left(r, SEVERITY_WARNING)));
	put(ok, x, "findings_not_listed", number(findings_unlisted(fs)));
	return x;
}

static json_t *reservations_json(bool *ok, const struct check_result *res)
{
	json_t *list = json_array(), *x;
	const struct reservation *r;
	size_t i;

	for (i = 0; i < res->n_reservations; i++) {
		r = &res->reservations[i];
		x = json_object();
		put(ok, x, "path", string(r->path));
		put(ok, x, "size", number(r->size_bytes));
		put(ok, x, "allocated", number(r->allocated_bytes));
		put(ok, x, "reserved", number(r->reserved_bytes));
		put(ok, x, "contiguous", json_boolean(r->contiguous));
		append(ok, list, x);
	}
	return list;
}

static json_t *stats_json(bool *ok, const struct ledger *lg)
{
	json_t *x = json_object();

	put(ok, x, "bytes_read", number(lg->bytes_read));
	put(ok, x, "syncs", number(lg->syncs));
	put(ok, x, "fat_sectors_written",
	    number(ledger_sectors(lg, REGION_FAT)));
	put(ok, x, "dir_sectors_written",
	    number(ledger_sectors(lg, REGION_DIR)));
	put(ok, x, "fsinfo_sectors_written",
	    number(ledger_sectors(lg, REGION_FSINFO)));
	put(ok, x, "boot_sectors_written",
	    number(ledger_sectors(lg, REGION_BOOT)));
	put(ok, x, "data_bytes_moved", number(lg->data_bytes_moved));
	put(ok, x, "peak_buffer_bytes", number(lg->peak_buffer_bytes));
	return x;
}

static json_t *report_json(bool *ok, const struct fsck_report *r)
{
	json_t *root = json_object();

	put(ok, root, "schema", json_integer(1));
	put(ok, root, "volume", volume_json(ok, r));
	put(ok, root, "findings", findings_json(ok, r));
	put(ok, root, "summary", summary_json(ok, r));
	put(ok, root, "reservations", reservations_json(ok, r->result));
	put(ok, root, "stats", stats_json(ok, r->ledger));
	put(ok, root, "exit", json_integer(r->exit_status));
	return root;
}

enum status fsck_print_json(FILE *f, const struct fsck_report *r,
			    struct error *err)
{
	bool ok = true;
	json_t *root = report_json(&ok, r);
	enum status st = ST_OK;

	if (!ok)
		st = error_set_nomem(err);
	else if (json_dumpf(root, f, JSON_INDENT(2)) || fputc('\n', f) == EOF)
		st = error_set(err, ST_IO, "the JSON can't be written");
	json_decref(root);
	return st;
}
