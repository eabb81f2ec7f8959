/*
 * dir.h - the entries of a directory, in order, of both kinds
 *
 * A directory is read slot by slot through one buffer of a cluster, at most
 * 64 KiB. It ends at the 0x00 mark, at the end of its chain's sound part, or
 * after 65,536 slots (format.md 32, 35); no cluster is shown twice.
 */
#ifndef FAT_DIR_H
#define FAT_DIR_H

#include "fat/chain.h"
#include "fat/lfn.h"

#define DIR_SLOTS_MAX 65536

struct dir_entry {
	uint32_t slot;		/* of the short entry, from 0 */
	uint32_t first_slot;	/* of its first long-name slot, or = slot */
	uint64_t offset_bytes;	/* of the short entry, in the volume */
	uint8_t raw[DIRENT_BYTES];
	bool has_long;
	enum lfn_fault lfn_fault;
	char name[NAME_UTF8_MAX];	   /* long, or short if none */
	char short_utf8[SHORT_UTF8_MAX];
	uint8_t attr;
	clus_t clus;		/* as stored: may be anything */
	uint32_t size_bytes;
};

struct dir;

/*
 * clus 0 = the root, of either kind. Follows the chain to its end once; what
 * is damaged in it is no error, see dir_chain(). vol, win and cp outlive d;
 * win may be used for other things meanwhile.
 */
enum status dir_open(struct dir **out, const struct volume *vol,
		     struct fatwin *win, struct codepage *cp, clus_t clus,
		     struct error *err);
void dir_close(struct dir *d); /* accepts NULL */

/*
 * The next raw slot: 32 bytes that live until the next call, its number and
 * its place. *slot_bytes = NULL at the end; the end mark itself and what
 * follows it are not shown.
 */
enum status dir_next_slot(struct dir *d, const uint8_t **slot_bytes,
			  uint32_t *slot, uint64_t *offset_bytes,
			  struct error *err);

/*
 * The next entry that is a file, a directory (dot entries too) or a label
 * (named by its 11 bytes). *more = false at the end.
 */
enum status dir_next(struct dir *d, struct dir_entry *e, bool *more,
		     struct error *err);

/*
 * The sound part of its chain, as far as 65,536 slots reach (CHAIN_LIMIT if
 * it goes on), and why it ended; known from the start. All zeros, CHAIN_EOC,
 * for the root of FAT12/16.
 */
const struct chain *dir_chain(const struct dir *d);
enum chain_end dir_chain_end(const struct dir *d);

/* Slots shown so far; at the end, the number of the first that was not. */
uint32_t dir_slots(const struct dir *d);
/* Has the 0x00 mark been met? Then the rest of the chain holds no entry. */
bool dir_at_mark(const struct dir *d);
/* Slots seen so far by dir_next() that belong to a long name of no entry. */
uint32_t dir_orphans(const struct dir *d);

#endif
