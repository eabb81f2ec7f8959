/*
 * file_json.c - reservations and listings as one JSON object
 *
 * The keys are a contract; they are only ever added to. Values are jansson's
 * work; the outermost braces are written here, so that the files of a whole
 * volume need not be in memory at once.
 */
#include <jansson.h>

#include "report/report.h"

/* A file in more pieces than this has its list of extents cut short. */
#define EXTENTS_MAX 100000

static enum status dump(struct report *r, json_t *value, const char *before,
			struct error *err)
{
	bool bad = !value || fputs(before, r->out) < 0 ||
		   json_dumpf(value, r->out, JSON_COMPACT | JSON_ENCODE_ANY);

	json_decref(value);
	if (bad)
		return error_set(err, ST_IO,
				 "standard output: the report can't be "
				 "written");
	return ST_OK;
}

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static enum status begin(struct report *r, struct error *err)
{
	const struct bpb *bpb = &r->vol->bpb;
	json_t *v = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "type",
			      bpb_type_name(bpb->type), "offset",
			      number(r->offset_bytes), "cluster_size",
			      number(bpb->cluster_bytes), "clusters",
			      number(bpb->clusters), "free_before",
			      number(r->free_before), "free_after",
			      number(r->free_after), "fat_copies",
			      number(bpb->fat_copies));

	return dump(r, v, "{\"schema\":1,\"volume\":", err);
}

struct extents {
	struct report *r;
	json_t *list;
	struct run last; /* not yet in the list */
};

static enum status put_extent(struct extents *x, struct error *err)
{
	struct report *r = x->r;
	uint64_t at;

	if (!x->last.count)
		return ST_OK;
	if (json_array_size(x->list) >= EXTENTS_MAX) {
		if (!r->extents_cut)
			report_warn(r, "extents-cut",
				    "a file has more than 100,000 extents; "
				    "only the first ones are listed");
		r->extents_cut = true;
		return ST_OK;
	}
	at = r->offset_bytes + bpb_clus_offset(&r->vol->bpb, x->last.first);
	if (json_array_append_new(
		    x->list, json_pack("{s:o, s:o, s:o}", "first_cluster",
				       number(x->last.first), "clusters",
				       number(x->last.count), "offset",
				       number(at))))
		return error_set_nomem(err);
	return ST_OK;
}

/* A run that was added directly behind the old chain is one with it. */
static enum status take_run(void *arg, struct run run, struct error *err)
{
	struct extents *x = arg;
	enum status st;

	if (x->last.count && run_end(x->last) == run.first) {
		x->last.count += run.count;
		return ST_OK;
	}
	st = put_extent(x, err);
	x->last = run;
	return st;
}

static enum status file(struct report *r, const struct job_file *f,
			struct error *err)
{
	struct extents x = { .r = r, .list = json_array() };
	json_t *value;
	enum status st;

	st = x.list ? list_runs(r->win, f, take_run, &x, err)
		    : error_set_nomem(err);
	if (!st)
		st = put_extent(&x, err);
	if (st) {
		json_decref(x.list);
		return st;
	}
	value = json_pack("{s:s, s:o, s:o, s:o, s:b, s:b, s:b, s:o}", "path",
			  f->path, "size", number(f->size_bytes), "allocated",
			  number(f->allocated_bytes), "reserved",
			  number(f->reserved_bytes), "created", f->created,
			  "changed", f->changed, "contiguous", f->contiguous,
			  "extents", x.list);
	return dump(r, value, r->n_files++ ? ",\n" : ",\n\"files\":[\n", err);
}

struct stats {
	json_t *object;
	bool bad;
};

static void put_stat(void *arg, const char *name, uint64_t value)
{
	struct stats *s = arg;

	s->bad |= json_object_set_new(s->object, name, number(value)) != 0;
}

static json_t *warnings_json(const struct report *r)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; list && i < r->n_warnings; i++)
		if (json_array_append_new(
			    list, json_pack("{s:s, s:s}", "code",
					    r->warnings[i].code, "message",
					    r->warnings[i].message))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static enum status end(struct report *r, struct error *err)
{
	struct stats s = { .object = json_object() };
	const char *before = r->n_files ? "],\n\"stats\":"
					: ",\n\"files\":[],\n\"stats\":";
	enum status st;

	report_stats(r->vol->blk->ledger, put_stat, &s);
	if (s.bad) {
		json_decref(s.object);
		return error_set_nomem(err);
	}
	st = dump(r, s.object, before, err);
	if (!st)
		st = dump(r, json_boolean(r->verified), ",\n\"verified\":",
			  err);
	if (!st)
		st = dump(r, warnings_json(r), ",\n\"warnings\":", err);
	if (!st)
		fputs("}\n", r->out);
	return st;
}

const struct report_ops report_json = { begin, file, end };
