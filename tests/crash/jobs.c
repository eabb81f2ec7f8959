/*
 * jobs.c - the volumes, the scenarios, and running one on the other
 */
#include "jobs.h"

#include <stdio.h>
#include <string.h>

#include "fat/volume.h"

const struct job_volume job_volumes[] = {
	{ "fat12", { .type = 12, .clusters = 1450, .root_slots = 128 } },
	{ "fat12-one-copy-no-mark", { .type = 12, .clusters = 1450,
				      .root_slots = 128, .copies = 1,
				      .no_ext = true, .clean_end = true } },
	{ "fat12-four-copies", { .type = 12, .clusters = 1449,
				 .root_slots = 128, .copies = 4 } },
	{ "fat12-4096", { .type = 12, .clusters = 1450, .root_slots = 128,
			  .sector_bytes = 4096 } },
	{ "fat12-clusters-of-2", { .type = 12, .clusters = 1450,
				   .root_slots = 128, .cluster_sec = 2 } },
	{ "fat16", { .type = 16, .clusters = 4200, .root_slots = 128 } },
	{ "fat16-one-copy", { .type = 16, .clusters = 4200,
			      .root_slots = 128, .copies = 1,
			      .clean_end = true } },
	{ "fat16-four-copies-no-state", { .type = 16, .clusters = 4200,
					  .root_slots = 128, .copies = 4,
					  .no_ext = true } },
	{ "fat16-4096", { .type = 16, .clusters = 4200, .root_slots = 128,
			  .sector_bytes = 4096 } },
	{ "fat32", { .type = 32, .clusters = 1450, .hint = 1200 } },
	{ "fat32-one-copy", { .type = 32, .clusters = 1450, .copies = 1,
			      .root_clus = 5 } },
	{ "fat32-four-copies", { .type = 32, .clusters = 1450, .copies = 4 } },
	{ "fat32-mirroring-off", { .type = 32, .clusters = 1450, .copies = 3,
				   .no_mirror = true, .active = 1 } },
	{ "fat32-4096", { .type = 32, .clusters = 1450,
			  .sector_bytes = 4096 } },
	{ "fat32-clusters-of-4", { .type = 32, .clusters = 1450,
				   .cluster_sec = 4, .clean_end = true } },
	{ "fat32-no-fsinfo", { .type = 32, .clusters = 1450,
			       .no_fsinfo = true } },
};
const size_t job_volumes_n = sizeof(job_volumes) / sizeof(*job_volumes);

#define ON_FAT12 1
#define ON_FAT16 2
#define ON_FAT32 4

