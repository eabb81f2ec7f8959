/* lfn.h - long names in slots, short names from them */
#ifndef FAT_LFN_H
#define FAT_LFN_H

#include "fat/codepage.h"
#include "fat/dirent.h"

#define LFN_UNITS_MAX	   255 /* UTF-16 units of a name */
#define LFN_SLOTS_MAX	   20
#define LFN_SLOT_UNITS	   13
#define LFN_LAST	   0x40 /* in the ordinal of the first slot on disk */
#define NAME_UTF8_MAX	   (LFN_UNITS_MAX * 3 + 1)

/* Where in a slot its UTF-16 unit i is, from 0. */
static inline unsigned lfn_unit_at(unsigned i)
{
	if (i < 5)
		return 1 + 2 * i;
	return i < 11 ? 4 + 2 * i : 6 + 2 * i;
}

/* Checksum of a short name (fatgen103 "ChkSum"). */
uint8_t lfn_checksum(const uint8_t name[DIRENT_NAME_BYTES]);

/* What is not right about the long-name slots before a short entry. */
enum lfn_fault {
	LFN_FINE = 0,
	LFN_ORPHAN,	/* no short entry follows (a good set may) */
	LFN_ORDER,	/* ordinals do not count down to 1 from a first */
	LFN_CHECKSUM,	/* of another short name */
	LFN_UNICODE,	/* lone surrogates, or no end where it must be */
};

/*
 * Collects slots as they come. Zero-initialise; lfn_push() for each slot,
 * lfn_finish() at the short entry or lfn_drop() where none follows (a
 * deleted slot, a label, the end); both reset it.
 */
struct lfn {
	uint16_t units[LFN_SLOTS_MAX * LFN_SLOT_UNITS];
	unsigned pushed;   /* slots since the last reset */
	unsigned slots;	   /* of these, in the set that is being collected */
	unsigned total;	   /* ordinal of its first slot */
	unsigned expected; /* ordinal that must come next; 0 = complete */
	uint8_t checksum;
	enum lfn_fault fault; /* of this set */
};
void lfn_push(struct lfn *l, const uint8_t *slot);
/* Returns the number of slots that are orphans by this. */
unsigned lfn_drop(struct lfn *l);
/*
 * True and utf8 filled if a complete long name belongs to the short name;
 * *fault is LFN_FINE then, or LFN_ORPHAN if other slots stand before it.
 * Else false with *fault (LFN_FINE if there were no slots at all).
 */
bool lfn_finish(struct lfn *l, const uint8_t name[DIRENT_NAME_BYTES],
		char utf8[NAME_UTF8_MAX], enum lfn_fault *fault);

/*
 * A name that people see, checked: 1-255 UTF-16 units of valid UTF-8, none
 * of the characters that FAT can't hold (controls, DEL, " * / : < > ? \ |,
 * and U+FFFF, which is padding), not "." or "..", no trailing dot or blank
 * (Windows would drop them). ST_USAGE with the reason.
 */
enum status name_check(const char *utf8, struct error *err);

/* How a new name goes on the disk. */
struct new_name {
	uint8_t short_name[DIRENT_NAME_BYTES];
	uint8_t ntres;
	unsigned lfn_slots; /* 0 = the short name says it all */
	uint8_t slots[LFN_SLOTS_MAX][DIRENT_BYTES]; /* disk order */
};

/* Is this short name taken in the directory? */
typedef bool short_taken_fn(void *arg, const uint8_t name[DIRENT_NAME_BYTES]);

/*
 * Makes the short name, and the long slots where the short name with NTRes
 * case bits can't say the name: where it is no 8.3 name, a part of it has
 * both cases, or a character is not ASCII (which reads differently under
 * another code page; Windows and Linux do the same).
 *
 * A short name that lost something, or that taken() knows, gets a numeric
 * tail as in Windows: ~1 to ~4 behind up to 6 bytes, then ~1 to ~9 behind up
 * to 2 bytes and four hexadecimal digits, hashed from the name and counting
 * up. The same name in the same directory always gives the same answer.
 * Ends after 589,829 questions, nine times what a directory holds.
 *
 * utf8 has passed name_check(). ST_REFUSED if no short name is left.
 */
enum status lfn_make(struct codepage *cp, const char *utf8,
		     short_taken_fn *taken, void *arg, struct new_name *out,
		     struct error *err);

/*
 * The short name as people see it: "README.TXT", lower case by ntres; 05 is
 * E5. cap >= 12 * 3 + 2.
 */
#define SHORT_UTF8_MAX 40
void short_to_utf8(struct codepage *cp, const uint8_t name[DIRENT_NAME_BYTES],
		   uint8_t ntres, char utf8[SHORT_UTF8_MAX]);

/* A volume label: 11 bytes without a dot, trailing blanks removed. */
void label_to_utf8(struct codepage *cp, const uint8_t name[DIRENT_NAME_BYTES],
		   char utf8[SHORT_UTF8_MAX]);

/*
 * Is every byte of this short name legal on disk (format.md 39)? A volume
 * does not tell its code page: a byte of 40 or more behind one of 81 to FE
 * may be the second half of a character, and is taken for it.
 */
bool short_is_legal(const uint8_t name[DIRENT_NAME_BYTES]);

#endif
