/*
 * settled.c - the shared clusters that are given to one owner in this round
 *
 * Invariant: sorted, so none is there twice; a bounded number, what is beyond
 * waits for the next round.
 */
#include <stdlib.h>
#include <string.h>

#include "check/work.h"

bool check_is_settled(const struct check *ck, clus_t c, size_t *place)
{
	size_t low = 0, high = ck->settle_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (ck->settle[middle] < c)
			low = middle + 1;
		else
			high = middle;
	}
	*place = low;
	return low < ck->settle_count && ck->settle[low] == c;
}

enum status check_settle(struct check *ck, clus_t c, struct error *err)
{
	size_t i;

	if (check_is_settled(ck, c, &i))
		return ST_OK;
	if (!ck->settle)
		ck->settle = calloc(CHECK_SETTLE_MAX, sizeof(*ck->settle));
	if (!ck->settle)
		return error_set_nomem(err);
	memmove(ck->settle + i + 1, ck->settle + i,
		(ck->settle_count - i) * sizeof(*ck->settle));
	ck->settle[i] = c;
	ck->settle_count++;
	return ST_OK;
}
