/* commit_in.h - what the parts of a commit share; for src/change only */
#ifndef CHANGE_COMMIT_IN_H
#define CHANGE_COMMIT_IN_H

#include "change/commit.h"
#include "change/fatstream.h"

enum pass { PASS_CHECK, PASS_WRITE, PASS_VERIFY };

struct commit {
	const struct volume *vol;
	struct edits *e;
	const struct commit_options *opt;
	struct commit_result *result;
	enum pass pass;
	bool written; /* since the last barrier */
	uint8_t *buf; /* window_bytes */
	size_t buf_bytes;
	uint64_t done, total; /* bytes, for progress */
};

/* commit.c, for the parts below: offsets are of the volume, in bytes. */
/* The pass does not find what it must there. */
enum status commit_differs(const struct commit *c, uint64_t offset,
			   struct error *err);
/* So many bytes more are done. */
void commit_step(struct commit *c, uint64_t bytes);
/* A signal counts until the first write; from then on the job completes. */
enum status commit_cancelled(struct commit *c, struct error *err);
/*
 * The len bytes that are in the buffer from skip on will be overwritten: in
 * the check the undo file gets them, if there is one.
 */
enum status commit_keep(struct commit *c, size_t skip, uint64_t offset,
			size_t len, struct error *err);
enum status commit_write(struct commit *c, const void *buf, uint64_t offset,
			 size_t len, enum region region, struct error *err);
enum status commit_zero(struct commit *c, const struct zero_edit *z,
			struct error *err);

/* What the pass has to do, of these phases or of the one they belong to. */
/* commit_fat.c */
enum status commit_fat(struct commit *c, unsigned phases, struct error *err);
enum status commit_mirrors(struct commit *c, struct error *err);
/* commit_bytes.c */
enum status commit_bytes(struct commit *c, unsigned phases,
			 struct error *err);
/* commit_data.c */
enum status commit_zeros(struct commit *c, struct error *err);
enum status commit_copies(struct commit *c, struct error *err);

#endif
