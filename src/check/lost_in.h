/* lost_in.h - lost chains: who finds and who saves; for src/check only */
#ifndef CHECK_LOST_IN_H
#define CHECK_LOST_IN_H

#include "check/rescue.h"

struct lost {
	struct check *ck;
	/*
	 * A lost cluster links to it; once it is taken: a directory that
	 * has been saved in this round begins there.
	 */
	struct bitmap *linked;
	uint64_t low, high; /* where lost clusters are */
	uint64_t beyond;    /* of them, past the end of the image */
	clus_t first_beyond;
	struct rescue room;
	bool save;	/* else they are freed, */
	bool leave;	/* or stay */
	bool meets;	/* a lost cluster links to one that somebody has */
	bool open;	/* room is, */
	bool in_root;	/* the root */
	bool wait;	/* no more room in this round, */
	bool full;	/* or ever */
	uint64_t saved_dirs;
};

/*
 * lost_save.c: the chain at c, which is lost, is saved, freed or left. With no
 * room left for it anywhere it stays; if a directory grows or is made, the
 * next round has it.
 */
enum status lost_take(struct lost *l, clus_t c, enum problem_id id,
		      bool is_dir, struct error *err);

#endif
