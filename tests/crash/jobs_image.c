/*
 * jobs_image.c - the files that are there before a job
 *
 * Clusters 6 to 299 hold the files, with free ones in between. From 300 on,
 * bad clusters divide the free space into holes that lie in different
 * sectors of the FAT (of 512 bytes: 341 entries of FAT12, 256 of FAT16, 128
 * of FAT32), so that one job writes many of them. The FAT12 entries of
 * clusters 341, 682 and 1365 straddle two sectors: they are the tails of
 * files, of full directories, or of what a release leaves of a file.
 */
#include <stdio.h>
#include <string.h>

#include "jobs.h"

/* Adds empty files until the directory's next free slot is `slot`. */
static void fill_to(struct image *im, struct image_dir *d, unsigned slot)
{
	static const char tail[] = " of a directory that fills up with names "
				   "that take many slots each and so on and "
				   "so on, until it is as full as it is to be";
	char name11[12], name[200];
	unsigned n, i;
	size_t want;

	for (i = d->slots; d->slots < slot; i++) {
		n = slot - d->slots;
		n = n > 12 ? (n < 14 ? 6 : 12) : n;
		snprintf(name11, sizeof(name11), "FILL%04uTXT", i);
		want = (size_t)(n > 1 ? n - 1 : 1) * 13;
		snprintf(name, sizeof(name), "Entry %03u%s", i, tail);
		if (want < strlen(name))
			memcpy(name + want - 1, "x", 2);
		image_file(im, d, name11, n > 1 ? name : NULL, NULL, 0);
	}
}

static void put_files(struct image *im, struct image_dir *d)
{
	unsigned cb = im->cluster_bytes;

	image_label(im, d, "CRASH TEST ");
	image_file(im, d, "EMPTY   TXT", NULL, NULL, 0);
	image_file(im, d, "RESEMPTYBIN", NULL, "30-33", 0);
	image_file(im, d, "SMALL   TXT", NULL, "20", cb / 2 + 7);
	image_file(im, d, "FRAG    BIN", NULL, "12,50,14-15,17", 5 * cb - 9);
	image_file(im, d, "RESERVEDBIN", NULL, "60-64,70-74", cb + 5);
	image_file(im, d, "EXACT   BIN", NULL, "80-81", 2 * cb);
	image_file(im, d, "MIXEDC~1DAT", "Mixed case, long name.data",
		   "100-102", 2 * cb + 1);
}

static void put_tail_dir(struct image *im, struct image_dir *root,
			 const char *name11, const char *runs)
{
	struct image_dir d = image_mkdir(im, root, name11, NULL, runs);

	fill_to(im, &d, 2 * im->cluster_bytes / 32);
}

static void put_tails(struct image *im, struct image_dir *d, enum tails tails)
{
	unsigned cb = im->cluster_bytes;

	if (tails == TAILS_DIRS) {
		put_tail_dir(im, d, "DIRODD     ", "339,341");
		put_tail_dir(im, d, "DIREVEN    ", "681-682");
		return;
	}
	image_file(im, d, "TAILODD BIN", NULL, "339-341", 3 * cb - 4);
	image_file(im, d, "CUTODD  BIN", NULL, "1364-1368", cb + 1);
	if (tails == TAILS_FILES_TOO) {
		image_file(im, d, "CUTEVEN BIN", NULL, "11,681-682,240-256",
			   3 * cb);
		return;
	}
	image_file(im, d, "TAILEVENBIN", NULL, "681-682", 2 * cb);
	image_file(im, d, "BLOCKER BIN", NULL, "4,11,13,16,342,683",
		   5 * cb + 3);
}

/* Directories whose end, or whose gap, lies where it hurts. */
static void put_edges(struct image *im, struct image_dir *root)
{
	unsigned per = im->spec.sector_bytes / 32;
	struct image_dir d;

	d = image_mkdir(im, root, "EDGE1      ", NULL, "120,125");
	fill_to(im, &d, per - 1);
	image_end(im, &d);
	d = image_mkdir(im, root, "EDGE3      ", NULL, "130,135-136");
	fill_to(im, &d, per - 3);
	image_end(im, &d);
	d = image_mkdir(im, root, "GAP        ", NULL, "140,145");
	fill_to(im, &d, per - 2);
	image_deleted(im, &d, 4);
	image_file(im, &d, "BEHIND  TXT", "Behind the gap.text", "147", 77);
	image_end(im, &d);
}

static void put_full(struct image *im, struct image_dir *root)
{
	unsigned per = im->cluster_bytes / 32;
	struct image_dir d;

	d = image_mkdir(im, root, "FULL       ", NULL, "150");
	fill_to(im, &d, per);
	d = image_mkdir(im, root, "ALMOST     ", NULL, "155,157");
	fill_to(im, &d, 2 * per - 1);
	image_end(im, &d);
	d = image_mkdir(im, root, "GAPFULL    ", NULL, "160,162");
	fill_to(im, &d, per - 2);
	image_deleted(im, &d, 4);
	fill_to(im, &d, 2 * per);
}

/* To the last slot, with a gap over a sector's end on FAT12/16. */
static void fill_root(struct image *im, struct image_dir *root)
{
	unsigned per = im->spec.sector_bytes / 32;

	if (im->spec.type == 32) {
		fill_to(im, root, 5 * im->cluster_bytes / 32);
		return;
	}
	fill_to(im, root, 4 * per - 2 < im->spec.root_slots ? 4 * per - 2
							    : 100);
	image_deleted(im, root, 4);
	fill_to(im, root, im->spec.root_slots);
}

static void put_tree(struct image *im, struct image_dir *root)
{
	struct image_dir d, e;

	d = image_mkdir(im, root, "DEEPDI~1   ", "Deep directory", "170");
	e = image_mkdir(im, &d, "BELOW      ", NULL, "175");
	image_file(im, &e, "OLD     BIN", NULL, "177-178", 300);
	image_end(im, &e);
	image_end(im, &d);
}

static void mark_dirty(struct image *im)
{
	if (im->spec.type == 32)
		im->bytes[65] |= 1;
	else if (!im->spec.no_ext)
		im->bytes[37] |= 1;
	if (im->spec.type == 32)
		image_set_fat(im, 1, 0x07FFFFFF);
	if (im->spec.type == 16)
		image_set_fat(im, 1, 0x7FFF);
}

struct image *job_image(const struct image_spec *spec,
			const struct scenario *s)
{
	struct image *im = image_new(spec);
	struct image_dir root = image_root(im, spec->type == 32 ? "200,210,220,"
							 "230" : NULL);

	put_files(im, &root);
	put_tails(im, &root, s->tails);
	put_edges(im, &root);
	put_full(im, &root);
	put_tree(im, &root);
	if (s->full_root)
		fill_root(im, &root);
	image_end(im, &root);
	image_bad(im, "300-330,400-500,541-680,721-899,961-1099");
	if (spec->clusters > 2000)
		image_bad(im, "1500-4000");
	if (s->dirty)
		mark_dirty(im);
	image_finish(im);
	return im;
}