const struct scenario job_scenarios[] = {
	{ "new", GOAL_KEEP, .files = { { "NEW.BIN", 40, 7 } } },
	{ "new-several", GOAL_KEEP, .files = {
		{ "Log file number one.dat", 30, 0 }, { "b.bin", 35, 1 },
		{ "EDGE1/third one.data", 20, 0 }, { "FOURTH", 90, 0 } } },
	{ "new-in-pieces", GOAL_KEEP, .max_extents = 8, .files = {
		{ "PIECES.BIN", 450, 0 } } },
	{ "empty", GOAL_KEEP, .files = { { "EMPTY.TXT", 20, 0 } } },
	{ "not-empty", GOAL_KEEP, .files = { { "SMALL.TXT", 5, 0 } } },
	{ "not-empty-several", GOAL_KEEP, .max_extents = 3, .files = {
		{ "SMALL.TXT", 30, 0 }, { "FRAG.BIN", 25, 3 },
		{ "mixed CASE, long name.data", 40, 0 },
		{ "EXACT.BIN", 9, 0 }, { "Deep directory/BELOW/OLD.BIN", 5,
					 0 } } },
	{ "reserved", GOAL_KEEP, .files = {
		{ "RESERVED.BIN", 15, 0 }, { "RESEMPTY.BIN", 9, 0 } } },
	{ "nothing-to-do", GOAL_KEEP, .nothing = true, .files = {
		{ "RESERVED.BIN", 10, 0 }, { "RESEMPTY.BIN", 3, 1 },
		{ "FRAG.BIN", 1, 0 } } },
	{ "extend-new", GOAL_EXTEND, .files = { { "zero.bin", 33, 5 } } },
	{ "extend-several", GOAL_EXTEND, .max_extents = 4, .files = {
		{ "SMALL.TXT", 20, 3 }, { "EMPTY.TXT", 6, 0 },
		{ "EXACT.BIN", 5, -1 }, { "RESERVED.BIN", 8, 0 },
		{ "RESEMPTY.BIN", 12, 17 }, { "FRAG.BIN", 7, 0 },
		{ "A new and zeroed file.dat", 10, 0 } } },
	{ "extend-in-reservation", GOAL_EXTEND, .files = {
		{ "RESERVED.BIN", 9, 100 }, { "RESEMPTY.BIN", 2, 0 } } },
	{ "extend-pieces", GOAL_EXTEND, .max_extents = 6, .files = {
		{ "EXACT.BIN", 400, 0 } } },
	{ "no-zero", GOAL_NO_ZERO, .max_extents = 2, .files = {
		{ "SMALL.TXT", 20, 3 }, { "EMPTY.TXT", 6, 0 },
		{ "RESERVED.BIN", 14, 0 }, { "quick.bin", 30, 0 } } },
	{ "straddle-end", GOAL_KEEP, .files = {
		{ "EDGE1/a long name of four slots, or so.data", 5, 0 } } },
	{ "straddle-end-short", GOAL_KEEP, .files = {
		{ "EDGE1/X.BIN", 5, 0 } } },
	{ "fill-sector", GOAL_KEEP, .files = {
		{ "EDGE3/Three slots.data", 5, 0 } } },
	{ "straddle-several", GOAL_KEEP, .files = {
		{ "EDGE3/one long name.data", 5, 0 },
		{ "EDGE3/another long name.data", 0, 1 },
		{ "EDGE3/S", 0, 1 },
		{ "EDGE3/and a fourth that is rather longer than the other "
		  "ones, so that it needs a whole sector of slots and even "
		  "more, as many as there can be, or nearly as many as there "
		  "can be.data", 3, 0 } } },
	{ "gap", GOAL_KEEP, .files = {
		{ "GAP/In gap.data", 3, 0 },
		{ "GAP/T.DAT", 3, 0 }, { "GAP/U.DAT", 3, 0 } } },
	{ "gap-full", GOAL_KEEP, .files = {
		{ "GAPFULL/One in four slots of the old gap.data", 3, 0 } } },
	{ "grow", GOAL_KEEP, .files = { { "FULL/new.bin", 5, 0 } } },
	{ "grow-straddling", GOAL_KEEP, .files = {
		{ "ALMOST/A long name over the end of it.data", 5, 0 },
		{ "ALMOST/second.bin", 0, 1 } } },
	{ "grow-root", GOAL_KEEP, .full_root = true, .types = ON_FAT32,
	  .files = { { "In the root that grows.data", 5, 0 },
		     { "DIR/sub.bin", 1, 1 } }, .parents = true },
	{ "gap-in-full-root", GOAL_KEEP, .full_root = true,
	  .types = ON_FAT12 | ON_FAT16, .files = {
		{ "Four slots, and in two sectors.data", 5, 0 } } },
	{ "parents", GOAL_KEEP, .parents = true, .files = {
		{ "P1/P2/P3/deep file name.bin", 12, 0 },
		{ "P1/beside.bin", 3, 0 },
		{ "Deep directory/below/Further down/x", 2, 0 } } },
	{ "parents-extend", GOAL_EXTEND, .parents = true, .files = {
		{ "EDGE1/New dir/zero.bin", 2, 3 },
		{ "FULL/another/one.bin", 3, 0 } } },
	{ "release", GOAL_RELEASE, .files = { { "RESERVED.BIN", 0, 0 } } },
	{ "release-empty", GOAL_RELEASE, .files = {
		{ "RESEMPTY.BIN", 0, 0 } } },
	{ "release-several", GOAL_RELEASE, .files = {
		{ "RESEMPTY.BIN", 0, 0 }, { "SMALL.TXT", 0, 0 },
		{ "RESERVED.BIN", 0, 0 }, { "EMPTY.TXT", 0, 0 } } },
	{ "marked-dirty", GOAL_EXTEND, .dirty = true, .files = {
		{ "EXACT.BIN", 6, 0 }, { "new.bin", 6, 0 } } },
	{ "tail-odd", GOAL_KEEP, .types = ON_FAT12, .files = {
		{ "TAILODD.BIN", 20, 0 } } },
	{ "cut-odd", GOAL_RELEASE, .types = ON_FAT12, .files = {
		{ "CUTODD.BIN", 0, 0 } } },
	{ "tail-even", GOAL_KEEP, .types = ON_FAT12, .files = {
		{ "TAILEVEN.BIN", 20, 0 } } },
	{ "tail-several", GOAL_KEEP, .types = ON_FAT12, .max_extents = 3,
	  .files = { { "TAILEVEN.BIN", 60, 0 }, { "TAILODD.BIN", 90, 0 },
		     { "new.bin", 30, 0 }, { "CUTODD.BIN", 9, 0 } } },
	{ "tail-extend", GOAL_EXTEND, .types = ON_FAT12, .files = {
		{ "TAILEVEN.BIN", 20, 9 }, { "TAILODD.BIN", 30, 0 },
		{ "SMALL.TXT", 3, 0 } } },
	{ "tail-behind", GOAL_EXTEND, .types = ON_FAT12,
	  .tails = TAILS_FILES_TOO, .files = {
		{ "TAILODD.BIN", 40, 0 } } },
	{ "cut-even", GOAL_RELEASE, .types = ON_FAT12,
	  .tails = TAILS_FILES_TOO, .files = {
		{ "CUTEVEN.BIN", 0, 0 } } },
	{ "cut-several", GOAL_RELEASE, .types = ON_FAT12,
	  .tails = TAILS_FILES_TOO, .files = {
		{ "CUTEVEN.BIN", 0, 0 }, { "RESEMPTY.BIN", 0, 0 },
		{ "CUTODD.BIN", 0, 0 }, { "RESERVED.BIN", 0, 0 } } },
	{ "tail-dir-odd", GOAL_KEEP, .types = ON_FAT12, .tails = TAILS_DIRS,
	  .files = { { "DIRODD/new.bin", 5, 0 } } },
	{ "tail-dir-even", GOAL_KEEP, .types = ON_FAT12, .tails = TAILS_DIRS,
	  .files = { { "DIREVEN/new.bin", 5, 0 } } },
	{ "tail-dirs-several", GOAL_EXTEND, .types = ON_FAT12,
	  .tails = TAILS_DIRS, .parents = true, .files = {
		{ "DIREVEN/A longer name, of three slots.bin", 5, 7 },
		{ "DIREVEN/and so on, until it needs more than one.bin", 1, 0 },
		{ "DIREVEN/cluster, as it does with this one.bin", 1, 0 },
		{ "DIREVEN/for a cluster may have only 16 slots.bin", 1, 0 },
		{ "DIREVEN/and five such names need more of them.bin", 1, 0 },
		{ "DIRODD/sub/new.bin", 2, 0 } } },
};
const size_t job_scenarios_n = sizeof(job_scenarios) / sizeof(*job_scenarios);

