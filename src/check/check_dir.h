/*
 * check_dir.h - what a directory's slots say, apart from their chains; for
 * src/check only
 *
 * One directory is looked at by itself, before the chains of its entries
 * are taken: check_directory() reads it once and hands each entry to the
 * functions below. New names are chosen in a second reading, when all names
 * that the directory has are known.
 */
#ifndef CHECK_CHECK_DIR_H
#define CHECK_CHECK_DIR_H

#include "check/nameset.h"
#include "check/repair.h"
#include "check/walk.h"

/* The first two slots of a directory. */
struct dots {
	uint8_t raw[2][DIRENT_BYTES];
	uint64_t offset[2];
	bool live[2]; /* there is an entry or a slot of a long name */
	unsigned n;   /* that the directory has room for */
};

struct dirscan {
	struct walk *w;
	struct check *ck;
	struct nameset names;
	struct bitmap *rename; /* slots; NULL = none */
	uint32_t renames;      /* bits in it */
	uint64_t bad_dates;    /* entries */
	bool dots_wait;	       /* slots change that the dots may need */
};

/* The innermost directory of w, which has just been entered. */
enum status check_directory(struct walk *w, struct error *err);

/* mend_dots.c: the first two slots are not both what they should be. */
enum status mend_dots(struct dirscan *d, const struct dots *dots,
		      struct error *err);

/* grow.c: a cluster that a full directory may have. */
struct growth {
	clus_t clus; /* 0 = there is none, or it can't grow */
	clus_t last; /* the directory's, with this end mark */
	uint32_t mark;
};
/* The next free cluster, which nobody else gets; 0 if there is none. */
enum status grow_find_free(struct check *ck, clus_t *c, struct error *err);
enum status grow_find(struct check *ck, struct dirpos start,
		      struct growth *g, struct error *err);
enum status grow_plan(struct check *ck, const struct growth *g,
		      struct error *err);

/* check_dot.c: "." and "..", in the first two slots and elsewhere. */
/* Is slot i what it should be, wherever it points to? */
bool dot_is_right(const struct dots *dots, unsigned i);
/* Where the dot entry in slot i shall point. */
clus_t dot_target(const struct walk *w, unsigned i);
enum status check_dots(struct dirscan *d, struct error *err);
enum status check_stray_dot(struct dirscan *d, const struct dir_entry *e,
			    struct error *err);

/* check_lfn.c: a dirread_stray_fn; arg is the dirscan. */
enum status check_stray_slots(void *arg, const struct dirread_set *set,
			      enum lfn_fault fault, const struct dir_entry *e,
			      struct error *err);
/* Plans that the slots of a set are deleted. */
enum status check_delete_slots(struct check *ck,
			       const struct dirread_set *set,
			       struct error *err);

/* check_name.c: both names of an entry. */
enum status check_name(struct dirscan *d, const struct dir_entry *e,
		       struct error *err);
/* Has an entry this long name, in whatever case? */
enum status names_have_long(const struct nameset *names, const char *utf8,
			    bool *have, struct error *err);

/* rename.c: gives the entries of d->rename their new names. */
enum status rename_entries(struct dirscan *d, struct error *err);
/* The legal name that is most like name; it may be taken. */
void name_mend(uint8_t out[DIRENT_NAME_BYTES],
	       const uint8_t name[DIRENT_NAME_BYTES]);

/* check_label.c */
enum status check_label_entry(struct dirscan *d, const struct dir_entry *e,
			      struct error *err);

/* check_subdir.c: will the directory have no cluster of its own? */
enum status check_is_void(struct check *ck, const struct dir_entry *e,
			  bool *is_void, struct error *err);
/* Plans that the entry just read goes, with its long name. */
enum status check_remove_dir(const struct walk *w, const struct dir_entry *e,
			     struct error *err);
/* An entry without a cluster; one with; the chain. */
enum status check_no_chain(const struct walk *w, const struct dir_entry *e,
			   struct error *err);
enum status check_subdir(const struct walk *w, const struct dir_entry *e,
			 const struct claim *claim, struct error *err);
enum status check_dir_chain(const struct walk *w, const struct dir_entry *e,
			    const struct claim *claim, struct error *err);

/* check_data.c: does the chain of a directory hold something else? */
enum status check_is_data(struct walk *w, const struct dir_entry *e,
			  const struct claim *claim, bool *data,
			  struct error *err);
enum status check_data(const struct walk *w, const struct dir_entry *e,
		       const struct claim *claim, struct error *err);

/* check_date.c: are the times of a slot possible? */
bool check_dates_exist(const uint8_t *slot);

#endif
