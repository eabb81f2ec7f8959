/*
 * fault.c - every read, write and barrier of a job fails once
 *
 * Usage: fault [--all] [WORD...]
 * WORD: only jobs whose name has it; without --all a few volumes stand for
 * the others. The job is run again and again, and its first, second, ...
 * call of a kind fails, until it runs through. Demanded each time: ST_IO and
 * a sentence; nothing is written any more after a failure; result.wrote says
 * whether a write was tried; if not, no byte changed; if so, the volume is
 * in a state that a cut may leave (judge.h), whatever the failed write left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"

static const char *const kinds[] = { "read", "write", "sync" };
static const char *const torns[] = { "nothing", "half", "all" };
static const char *const few[] = { "fat12/", "fat12-four", "fat16-one",
				   "fat32/", "fat32-mirr", "fat32-4096",
				   NULL };

struct counts {
	unsigned runs, violations;
};

static void complain(struct counts *sum, const struct job *job,
		     const struct recorder *rec, const char *what)
{
	sum->violations++;
	printf("VIOLATION in %s, %s %zu fails", job->name,
	       kinds[rec->fail_kind], rec->fail_at);
	if (rec->fail_kind == OP_WRITE)
		printf(" and leaves %s", torns[rec->torn]);
	printf(": %s\n", what);
}

static void check(struct counts *sum, const struct job *job,
		  const struct recorder *rec, struct judge *j,
		  enum status st, const struct commit_result *result,
		  const struct error *err)
{
	bool tried = rec->done[OP_WRITE] > 0;

	if (st != ST_IO)
		complain(sum, job, rec, st ? err->text : "success");
	else if (err->code != st || !*err->text)
		complain(sum, job, rec, "no sentence");
	else if (rec->after_failure)
		complain(sum, job, rec, "it went on writing");
	else if (result->wrote != tried || result->verified)
		complain(sum, job, rec, "the result tells a lie");
	else if (!tried && memcmp(rec->image, job->image->bytes,
				  job->image->size))
		complain(sum, job, rec, "something changed");
	else if (!judge_state(j, rec->image))
		complain(sum, job, rec, j->fault);
}

/* One run with one failure; false if the job did not get that far. */
static bool fail_one(struct counts *sum, const struct job *job,
		     struct judge *j, enum op_kind kind, size_t at,
		     enum torn torn)
{
	struct recorder *rec = job_recorder(job);
	struct commit_result result;
	struct error err;
	enum status st;
	bool failed;

	rec->fail_kind = kind;
	rec->fail_at = at;
	rec->torn = torn;
	st = job_do(job, rec, &result, &err);
	failed = rec->failed;
	if (failed) {
		sum->runs++;
		check(sum, job, rec, j, st, &result, &err);
	}
	recorder_free(rec);
	return failed;
}

static void fail_each(struct counts *sum, const struct job *job,
		      struct judge *j)
{
	size_t at;
	int torn;

	for (at = 1; fail_one(sum, job, j, OP_READ, at, TORN_ALL); at++)
		;
	for (torn = TORN_NOTHING; torn <= TORN_ALL; torn++)
		for (at = 1; fail_one(sum, job, j, OP_WRITE, at,
				      (enum torn)torn); at++)
			;
	for (at = 1; fail_one(sum, job, j, OP_SYNC, at, TORN_ALL); at++)
		;
}

static void run_job(struct counts *sum, const struct job *job)
{
	struct recorder *rec = job_recorder(job);
	struct commit_result result;
	struct error err;
	struct judge j;

	if (job_do(job, rec, &result, &err)) {
		complain(sum, job, rec, err.text);
	} else {
		if (judge_open(&j, &job->goal, job->image->bytes, rec->image,
			       job->image->size))
			fail_each(sum, job, &j);
		else
			complain(sum, job, rec, j.fault);
		judge_close(&j);
	}
	recorder_free(rec);
}

static bool has_one(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const char *const *words = few;
	struct counts sum = { 0 };
	unsigned jobs = 0;
	struct job job;
	size_t v, s;
	bool all = argc > 1 && !strcmp(argv[1], "--all");

	if (!all && argc > 1)
		words = (const char *const *)argv + 1;
	for (v = 0; v < job_volumes_n; v++)
		for (s = 0; s < job_scenarios_n; s++) {
			if (!job_open(&job, &job_volumes[v],
				      &job_scenarios[s]))
				continue;
			if (all || has_one(job.name, words)) {
				jobs++;
				run_job(&sum, &job);
			}
			job_close(&job);
		}
	printf("%u failures, %u jobs, %u violations\n", sum.runs, jobs,
	       sum.violations);
	return sum.violations || !jobs;
}
