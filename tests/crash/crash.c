/*
 * crash.c - explores the crash states of all jobs
 *
 * Usage: crash [--full] [--dump FILE] [WORD...]
 * --full: more states of each job, and more random jobs. WORD: only jobs
 * whose name has it. --dump writes the image before the first of them and
 * ends, for a look with other tools.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "jobs.h"

static const struct budget full = { 12, 4096, 4096, 100 };
static const struct budget quick = { 8, 200, 200, 100 };

static int complain(const struct job *job, const char *what, const char *why)
{
	printf("VIOLATION in %s: %s: %s\n", job->name, what, why);
	return 1;
}

static int explore_job(const struct job *job, const struct recorder *rec,
		       const struct budget *budget, struct explored *sum)
{
	struct judge j;
	int bad = 0;

	if (!judge_open(&j, &job->goal, job->image->bytes, rec->image,
			job->image->size))
		bad = complain(job, "volume", j.fault);
	else if (!judge_final(&j))
		bad = complain(job, "result", j.fault);
	if (!bad)
		explore(job->name, job->image->bytes, &rec->log, &j, budget,
			sum, stdout);
	judge_close(&j);
	return bad;
}

/* A random scenario may have asked for what is there already. */
static bool log_is_right(const struct job *job, const struct recorder *rec,
			 const struct commit_result *result)
{
	if (job->scenario->maybe_nothing && !rec->log.n)
		return !result->wrote;
	if (job->scenario->nothing)
		return !rec->log.n && !result->wrote;
	return rec->log.n && result->wrote && result->verified;
}

static int run_job(const struct job *job, const struct budget *budget,
		   struct explored *sum)
{
	struct recorder *rec = job_recorder(job);
	struct commit_result result;
	struct error err;
	int bad = 0;

	if (job_do(job, rec, &result, &err))
		bad = complain(job, "refused", err.text);
	else if (!log_is_right(job, rec, &result))
		bad = complain(job, "log", "no writes, writes with nothing to "
					   "do, or not verified");
	if (!bad)
		bad = explore_job(job, rec, budget, sum);
	recorder_free(rec);
	return bad;
}

static bool wanted(const char *name, char *const *words)
{
	if (!*words)
		return true;
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static int dump(const struct job *job, const char *file)
{
	FILE *f = fopen(file, "wb");

	if (!f || fwrite(job->image->bytes, job->image->size, 1, f) != 1 ||
	    fclose(f)) {
		perror(file);
		return 99;
	}
	printf("%s: %s\n", file, job->name);
	return 0;
}

struct session {
	const struct budget *budget;
	const char *dump; /* file */
	char *const *words;
	struct explored sum;
	unsigned jobs, bad, randoms;
};

/* False if the session is to end. */
static bool visit(struct session *s, const struct job_volume *v,
		  const struct scenario *scenario)
{
	struct job job;
	bool go_on = true;

	if (!job_open(&job, v, scenario))
		return true;
	if (wanted(job.name, s->words)) {
		s->jobs++;
		go_on = !s->dump;
		s->bad += (unsigned)(s->dump ? dump(&job, s->dump)
					     : run_job(&job, s->budget,
						       &s->sum));
	}
	job_close(&job);
	return go_on;
}

static void visit_all(struct session *s)
{
	struct scenario random;
	char name[16];
	unsigned seed;
	size_t v, i;

	for (v = 0; v < job_volumes_n; v++)
		for (i = 0; i < job_scenarios_n; i++)
			if (!visit(s, &job_volumes[v], &job_scenarios[i]))
				return;
	for (seed = 0; seed < s->randoms; seed++) {
		job_random(&random, name, seed);
		if (!visit(s, &job_volumes[seed % job_volumes_n], &random))
			return;
	}
}

int main(int argc, char **argv)
{
	struct session s = { .budget = &quick, .randoms = 160 };
	int at = 1;

	(void)argc;
	if (argv[at] && !strcmp(argv[at], "--full")) {
		s.budget = &full;
		s.randoms = 1600;
		at++;
	}
	if (argv[at] && !strcmp(argv[at], "--dump") && argv[at + 1]) {
		s.dump = argv[at + 1];
		at += 2;
	}
	s.words = argv + at;
	visit_all(&s);
	if (s.dump)
		return s.bad || !s.jobs;
	printf("%llu states, %u jobs, %llu violations\n",
	       (unsigned long long)s.sum.states, s.jobs,
	       (unsigned long long)s.sum.violations + s.bad);
	return s.sum.violations || s.bad || !s.jobs;
}