static unsigned type_bit(unsigned type)
{
	return type == 12 ? ON_FAT12 : type == 16 ? ON_FAT16 : ON_FAT32;
}

bool job_open(struct job *job, const struct job_volume *v,
	      const struct scenario *s)
{
	size_t i;

	memset(job, 0, sizeof(*job));
	if (s->types && !(s->types & type_bit(v->spec.type)))
		return false;
	snprintf(job->name, sizeof(job->name), "%s/%s", v->name, s->name);
	job->scenario = s;
	job->image = job_image(&v->spec, s);
	for (i = 0; i < JOB_FILES && s->files[i].path; i++)
		job->files[i] = (struct goal_file){
			s->files[i].path,
			(uint64_t)s->files[i].clusters *
				job->image->cluster_bytes +
				(uint64_t)s->files[i].bytes
		};
	job->goal = (struct goal){ s->mode, s->max_extents, job->files, i };
	return true;
}

void job_close(struct job *job)
{
	image_free(job->image);
	job->image = NULL;
}

struct recorder *job_recorder(const struct job *job)
{
	return recorder_new(job->image->bytes, job->image->size,
			    job->image->spec.sector_bytes);
}

static enum status run_on(const struct job *job, const struct volume *vol,
			  struct commit_result *result, struct error *err)
{
	struct job_request req[JOB_FILES] = { { 0 } };
	struct job_options opt = {
		.release = job->goal.mode == GOAL_RELEASE,
		.extend = job->goal.mode == GOAL_EXTEND ||
			  job->goal.mode == GOAL_NO_ZERO,
		.no_zero = job->goal.mode == GOAL_NO_ZERO,
		.parents = job->scenario->parents,
		.force = job->scenario->dirty,
		.max_extents = job->goal.max_extents,
		.now = { 0x5A21, 0x6000, 0 },
		.commit = { .verify = true },
	};
	struct job_result res = { 0 };
	struct codepage *cp = NULL;
	size_t i;
	enum status st;

	for (i = 0; i < job->goal.n; i++) {
		req[i].path = job->files[i].path;
		req[i].length_bytes = job->files[i].length;
	}
	st = codepage_open(&cp, 437, err);
	if (!st)
		st = job_run(vol, cp, req, job->goal.n, &opt, &res, err);
	*result = res.commit;
	job_result_free(&res);
	codepage_close(cp);
	return st;
}

enum status job_do(const struct job *job, struct recorder *rec,
		   struct commit_result *result, struct error *err)
{
	struct volume vol = { .blk = &rec->blk,
			      .window_bytes = VOLUME_WINDOW_MIN };
	enum status st;

	memset(result, 0, sizeof(*result));
	memset(err, 0, sizeof(*err));
	st = bpb_read(&rec->blk, &vol.bpb, err);
	return st ? st : run_on(job, &vol, result, err);
}
