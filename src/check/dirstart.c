/*
 * dirstart.c - tells where directories begin
 *
 * format.md 34: "." comes first and leads to the directory itself, ".." comes
 * second and leads to the one that it is in. Each alone is evidence, as the
 * other one may be damaged: no cluster in the middle of a directory has either,
 * and a file's would have to spell eleven characters and an attribute.
 */
#include "check/dirstart.h"

#include <string.h>

#include "check/dirlook.h"
#include "fat/dir.h"

#define SLOTS_SEEN 16u

static bool is_named(const uint8_t *slot, const char name[DIRENT_NAME_BYTES])
{
	return !memcmp(slot, name, DIRENT_NAME_BYTES) && dirent_is_dir(slot);
}

enum status dirstart_read(struct check *ck, clus_t c, struct dirstart *s,
			  struct error *err)
{
	uint8_t raw[SLOTS_SEEN * DIRENT_BYTES];
	const uint8_t *second = raw + DIRENT_BYTES;
	uint64_t at = bpb_clus_offset(ck->bpb, c);
	enum fat_type type = ck->bpb->type;
	enum status st;
	unsigned i;

	*s = (struct dirstart){ 0 };
	if (!check_in_image(ck, at, sizeof(raw)))
		return ST_OK;
	st = blk_read(ck->vol->blk, at, raw, sizeof(raw), err);
	if (st)
		return st;
	s->dot = is_named(raw, ".          ") && dirent_clus(type, raw) == c;
	s->dotdot = is_named(second, "..         ");
	s->parent = dirent_clus(type, second);
	s->entries = true;
	/* The one that is damaged may look like anything. */
	for (i = dirstart_is_first(s) ? 2 : 0;
	     i < SLOTS_SEEN && s->entries; i++) {
		if (raw[i * DIRENT_BYTES] == DIRENT_END)
			break;
		s->entries = !dirlook_is_hopeless(raw + i * DIRENT_BYTES);
	}
	return ST_OK;
}

enum status dirstart_read_used(struct check *ck, clus_t c, struct dirstart *s,
			       struct error *err)
{
	uint32_t value;
	enum status st = check_get(ck, c, &value, err);

	*s = (struct dirstart){ 0 };
	if (st || !fatent_is_used(ck->bpb->type, value))
		return st;
	return dirstart_read(ck, c, s, err);
}

bool dirstart_is_first(const struct dirstart *s)
{
	return s->dot || s->dotdot;
}

bool dirstart_is_dir(const struct dirstart *s)
{
	return (s->dot && s->dotdot) || (dirstart_is_first(s) && s->entries);
}

bool dirstart_is_below(const struct bpb *bpb, const struct dirstart *s,
		       clus_t above)
{
	return s->dotdot && (s->parent == above ||
			     (!above && s->parent == bpb->root_clus));
}
