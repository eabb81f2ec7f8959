/*
 * fsck_text.c - fatfsck's findings and summary, for people
 *
 * Invariant: nothing that comes from the volume reaches the terminal but
 * through text_escape().
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/fsck.h"

/* Every byte of a name may become four: \xNN. */
#define ESCAPED_MAX (4 * FINDING_TEXT_MAX + 1)

static void print_escaped(FILE *f, const char *utf8)
{
	char shown[ESCAPED_MAX];

	fputs(text_escape(shown, sizeof(shown), utf8), f);
}

/* As a shell takes it, unless it holds quotes itself. */
static void print_quoted(FILE *f, const char *name)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789@%+=:,./_-";
	const char *quote = name[strspn(name, plain)] ? "'" : "";

	fputs(quote, f);
	print_escaped(f, name);
	fputs(quote, f);
}

static void print_plural(FILE *f, uint64_t n, const char *one,
			 const char *many)
{
	fprintf(f, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void print_clusters(FILE *f, const struct finding *x)
{
	if (!x->first)
		return;
	if (x->first == x->last)
		fprintf(f, " (cluster %" PRIu32 ")", x->first);
	else
		fprintf(f, " (clusters %" PRIu32 " to %" PRIu32 ")", x->first,
			x->last);
}

static void print_finding(FILE *f, const struct fsck_report *r,
			  const struct finding *x)
{
	const struct problem *p = problem_get(x->id);
	bool done = r->mode != REPAIR_PREVIEW;
	char text[FINDING_TEXT_MAX];

	fprintf(f, "%-8s%-16s ", x->follows ? "then" :
		severity_text(p->severity), p->slug);
	if (x->path) {
		print_escaped(f, x->path);
		fputs(": ", f);
	}
	print_escaped(f, finding_text(text, sizeof(text), x));
	if (x->id == PROBLEM_MIRROR_DIFFERS)
		print_clusters(f, x);
	if (x->planned)
		fprintf(f, " [%s%s]", done ? "done: " : "-y: ",
			finding_repair(x));
	fputc('\n', f);
}

static void print_findings(FILE *f, const struct fsck_report *r)
{
	const struct findings *fs = &r->result->findings;
	uint64_t left = findings_unlisted(fs);
	const struct finding *x;
	size_t i;

	for (i = 0; i < fs->n; i++) {
		x = &fs->v[i];
		if (r->verbose ||
		    problem_get(x->id)->severity != SEVERITY_INFO)
			print_finding(f, r, x);
	}
	if (left) {
		fputs("and ", f);
		print_plural(f, left, "finding", "findings");
		fputs(" more (--max-findings)\n", f);
	}
}

static void print_head(FILE *f, const struct fsck_report *r)
{
	const struct bpb *bpb = r->bpb;
	char size[TEXT_SIZE_MAX], cluster[TEXT_SIZE_MAX];

	print_escaped(f, r->image);
	fprintf(f, ": %s, %s, ", bpb_type_name(bpb->type),
		text_format_size(size, bpb->total_sec * bpb->sector_bytes));
	print_plural(f, bpb->clusters, "cluster", "clusters");
	fprintf(f, " of %s, ", text_format_size(cluster, bpb->cluster_bytes));
	print_plural(f, bpb->fat_copies, "FAT copy", "FAT copies");
	if (!bpb->mirrored)
		fprintf(f, ", mirroring off, copy %" PRIu32 " is active",
			bpb->active_fat + 1);
	fputc('\n', f);
}

static void print_reservation(FILE *f, const struct reservation *r)
{
	char reserved[TEXT_SIZE_MAX];

	fputs("reserved  ", f);
	print_escaped(f, r->path);
	fprintf(f, ": %s beyond its %" PRIu64 " bytes, %s\n",
		text_format_size(reserved, r->reserved_bytes), r->size_bytes,
		r->contiguous ? "contiguous" : "fragmented");
}

static void print_reservations(FILE *f, const struct fsck_report *r)
{
	const struct check_result *res = r->result;
	char size[TEXT_SIZE_MAX];
	size_t i;

	for (i = 0; r->verbose && i < res->n_reservations; i++)
		print_reservation(f, &res->reservations[i]);
	if (!res->summary.reservations)
		return;
	print_plural(f, res->summary.reservations, "file has", "files have");
	fprintf(f, " %s reserved beyond the end\n",
		text_format_size(size, res->summary.clusters_reserved *
					       r->bpb->cluster_bytes));
}

static void print_summary(FILE *f, const struct fsck_report *r)
{
	const struct check_summary *s = &r->result->summary;

	if (!r->result->fat_read)
		return;
	print_plural(f, s->files, "file", "files");
	if (s->fragmented_files)
		fprintf(f, " (%" PRIu64 " fragmented)", s->fragmented_files);
	fputs(" in ", f);
	print_plural(f, s->directories, "directory", "directories");
	fprintf(f, " below the root; %" PRIu64 " clusters used, %" PRIu64
		" free, %" PRIu64 " bad\n", s->clusters_used, s->clusters_free,
		s->clusters_bad);
	print_reservations(f, r);
}

static bool has(const struct fsck_report *r, enum problem_id id)
{
	const struct findings *fs = &r->result->findings;
	size_t i;

	for (i = 0; i < fs->n; i++)
		if (fs->v[i].id == id)
			return true;
	return false;
}

/* The one command to run next; none if all is well, or nothing would help. */
static void print_next(FILE *f, const struct fsck_report *r)
{
	bool preview = r->mode == REPAIR_PREVIEW;
	uint64_t planned = fsck_planned(r);
	const char *next = NULL;

	if (preview && planned)
		next = "-y";
	else if (r->mode != REPAIR_PREVIEW && r->mode != REPAIR_ALL &&
		 fsck_left(r, SEVERITY_ERROR))
		next = "-n";
	else if (r->mode == REPAIR_ALL && has(r, PROBLEM_LOST_NO_ROOM))
		next = "-y --lost=free";
	if (!next)
		return;
	fprintf(f, "next: fatfsck %s%s ", r->options, next);
	print_quoted(f, r->image);
	if (preview) {
		fputs(", to repair ", f);
		print_plural(f, planned, "of them", "of them");
		if (r->outcome->preview_cut)
			fputs(", and what that brings to light", f);
	} else if (r->mode == REPAIR_ALL) {
		fputs(", to free what there is no room for", f);
	} else {
		fputs(", to see what -y would do about them", f);
	}
	fputc('\n', f);
}

static void print_counts(FILE *f, const struct fsck_report *r)
{
	const uint64_t *count = r->result->findings.count;
	uint64_t errors = fsck_left(r, SEVERITY_ERROR);
	uint64_t warnings = fsck_left(r, SEVERITY_WARNING);

	print_plural(f, count[SEVERITY_ERROR], "error", "errors");
	fputs(", ", f);
	print_plural(f, count[SEVERITY_WARNING], "warning", "warnings");
	if (r->strict)
		fputs(" (which count as errors)", f);
	if (r->mode != REPAIR_PREVIEW) {
		fprintf(f, ": %" PRIu64 " repaired, left are ",
			fsck_planned(r));
		print_plural(f, errors, "error", "errors");
		fputs(" and ", f);
		print_plural(f, warnings, "warning", "warnings");
	}
	fputc('\n', f);
}

static void print_verdict(FILE *f, const struct fsck_report *r)
{
	const uint64_t *count = r->result->findings.count;

	if (r->verbose)
		fprintf(f, "%" PRIu64 " bytes read, at most %" PRIu64
			" in buffers\n", r->ledger->bytes_read,
			r->ledger->peak_buffer_bytes);
	if (count[SEVERITY_ERROR] || count[SEVERITY_WARNING])
		print_counts(f, r);
	else
		fputs("no errors\n", f);
	print_next(f, r);
}

void fsck_print_text(FILE *f, const struct fsck_report *r)
{
	if (!r->quiet)
		print_head(f, r);
	print_findings(f, r);
	if (r->quiet)
		return;
	print_summary(f, r);
	print_verdict(f, r);
}
