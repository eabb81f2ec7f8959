/*
 * spoil.c - ways to spoil the log of a good job
 *
 * The clusters and slots are those of jobs_image.c on the "fat32" volume:
 * SMALL.TXT has cluster 20, RESERVED.BIN begins with 60 and ends with 74,
 * EXACT.BIN has 80 and 81; 290 is free, 300 is bad; EDGE1 is in 120, FULL in
 * 150. The root is in 2: slot 1 is EMPTY.TXT, slot 3 SMALL.TXT.
 */
#include "spoil.h"

#include <stdlib.h>
#include <string.h>

#include "image_bytes.h"

/* Position of the n-th (from 0) write to a region; the log's end if none. */
static size_t find(const struct log *log, enum region region, unsigned n)
{
	size_t i;

	for (i = 0; i < log->n; i++)
		if (log->v[i].kind == OP_WRITE && log->v[i].region == region &&
		    !n--)
			break;
	return i;
}

static size_t find_sync(const struct log *log, unsigned n)
{
	size_t i;

	for (i = 0; i < log->n; i++)
		if (log->v[i].kind == OP_SYNC && !n--)
			break;
	return i;
}

static void drop(struct log *log, size_t i)
{
	if (i >= log->n)
		return;
	free(log->v[i].bytes);
	log->n--;
	memmove(&log->v[i], &log->v[i + 1], (log->n - i) * sizeof(*log->v));
}

static void insert(struct log *log, size_t i, struct op op)
{
	struct op *v = realloc(log->v, (log->n + 1) * sizeof(*v));

	if (!v)
		exit(99);
	log->v = v;
	memmove(&v[i + 1], &v[i], (log->n - i) * sizeof(*v));
	v[i] = op;
	log->n++;
}

static void move(struct log *log, size_t from, size_t to)
{
	struct op op;

	if (from >= log->n)
		return;
	op = log->v[from];
	log->v[from].bytes = NULL;
	drop(log, from);
	insert(log, to, op);
}

/* One more write in the interval of the n-th barrier. */
static void add(struct log *log, unsigned n, enum region region, size_t at,
		const void *bytes, size_t len)
{
	struct op op = { OP_WRITE, region, at, len, malloc(len) };

	if (!op.bytes)
		exit(99);
	memcpy(op.bytes, bytes, len);
	insert(log, find_sync(log, n), op);
}

void spoil_no_barriers(struct log *log, const struct job *job)
{
	(void)job;
	while (find_sync(log, 1) < log->n)
		drop(log, find_sync(log, 0));
}

void spoil_no_last_barrier(struct log *log, const struct job *job)
{
	(void)job;
	drop(log, log->n - 1);
}

void spoil_early_entry(struct log *log, const struct job *job)
{
	(void)job;
	move(log, find(log, REGION_DIR, 0), find_sync(log, 0) + 1);
}

/* No FAT write to a copy. */
static void no_copy(struct log *log, const struct job *job, size_t copy)
{
	size_t from = job->image->fat + copy * job->image->fat_bytes, i;

	for (i = log->n; i--;)
		if (log->v[i].region == REGION_FAT && log->v[i].at >= from &&
		    log->v[i].at < from + job->image->fat_bytes)
			drop(log, i);
}

void spoil_no_first_copy(struct log *log, const struct job *job)
{
	no_copy(log, job, 0);
}

void spoil_no_second_copy(struct log *log, const struct job *job)
{
	no_copy(log, job, 1);
}

void spoil_no_mark(struct log *log, const struct job *job)
{
	(void)job;
	while (log->v[0].kind != OP_SYNC)
		drop(log, 0);
	drop(log, 0);
}

void spoil_early_clean(struct log *log, const struct job *job)
{
	(void)job;
	move(log, find(log, REGION_BOOT, 1), find_sync(log, 0) + 1);
}

void spoil_no_zeros(struct log *log, const struct job *job)
{
	(void)job;
	while (find(log, REGION_DATA, 0) < log->n)
		drop(log, find(log, REGION_DATA, 0));
}

/* New directories, or the new end mark, are written first. */
void spoil_no_first_dir_write(struct log *log, const struct job *job)
{
	(void)job;
	drop(log, find(log, REGION_DIR, 0));
}

void spoil_no_fsinfo(struct log *log, const struct job *job)
{
	(void)job;
	while (find(log, REGION_FSINFO, 0) < log->n)
		drop(log, find(log, REGION_FSINFO, 0));
}

void spoil_no_clean(struct log *log, const struct job *job)
{
	(void)job;
	drop(log, find(log, REGION_BOOT, 1));
}

/* The hidden slots and the entry become durable in any order. */
void spoil_links_with_entries(struct log *log, const struct job *job)
{
	size_t i = find(log, REGION_DIR, 0);

	(void)job;
	while (i < log->n && log->v[i].kind != OP_SYNC)
		i++;
	drop(log, i);
}

