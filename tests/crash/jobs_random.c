/*
 * jobs_random.c - scenarios that nobody thought of
 */
#include "jobs.h"

#include <stdio.h>
#include <string.h>

static const char *const old_files[] = {
	"EMPTY.TXT", "RESEMPTY.BIN", "SMALL.TXT", "FRAG.BIN", "RESERVED.BIN",
	"EXACT.BIN", "Mixed case, long name.data", "BLOCKER.BIN",
	"GAP/Behind the gap.text", "Deep directory/BELOW/OLD.BIN",
	"TAILODD.BIN", "TAILEVEN.BIN", "CUTODD.BIN",
};
static const char *const new_files[] = {
	"a.bin", "A rather longer name in the root.dat", "EDGE1/B.BIN",
	"EDGE1/a name that goes over the end.data", "EDGE3/c.bin",
	"EDGE3/Two or three slots.data", "GAP/in gap.bin", "GAP/D",
	"GAP/a long one that finds no gap.data", "FULL/e.bin",
	"FULL/and a long one, in a directory that must grow.data",
	"ALMOST/f.bin", "ALMOST/from the last slot to the next.data",
	"GAPFULL/g.bin", "GAPFULL/h i.j", "Deep directory/BELOW/k.bin",
	"New/Newer/l.bin", "New/m.bin", "FULL/New directory/n.bin",
	"EDGE1/o/p/q/r.bin",
};

static unsigned next(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % below;
}

static bool has(const struct scenario *s, unsigned n, const char *path)
{
	while (n--)
		if (s->files[n].path == path)
			return true;
	return false;
}

void job_random(struct scenario *s, char name[16], unsigned seed)
{
	uint64_t r = seed * 0x9E3779B97F4A7C15u + 1;
	unsigned n, i, count;
	bool old;

	memset(s, 0, sizeof(*s));
	snprintf(name, 16, "random-%u", seed);
	s->name = name;
	s->parents = s->maybe_nothing = true;
	s->mode = (enum goal_mode)next(&r, 4);
	s->max_extents = 1 + next(&r, 4);
	count = 1 + next(&r, 6);
	for (n = i = 0; i < count; i++) {
		old = s->mode == GOAL_RELEASE || next(&r, 2);
		s->files[n].path =
			old ? old_files[next(&r, sizeof(old_files) /
						 sizeof(*old_files))]
			    : new_files[next(&r, sizeof(new_files) /
						 sizeof(*new_files))];
		s->files[n].clusters = next(&r, next(&r, 2) ? 60 : 8);
		s->files[n].bytes = next(&r, 2) ? 0 : 1 + (int)next(&r, 511);
		if (!s->files[n].clusters)
			s->files[n].bytes = 1;
		n += !has(s, n, s->files[n].path);
	}
	s->files[n].path = NULL;
}
