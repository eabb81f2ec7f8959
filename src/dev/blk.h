/*
 * blk.h - where the bytes are: a file, a device, a part of one, an overlay
 *
 * A small vtable, so that tests can put an array, a recorder or a fault
 * injector in the place of a disk, and filters can stack.
 *
 * Law 1: blk_write(), blk_zero() and blk_sync() are called by
 * change/commit.c only. A blk that stacks on another forwards through the
 * other's ops.
 */
#ifndef DEV_BLK_H
#define DEV_BLK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "dev/ledger.h"

struct blk;

struct blk_ops {
	/* All or nothing; offsets and lengths are inside the size. */
	enum status (*read)(struct blk *b, uint64_t offset, void *buf,
			    size_t len, struct error *err);
	enum status (*write)(struct blk *b, uint64_t offset, const void *buf,
			     size_t len, enum region region,
			     struct error *err);
	/* Makes the range read as zeros, by a hole where there can be one. */
	enum status (*zero)(struct blk *b, uint64_t offset, uint64_t len,
			    enum region region, struct error *err);
	/* A barrier: all before it is durable before anything after it. */
	enum status (*sync)(struct blk *b, struct error *err);
	/* Later reads come from the device, not from a cache. Best effort. */
	void (*drop_cache)(struct blk *b);
	/* Frees b, too, whatever it returns. */
	enum status (*close)(struct blk *b, struct error *err);
};

/* The head of every implementation's struct. */
struct blk {
	const struct blk_ops *ops;
	uint64_t size_bytes;
	uint64_t base_bytes;  /* where it begins on the device, for messages */
	bool read_only;
	struct ledger *ledger; /* may be NULL; not owned */
};

/*
 * Each checks the range against the size (ST_IO, "past the end") and does
 * the counting. A zero length is fine and does nothing. Zeroing counts as a
 * write of its length. A write, zero or sync of a read_only blk is ST_IO.
 */
enum status blk_read(struct blk *b, uint64_t offset, void *buf, size_t len,
		     struct error *err);
enum status blk_write(struct blk *b, uint64_t offset, const void *buf,
		      size_t len, enum region region, struct error *err);
enum status blk_zero(struct blk *b, uint64_t offset, uint64_t len,
		     enum region region, struct error *err);
enum status blk_sync(struct blk *b, struct error *err);
void blk_drop_cache(struct blk *b);
enum status blk_close(struct blk *b, struct error *err); /* accepts NULL */

#endif
