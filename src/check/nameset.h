/* nameset.h - the names of one directory; for src/check only */
#ifndef CHECK_NAMESET_H
#define CHECK_NAMESET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/*
 * Zero-initialise. A balanced tree and not a hash table, because nobody can
 * choose names that make it slow. At most one name for each slot of a
 * directory, so it is bounded.
 */
struct nameset {
	void *root;
};

enum name_kind {
	NAME_SHORT, /* the 11 bytes of the disk */
	NAME_LONG,  /* its key by name_fold() */
	NAME_CASE,  /* a short one's, if it has more than ASCII */
};

bool nameset_has(const struct nameset *s, enum name_kind kind,
		 const void *key, size_t len);
/* Copies key; no harm if it is there already. */
enum status nameset_add(struct nameset *s, enum name_kind kind,
			const void *key, size_t len, struct error *err);
void nameset_clear(struct nameset *s);

#endif
