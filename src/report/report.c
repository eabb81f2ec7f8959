/* report.c - what the text and the JSON report share */
#include "report/report.h"

#include "base/text.h"

void report_warn(struct report *r, const char *code, const char *message)
{
	if (r->n_warnings < WARNINGS_MAX)
		r->warnings[r->n_warnings++] =
			(struct warning){ code, message };
}

void report_stats(const struct ledger *lg, report_stat_fn *fn, void *arg)
{
	fn(arg, "fat_sectors_changed", lg->fat_sectors_changed);
	fn(arg, "fat_copies", lg->fat_copies);
	fn(arg, "fat_sectors_written", ledger_sectors(lg, REGION_FAT));
	fn(arg, "fat_writes", lg->writes[REGION_FAT]);
	fn(arg, "dir_sectors_written", ledger_sectors(lg, REGION_DIR));
	fn(arg, "fsinfo_sectors_written", ledger_sectors(lg, REGION_FSINFO));
	fn(arg, "boot_sectors_written", ledger_sectors(lg, REGION_BOOT));
	fn(arg, "data_bytes_zeroed", lg->data_bytes_zeroed);
	fn(arg, "data_bytes_moved", lg->data_bytes_moved);
	fn(arg, "bytes_read", lg->bytes_read);
	fn(arg, "syncs", lg->syncs);
	fn(arg, "peak_buffer_bytes", lg->peak_buffer_bytes);
	fn(arg, "clusters_allocated", lg->clusters_allocated);
}

void report_no_space(FILE *f, const struct bpb *bpb,
		     const struct scan_stats *space, uint64_t wanted_clusters)
{
	char a[TEXT_SIZE_MAX], b[TEXT_SIZE_MAX];
	uint64_t cluster = bpb->cluster_bytes;
	unsigned i;

	fprintf(f, "free: %u clusters (%s) in %u run%s; the largest has %u "
		   "(%s)\n",
		space->free, text_format_size(a, space->free * cluster),
		space->free_runs, space->free_runs == 1 ? "" : "s",
		space->largest.count,
		text_format_size(b, space->largest.count * cluster));
	for (i = 0; i < SCAN_BUCKETS; i++)
		if (space->histogram[i])
			fprintf(f, "  %9u run%s of %s and more\n",
				space->histogram[i],
				space->histogram[i] == 1 ? "" : "s",
				text_format_size(a, cluster << i));
	if (space->free >= wanted_clusters)
		fprintf(f, "what could help: --max-extents N to reserve in "
			   "several runs, another --align, --release of "
			   "another file\n");
	else
		fprintf(f, "what could help: a shorter length, --release of "
			   "another file\n");
}
