/*
 * file_text.c - reservations and listings as a table
 *
 * The path comes last in a line, so no column depends on its width; it is
 * escaped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report.h"

static enum status begin(struct report *r, struct error *err)
{
	const struct bpb *bpb = &r->vol->bpb;
	char cluster[TEXT_SIZE_MAX], space[TEXT_SIZE_MAX];

	(void)err;
	if (r->quiet)
		return ST_OK;
	fprintf(r->out, "%s: %s, %u clusters of %s, %s free, %u FAT cop%s\n",
		r->image, bpb_type_name(bpb->type), bpb->clusters,
		text_format_size(cluster, bpb->cluster_bytes),
		text_format_size(space, (uint64_t)r->free_before *
						bpb->cluster_bytes),
		bpb->fat_copies, bpb->fat_copies == 1 ? "y" : "ies");
	fprintf(r->out, "%10s %10s %10s %6s  %-9s %s\n", "SIZE", "ALLOCATED",
		"RESERVED", "RUNS", r->list ? "" : "DONE", "PATH");
	return ST_OK;
}

static enum status count_run(void *arg, struct run run, struct error *err)
{
	struct run *sum = arg; /* first: end of the last run; count: runs */

	(void)err;
	sum->count += sum->first != run.first;
	sum->first = (clus_t)run_end(run);
	return ST_OK;
}

static enum status print_run(void *arg, struct run run, struct error *err)
{
	const struct report *r = arg;
	const struct bpb *bpb = &r->vol->bpb;
	uint64_t at = r->offset_bytes + bpb_clus_offset(bpb, run.first);
	char size[TEXT_SIZE_MAX];

	(void)err;
	fprintf(r->out,
		"%10s   clusters %" PRIu32 "-%" PRIu64 ", byte %" PRIu64
		", LBA %" PRIu64 "\n",
		text_format_size(size, (uint64_t)run.count *
					       bpb->cluster_bytes),
		run.first, run_end(run) - 1, at, at / bpb->sector_bytes);
	return ST_OK;
}

static const char *state(const struct report *r, const struct job_file *f)
{
	if (r->list)
		return f->contiguous ? "" : "pieces";
	if (!f->changed)
		return "as it was";
	if (r->release)
		return "released";
	return f->created ? "created" : "changed";
}

static enum status file(struct report *r, const struct job_file *f,
			struct error *err)
{
	char allocated[TEXT_SIZE_MAX], reserved[TEXT_SIZE_MAX];
	size_t cap = 4 * strlen(f->path) + 1;
	struct run sum = { 0, 0 };
	char *path;
	enum status st;

	r->n_files++;
	r->total_reserved_bytes += f->reserved_bytes;
	if (r->quiet)
		return ST_OK;
	path = malloc(cap);
	if (!path)
		return error_set_nomem(err);
	st = list_runs(r->win, f, count_run, &sum, err);
	fprintf(r->out, "%10" PRIu64 " %10s %10s %6u  %-9s %s\n",
		f->size_bytes,
		text_format_size(allocated, f->allocated_bytes),
		text_format_size(reserved, f->reserved_bytes), sum.count,
		state(r, f), text_escape(path, cap, f->path));
	free(path);
	if (!st && (r->list || r->verbose))
		st = list_runs(r->win, f, print_run, r, err);
	return st;
}

static void print_stat(void *arg, const char *name, uint64_t value)
{
	const struct report *r = arg;

	fprintf(r->out, "%-22s %12" PRIu64 "\n", name, value);
}

static void print_sum(struct report *r)
{
	char reserved[TEXT_SIZE_MAX], left[TEXT_SIZE_MAX];

	fprintf(r->out, "%" PRIu64 " file%s, %s reserved beyond the size; "
			"%s free%s\n",
		r->n_files, r->n_files == 1 ? "" : "s",
		text_format_size(reserved, r->total_reserved_bytes),
		text_format_size(left, (uint64_t)r->free_after *
					       r->vol->bpb.cluster_bytes),
		r->list	       ? ""
		: r->dry_run   ? "; nothing was written (dry run)"
		: !r->changed  ? "; there was nothing to do"
		: r->verified  ? "; written and read back"
			       : "; written, not read back");
}

static enum status end(struct report *r, struct error *err)
{
	unsigned i;

	(void)err;
	if (!r->quiet)
		print_sum(r);
	if (r->stats)
		report_stats(r->vol->blk->ledger, print_stat, r);
	fflush(r->out);
	for (i = 0; i < r->n_warnings && !r->quiet; i++)
		fprintf(stderr, "note: %s\n", r->warnings[i].message);
	return ST_OK;
}

const struct report_ops report_text = { begin, file, end };
