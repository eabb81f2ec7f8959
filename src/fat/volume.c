/*
 * volume.c - opens a volume, or says why not
 *
 * What is in use is refused before it is opened; what is no FAT volume is
 * named for what it is.
 */
#include "fat/volume.h"

#include "base/ckd.h"
#include "dev/blk_file.h"
#include "dev/blk_slice.h"
#include "dev/inuse.h"
#include "dev/locate.h"

static enum status open_device(struct blk **out,
			       const struct volume_spec *spec,
			       struct error *err)
{
	struct blk *file = NULL;
	enum status st;

	st = inuse_check(spec->path, NULL, err);
	if (st)
		return st;
	st = blk_file_open(&file, spec->path, spec->writable, spec->ledger,
			   err);
	if (st)
		return st;
	if (spec->offset_bytes > file->size_bytes) {
		st = error_set(err, ST_NOT_FAT,
			       "%s: offset %llu is past its end (%llu bytes)",
			       spec->path,
			       (unsigned long long)spec->offset_bytes,
			       (unsigned long long)file->size_bytes);
	} else if (spec->offset_bytes) {
		st = blk_slice_open(out, file, spec->offset_bytes,
				    file->size_bytes - spec->offset_bytes,
				    err);
	} else {
		*out = file;
	}
	if (st)
		blk_close(file, NULL);
	return st;
}

/* "not a FAT volume: WHAT IS THERE (WHAT IS WRONG)" */
static enum status say_not_fat(const struct volume_spec *spec,
			       struct error *err)
{
	struct error why = *err;
	char what[256];

	locate_describe(spec->path, spec->offset_bytes, what, sizeof(what));
	return error_set(err, ST_NOT_FAT, "%s: not a FAT volume: %s (%s)",
			 spec->path, what, why.text);
}

enum status volume_open(struct volume *vol, const struct volume_spec *spec,
			struct error *err)
{
	struct error local = { 0 };
	enum status st;

	if (!err)
		err = &local;
	*vol = (struct volume){ .is_part = spec->offset_bytes > 0 };
	vol->window_bytes = spec->window_bytes ? spec->window_bytes
					       : VOLUME_WINDOW_DEFAULT;
	vol->window_bytes = MAX(vol->window_bytes, VOLUME_WINDOW_MIN);
	st = open_device(&vol->blk, spec, err);
	if (st)
		return st;
	st = bpb_read(vol->blk, &vol->bpb, err);
	if (st == ST_NOT_FAT)
		return say_not_fat(spec, err);
	if (!st && spec->ledger)
		spec->ledger->sector_bytes = vol->bpb.sector_bytes;
	return st;
}

enum status volume_close(struct volume *vol, struct error *err)
{
	struct blk *b = vol->blk;

	vol->blk = NULL;
	return blk_close(b, err);
}
