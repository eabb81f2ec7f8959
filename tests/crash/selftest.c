/*
 * selftest.c - does the explorer find what is wrong?
 *
 * Takes the log of a good job, spoils it in one way, and demands that the
 * explorer or the judge says the right thing about it. The good job itself
 * must pass.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "spoil.h"

static const struct {
	const char *job;
	spoil_fn *spoil;
	const char *what; /* said by the explorer; NULL: it can't see it */
	const char *end;  /* said by judge_final() */
} cases[] = {
	{ "fat32/new", spoil_no_barriers, "not marked dirty", NULL },
	{ "fat12-one-copy-no-mark/new", spoil_no_barriers, "free cluster",
	  NULL },
	{ "fat32/new", spoil_no_last_barrier, "no barrier after", NULL },
	{ "fat32/new", spoil_early_entry, "free cluster", NULL },
	{ "fat16/extend-new", spoil_early_entry, "free cluster", NULL },
	{ "fat12/new", spoil_early_entry, "free cluster", NULL },
	{ "fat32/new", spoil_no_first_copy, "free cluster", "free cluster" },
	{ "fat32/new", spoil_no_second_copy, "FAT copy 2: ", "FAT copy 2" },
	{ "fat16/not-empty", spoil_no_second_copy, "not marked dirty",
	  "FAT copy 2 differs" },
	{ "fat32/new", spoil_no_mark, "not marked dirty", NULL },
	{ "fat16/new", spoil_no_mark, "not marked dirty", NULL },
	{ "fat32/new", spoil_early_clean, "not marked dirty", NULL },
	{ "fat32/extend-new", spoil_no_zeros, "not zero", "not zero" },
	{ "fat32/extend-several", spoil_no_zeros, "not zero", "not zero" },
	{ "fat32/parents", spoil_no_first_dir_write, "is wrong", "is wrong" },
	{ "fat32/straddle-end-short", spoil_no_first_dir_write, "EDGE1/STALE",
	  "EDGE1/STALE" },
	{ "fat32/straddle-end", spoil_links_with_entries, "EDGE1/STALE", NULL },
	{ "fat12-clusters-of-2/straddle-end", spoil_links_in_entries,
	  "EDGE1/STALE", NULL },
	{ "fat12/tail-odd", spoil_steps_with_links, "bad cluster 341", NULL },
	{ "fat12/cut-odd", spoil_steps_with_links, "out of range to", NULL },
	{ "fat32/not-empty", spoil_part_of_chain, "chain of 4 clusters is",
	  "runs into cluster" },
	{ "fat32/release", spoil_free_early, "free cluster", NULL },
	{ "fat32/new", spoil_no_fsinfo, "not marked dirty", "FSInfo 0 says" },
	{ "fat32/new", spoil_no_clean, NULL, "the dirty mark" },
	{ "fat32/new", spoil_cross_link, "cross-link at cluster 60",
	  "cross-link" },
	{ "fat32/new", spoil_loop, "loop at cluster 20", "loop" },
	{ "fat32/new", spoil_out_of_range, "out of range to 1452",
	  "out of range" },
	{ "fat32/new", spoil_into_bad, "bad cluster 300", "bad cluster" },
	{ "fat32/new", spoil_cut_short, "but 1 clusters", "but 1 clusters" },
	{ "fat32/new", spoil_lost, "not marked dirty", "cluster 290 is lost" },
	{ "fat32/new", spoil_lost_into_used, "runs into cluster 80",
	  "runs into" },
	{ "fat32/new", spoil_upper_bits, "not marked dirty",
	  "upper bits of entry 290" },
	{ "fat32/new", spoil_wild_file, "SMALL.TXT: bytes changed", "changed" },
	{ "fat32/new", spoil_wild_free, "not marked dirty",
	  "changed for no reason" },
	{ "fat32/new", spoil_wild_boot, "byte 1539 before the FATs",
	  "byte 1539" },
	{ "fat32/new", spoil_wild_slack, "not marked dirty", "slack of FAT" },
	{ "fat32/new", spoil_delete_file, "EMPTY.TXT is gone", "is gone" },
	{ "fat32/new", spoil_same_name, "is there twice", "is there twice" },
	{ "fat32/new", spoil_touch, "neither old nor new",
	  "entry of /SMALL.TXT" },
	{ "fat32/new", spoil_too_large, "but 1 clusters", "but 1 clusters" },
	{ "fat32/new", spoil_wrong_dot, "EDGE1: . is wrong", "is wrong" },
	{ "fat32/new", spoil_rename_long, "appeared", "is gone" },
	{ "fat32/new", spoil_nothing, NULL, "NEW.BIN is missing" },
	{ "fat32/not-empty", spoil_nothing, NULL, "has 1 clusters" },
	{ "fat32/extend-in-reservation", spoil_nothing, NULL, "and size" },
};

