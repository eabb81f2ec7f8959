/*
 * ledger.c - arithmetic on the counters
 *
 * A device may have no ledger, so NULL is accepted where a buffer is entered.
 */
#include "base/ckd.h"
#include "dev/ledger.h"

void ledger_buffer_add(struct ledger *lg, size_t bytes)
{
	if (!lg)
		return;
	lg->buffer_bytes += bytes;
	lg->peak_buffer_bytes = MAX(lg->peak_buffer_bytes, lg->buffer_bytes);
}

void ledger_buffer_sub(struct ledger *lg, size_t bytes)
{
	if (!lg)
		return;
	lg->buffer_bytes -= bytes;
}

uint64_t ledger_sectors(const struct ledger *lg, enum region region)
{
	if (!lg->sector_bytes)
		return 0;
	return div_round_up(lg->bytes_written[region], lg->sector_bytes);
}
