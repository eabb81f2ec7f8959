/* dirstart.h - does a directory begin at a cluster? for src/check only */
#ifndef CHECK_DIRSTART_H
#define CHECK_DIRSTART_H

#include "check/work.h"

/* What the first slots of a cluster say, each by itself: any may be damaged. */
struct dirstart {
	bool dot;      /* "." is in its place and leads to the cluster */
	bool dotdot;   /* ".." is in its place, and leads to */
	clus_t parent; /* this one; 0 = the root */
	bool entries;  /* the other slots may be entries, by their looks */
};

/* Reads them. Outside the image nothing begins. */
enum status dirstart_read(struct check *ck, clus_t c, struct dirstart *s,
			  struct error *err);

/* The same of what the FAT has in use: nothing begins elsewhere. */
enum status dirstart_read_used(struct check *ck, clus_t c, struct dirstart *s,
			       struct error *err);

/* Not a later cluster of a directory: dot entries are in the first one only. */
bool dirstart_is_first(const struct dirstart *s);
/* A directory, though no entry says so. */
bool dirstart_is_dir(const struct dirstart *s);
/* Does ".." lead to the directory that begins at above? 0 = the root. */
bool dirstart_is_below(const struct bpb *bpb, const struct dirstart *s,
		       clus_t above);

#endif