static bool open_by_name(struct job *job, const char *name)
{
	size_t v, s;

	for (v = 0; v < job_volumes_n; v++)
		for (s = 0; s < job_scenarios_n; s++) {
			if (strncmp(name, job_volumes[v].name,
				    strlen(job_volumes[v].name)) ||
			    !strchr(name, '/') ||
			    strcmp(strchr(name, '/') + 1,
				   job_scenarios[s].name))
				continue;
			if (!job_open(job, &job_volumes[v], &job_scenarios[s]))
				continue;
			if (!strcmp(job->name, name))
				return true;
			job_close(job);
		}
	return false;
}

/* Explores a log; *end is what the judge says about its result. */
static struct explored look(const struct job *job, const struct log *log,
			    const uint8_t *after, char *end, size_t cap)
{
	static const struct budget budget = { 8, 200, 200, 1 };
	struct explored sum = { 0 };
	struct image *im = job->image;
	uint8_t *spoilt = malloc(im->size);
	struct judge j;
	size_t i;

	if (!spoilt)
		exit(99);
	memcpy(spoilt, im->bytes, im->size);
	for (i = 0; i < log->n; i++)
		memcpy(spoilt + log->v[i].at, log->v[i].bytes, log->v[i].len);
	if (!judge_open(&j, &job->goal, im->bytes, after, im->size))
		exit(99);
	explore(job->name, im->bytes, log, &j, &budget, &sum, NULL);
	judge_close(&j);
	if (judge_open(&j, &job->goal, im->bytes, spoilt, im->size))
		judge_final(&j);
	snprintf(end, cap, "%s", j.fault);
	judge_close(&j);
	free(spoilt);
	return sum;
}

static bool says(const char *want, const char *got)
{
	return want ? strstr(got, want) != NULL : !*got;
}

static bool test(size_t i)
{
	struct recorder *rec;
	struct commit_result result;
	struct explored good, bad;
	char good_end[400], end[400];
	struct error err;
	struct job job;
	struct log log;
	bool ok;

	if (!open_by_name(&job, cases[i].job))
		return printf("not ok %zu no job %s\n", i, cases[i].job), false;
	rec = job_recorder(&job);
	if (job_do(&job, rec, &result, &err))
		printf("# %s: %s\n", job.name, err.text);
	good = look(&job, &rec->log, rec->image, good_end, sizeof(good_end));
	log = log_copy(&rec->log);
	cases[i].spoil(&log, &job);
	bad = look(&job, &log, rec->image, end, sizeof(end));
	ok = !good.violations && !*good_end &&
	     says(cases[i].what, bad.first) && says(cases[i].end, end);
	printf("%s %zu %s: %s | %s\n", ok ? "ok" : "not ok", i, job.name,
	       bad.first, end);
	if (good.violations || *good_end)
		printf("# unspoilt: %s%s\n", good.first, good_end);
	log_free(&log);
	recorder_free(rec);
	job_close(&job);
	return ok;
}

int main(void)
{
	size_t i, n = sizeof(cases) / sizeof(*cases), failed = 0;

	for (i = 0; i < n; i++)
		failed += !test(i);
	printf("%zu spoilt jobs, %zu not found out\n", n, failed);
	return failed > 0;
}
