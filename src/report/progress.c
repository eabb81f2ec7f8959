/* progress.c - writes a percentage each time that it changes */
#include "report/progress.h"

static bool a_second_has_passed(struct progress *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!p->started) {
		p->start = now;
		p->started = true;
	}
	return now.tv_sec - p->start.tv_sec > 1 ||
	       (now.tv_sec - p->start.tv_sec == 1 &&
		now.tv_nsec >= p->start.tv_nsec);
}

void progress_update(struct progress *p, uint64_t done, uint64_t total)
{
	unsigned percent = total ? (unsigned)((double)done * 100 /
					      (double)total)
				 : 100;

	if (!p->forced && !(p->terminal && a_second_has_passed(p)))
		return;
	if (p->shown && percent == p->percent)
		return;
	fprintf(p->out, p->terminal ? "\r%3u%%" : "%u%%\n", percent);
	fflush(p->out);
	p->percent = percent;
	p->shown = true;
}

void progress_end(struct progress *p)
{
	if (p->shown && p->terminal)
		fputc('\n', p->out);
	p->shown = false;
}
