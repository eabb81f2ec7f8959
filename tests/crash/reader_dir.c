/*
 * reader_dir.c - the entries of a directory, strictly
 *
 * Invariant: a file that is added has a sound chain, long enough for its
 * size, and a name that nothing else in its directory has. A long name
 * counts only if it is whole and right; else the short name is the name, so
 * a long name that was lost shows as a missing file. Long-name slots that
 * belong to no entry are ignored, as consumers do.
 */
#include <string.h>

#include "reader_in.h"

struct long_name {
	char text[261];
	unsigned next; /* ordinal that must come; 0 = complete */
	unsigned sum;
	bool valid;
};

static void take_long(struct long_name *ln, const uint8_t *e)
{
	static const unsigned char place[13] = { 1, 3, 5, 7, 9, 14, 16, 18,
						 20, 22, 24, 28, 30 };
	unsigned ord = e[0] & 0x3F, i, u;

	if (e[0] & 0x40) {
		memset(ln, 0, sizeof(*ln));
		ln->valid = ord >= 1 && ord <= 20;
		ln->sum = e[13];
	} else if (ord != ln->next || !ord || e[13] != ln->sum) {
		ln->valid = false;
	}
	if (!ln->valid)
		return;
	ln->next = ord - 1;
	for (i = 0; i < 13; i++) {
		u = reader_le(e + place[i], 2);
		/* Names of these tests are ASCII; the rest need only differ. */
		ln->text[(ord - 1) * 13 + i] = u == 0xFFFF ? 0 : u > 126 ? 127
								: (char)u;
	}
}

static void short_name(const uint8_t *e, char *out)
{
	unsigned i, n = 0;
	char c;

	for (i = 0; i < 11; i++) {
		if (i == 8 && e[8] != ' ')
			out[n++] = '.';
		if (e[i] == ' ')
			continue;
		c = (char)(i == 0 && e[0] == 5 ? 0xE5 : e[i]);
		if (c >= 'A' && c <= 'Z' && e[12] & (i < 8 ? 0x08 : 0x10))
			c = (char)(c + 32);
		out[n++] = c;
	}
	out[n] = 0;
}

static unsigned checksum(const uint8_t *name)
{
	unsigned sum = 0, i;

	for (i = 0; i < 11; i++)
		sum = ((sum & 1) << 7 | sum >> 1) + name[i], sum &= 0xFF;
	return sum;
}

/* FNV-1a of a name, case folded. */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xCBF29CE484222325u;
	unsigned char c;

	for (; (c = (unsigned char)*s); s++) {
		if (c >= 'a' && c <= 'z')
			c = (unsigned char)(c - 32);
		h = (h ^ c) * 0x100000001B3u;
	}
	return h;
}

/* Enters the name key of a directory; false if it is there already. */
static bool enter(struct reader *r, int dir, uint64_t key)
{
	size_t i;

	key = (key ^ (uint64_t)(dir + 2) * 0x9E3779B97F4A7C15u) | 1;
	for (i = key >> 32; r->names[i % READER_NAMES]; i++)
		if (r->names[i % READER_NAMES] == key)
			return false;
	r->names[i % READER_NAMES] = key;
	return true;
}

static bool unique(struct reader *r, const struct reader_file *f)
{
	if (f->label || (enter(r, f->parent, f->key) &&
			 (f->key == f->short_key ||
			  enter(r, f->parent, f->short_key))))
		return true;
	return reader_fault(r, "/%s: the name is there twice", f->path);
}

static bool legal_short(const uint8_t *e)
{
	unsigned i;

	if (e[0] == ' ')
		return false;
	for (i = 0; i < 11; i++)
		if ((e[i] < 0x20 && !(i == 0 && e[i] == 5)) || e[i] == 0x7F ||
		    strchr("\"*+,./:;<=>?[\\]|", e[i]) ||
		    (e[i] >= 'a' && e[i] <= 'z'))
			return false;
	return true;
}

static void name_file(struct reader *r, struct reader_file *f,
		      const uint8_t *e, const struct long_name *ln)
{
	const char *base = f->parent < 0 ? NULL : r->f[f->parent].path;
	char sh[16];
	size_t len = 0;

	short_name(e, sh);
	if (base) {
		len = strlen(base);
		memcpy(f->path, base, len);
		f->path[len++] = '/';
	}
	strcpy(f->path + len, ln->valid && !ln->next &&
			      ln->sum == checksum(e) ? ln->text : sh);
	f->short_key = hash(sh);
	f->key = strcmp(f->path + len, sh) ? hash(f->path + len)
					   : f->short_key;
	f->hash = f->key ^ (base ? r->f[f->parent].hash * 3 : 0);
}