/* Likewise, in one write of two sectors: only a torn one does harm. */
void spoil_links_in_entries(struct log *log, const struct job *job)
{
	size_t first = find(log, REGION_DIR, 0), sec = job->image->spec.
						       sector_bytes;
	struct op *behind = &log->v[first];
	struct op *entry = &log->v[find(log, REGION_DIR, 1)];

	if (entry->at + sec != behind->at || entry->len != sec)
		exit(99);
	entry->bytes = realloc(entry->bytes, sec + behind->len);
	if (!entry->bytes)
		exit(99);
	memcpy(entry->bytes + sec, behind->bytes, behind->len);
	entry->len += behind->len;
	drop(log, first);
}

/* MARK, CHAINS, STEPS: the third barrier. */
void spoil_steps_with_links(struct log *log, const struct job *job)
{
	(void)job;
	drop(log, find_sync(log, 2));
}

/*
 * FAT32: sets an entry in both copies, in the interval of barrier n. The
 * upper four bits are those that image.c gave it, XOR upper.
 */
static void set_in(struct log *log, const struct job *job, unsigned n,
		   uint32_t clus, uint32_t value, uint32_t upper)
{
	uint32_t v = value | (clus * 7 ^ upper) << 28;
	uint8_t b[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
			 (uint8_t)(v >> 24) };
	size_t at = job->image->fat + (size_t)clus * 4;

	add(log, n, REGION_FAT, at, b, 4);
	add(log, n, REGION_FAT, at + job->image->fat_bytes, b, 4);
}

static void set_upper(struct log *log, const struct job *job, uint32_t clus,
		      uint32_t value, uint32_t upper)
{
	set_in(log, job, 1, clus, value, upper);
}

static void set_entry(struct log *log, const struct job *job, uint32_t clus,
		      uint32_t value)
{
	set_upper(log, job, clus, value, 0);
}

void spoil_free_early(struct log *log, const struct job *job)
{
	set_entry(log, job, 74, 0);
}

void spoil_cross_link(struct log *log, const struct job *job)
{
	set_entry(log, job, 20, 60);
}

void spoil_loop(struct log *log, const struct job *job)
{
	set_entry(log, job, 20, 20);
}

void spoil_out_of_range(struct log *log, const struct job *job)
{
	set_entry(log, job, 20, 1452);
}

void spoil_into_bad(struct log *log, const struct job *job)
{
	set_entry(log, job, 20, 300);
}

void spoil_cut_short(struct log *log, const struct job *job)
{
	set_entry(log, job, 80, 0x0FFFFFFF);
}

/* The tail of SMALL.TXT, linked to the second cluster of what is new. */
void spoil_part_of_chain(struct log *log, const struct job *job)
{
	size_t at = job->image->fat + 20 * 4, i;
	const struct op *op;
	uint32_t first = 0;

	for (i = 0; i < log->n; i++) {
		op = &log->v[i];
		if (op->region == REGION_FAT && op->kind == OP_WRITE &&
		    op->at <= at && at < op->at + op->len)
			first = image_get32(op->bytes, at - op->at);
	}
	set_in(log, job, 2, 20, (first & 0x0FFFFFFF) + 1, 0);
}

void spoil_lost(struct log *log, const struct job *job)
{
	set_entry(log, job, 290, 0x0FFFFFFF);
}

void spoil_lost_into_used(struct log *log, const struct job *job)
{
	set_entry(log, job, 290, 80);
}

void spoil_upper_bits(struct log *log, const struct job *job)
{
	set_upper(log, job, 290, 0, 5);
}

static size_t clus_at(const struct job *job, size_t clus)
{
	return job->image->data + (clus - 2) * job->image->cluster_bytes;
}

void spoil_wild_file(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DATA, clus_at(job, 20) + 9, "\xEE", 1);
}

void spoil_wild_free(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DATA, clus_at(job, 290) + 9, "\xEE", 1);
}

void spoil_wild_boot(struct log *log, const struct job *job)
{
	(void)job;
	add(log, 1, REGION_BOOT, 1539, "X", 1);
}

void spoil_wild_slack(struct log *log, const struct job *job)
{
	add(log, 1, REGION_FAT, job->image->fat + 1452 * 4, "X", 1);
}

void spoil_delete_file(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DIR, clus_at(job, 2) + 32, "\xE5", 1);
}

void spoil_same_name(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DIR, clus_at(job, 2) + 96, "EMPTY   TXT", 11);
}

void spoil_touch(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DIR, clus_at(job, 2) + 96 + 18, "\x21\x59", 2);
}

void spoil_too_large(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DIR, clus_at(job, 2) + 96 + 28, "\x00\xF0", 2);
}

void spoil_wrong_dot(struct log *log, const struct job *job)
{
	add(log, 1, REGION_DIR, clus_at(job, 120) + 26, "\x79", 1);
}

void spoil_rename_long(struct log *log, const struct job *job)
{
	/* the checksum of the long name of FILL's first entry in FULL */
	add(log, 1, REGION_DIR, clus_at(job, 150) + 64 + 13, "\x01", 1);
}

void spoil_nothing(struct log *log, const struct job *job)
{
	log_free(log);
	(void)job;
}
