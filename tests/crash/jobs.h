/*
 * jobs.h - the small jobs that crash states and faults are tried on
 *
 * A job is a scenario on a volume. All volumes have the same files, in the
 * same clusters; see jobs_image.c.
 */
#ifndef TESTS_CRASH_JOBS_H
#define TESTS_CRASH_JOBS_H

#include "image.h"
#include "judge.h"
#include "recorder.h"
#include "prealloc/job.h"

#define JOB_FILES 10

struct scenario_file {
	const char *path;
	unsigned clusters;
	int bytes; /* length = clusters * the cluster's size + bytes */
};

/* What has the clusters whose FAT12 entries straddle: see jobs_image.c. */
enum tails { TAILS_FILES, TAILS_FILES_TOO, TAILS_DIRS };

struct scenario {
	const char *name;
	enum goal_mode mode;
	bool parents, dirty, full_root;
	enum tails tails;
	unsigned max_extents;
	unsigned types; /* bits: 1 = FAT12, 2 = FAT16, 4 = FAT32; 0 = all */
	bool nothing;   /* the job must find nothing to do */
	bool maybe_nothing; /* it may */
	struct scenario_file files[JOB_FILES];
};

struct job_volume {
	const char *name;
	struct image_spec spec;
};

extern const struct job_volume job_volumes[];
extern const size_t job_volumes_n;
extern const struct scenario job_scenarios[];
extern const size_t job_scenarios_n;

/*
 * jobs_random.c: a scenario, the same for the same seed. It lives as long as
 * *s and name, which is filled.
 */
void job_random(struct scenario *s, char name[16], unsigned seed);

/* One scenario on one volume, ready to run as often as one likes. */
struct job {
	char name[64]; /* "volume/scenario" */
	const struct scenario *scenario;
	struct image *image; /* before */
	struct goal goal;
	struct goal_file files[JOB_FILES];
};

/* False if the scenario does not go with the volume. */
bool job_open(struct job *job, const struct job_volume *v,
	      const struct scenario *s);
void job_close(struct job *job);

/* A device with the image before the job; recorder_free() it. */
struct recorder *job_recorder(const struct job *job);

/* The real planner and committer on the recording device. */
enum status job_do(const struct job *job, struct recorder *rec,
		   struct commit_result *result, struct error *err);

/* jobs_image.c: the image before the job. */
struct image *job_image(const struct image_spec *spec,
			const struct scenario *s);

#endif