static bool check_chain(struct reader *r, struct reader_file *f, int index)
{
	uint32_t c = reader_le(f->raw + 26, 2);

	if (r->type == 32)
		c |= (reader_le(f->raw + 20, 2) & 0x0FFF) << 16;
	if (c && (c < 2 || c > r->last))
		return reader_fault(r, "/%s: starts out of range at %u",
				    f->path, c);
	if (!reader_chain(r, index, f->path, c, &f->chain, &f->n))
		return false;
	if (f->dir && (f->size || !f->n))
		return reader_fault(r, "/%s: directory with a size or no "
				    "cluster", f->path);
	if ((uint64_t)f->n * r->cluster < f->size)
		return reader_fault(r, "/%s: size %u, but %u clusters",
				    f->path, f->size, f->n);
	return true;
}

static bool add_file(struct reader *r, int dir, const uint8_t *image,
		     const uint8_t *e, const struct long_name *ln)
{
	struct reader_file *f = &r->f[r->n];

	if (r->n == READER_FILES)
		return reader_fault(r, "too many files");
	memset(f->raw, 0, sizeof(f->raw));
	f->parent = dir;
	memcpy(f->raw, e, 32);
	f->at = (size_t)(e - image);
	f->label = e[11] & 0x08;
	f->dir = !f->label && e[11] & 0x10;
	f->size = reader_le(e + 28, 4);
	f->chain = NULL;
	f->n = 0;
	if (dir >= 0 && strlen(r->f[dir].path) + 265 > READER_PATH)
		return reader_fault(r, "/%s: too deep", r->f[dir].path);
	name_file(r, f, e, ln);
	if (!f->label && !legal_short(e))
		return reader_fault(r, "/%s: illegal short name", f->path);
	if (!unique(r, f))
		return false;
	if (!f->label && !check_chain(r, f, r->n))
		return false;
	r->n++;
	return true;
}

/* "." leads to the directory itself, ".." to its parent, 0 = the root. */
static bool check_dot(struct reader *r, const struct reader_file *d,
		      const uint8_t *e, unsigned slot)
{
	uint32_t c = reader_le(e + 26, 2), want = d->chain[0];

	if (r->type == 32)
		c |= reader_le(e + 20, 2) << 16;
	if (slot == 1)
		want = d->parent < 0 ? 0 : r->f[d->parent].chain[0];
	if (memcmp(e, slot ? "..         " : ".          ", 11) ||
	    e[11] != 0x10 || c != want || reader_le(e + 28, 4))
		return reader_fault(r, "/%s: %s is wrong", d->path,
				    slot ? ".." : ".");
	return true;
}

static const uint8_t *slot_of(const struct reader *r, const uint8_t *image,
			      int dir, unsigned slot)
{
	const uint32_t *chain = dir < 0 ? r->root_chain : r->f[dir].chain;
	uint32_t n = dir < 0 ? r->n_root : r->f[dir].n;
	unsigned per = r->cluster / 32;

	if (dir < 0 && r->type != 32)
		return slot < r->root_slots ? image + r->root + slot * 32
					    : NULL;
	return slot / per < n ? image + reader_clus_at(r, chain[slot / per]) +
				slot % per * 32 : NULL;
}

bool reader_dir(struct reader *r, const uint8_t *image, int dir)
{
	struct long_name ln = { .valid = false };
	const uint8_t *e;
	unsigned slot;

	for (slot = 0; (e = slot_of(r, image, dir, slot)); slot++) {
		if (dir >= 0 && slot < 2) {
			if (!check_dot(r, &r->f[dir], e, slot))
				return false;
			continue;
		}
		if (!e[0])
			break;
		if (e[0] != 0xE5 && (e[11] & 0x3F) == 0x0F) {
			take_long(&ln, e);
			continue;
		}
		if (e[0] != 0xE5 && !add_file(r, dir, image, e, &ln))
			return false;
		ln.valid = false;
	}
	return dir < 0 || slot >= 2 ||
	       reader_fault(r, "/%s: no dot entries", r->f[dir].path);
}
