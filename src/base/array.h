/* array.h - growing an array by doubling */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

#include "base/status.h"

/*
 * Makes room for at least need elements of elem_bytes each in *vec, whose
 * capacity is *cap elements. *vec is malloc'ed, NULL at first, and the
 * caller's to free. ST_NOMEM leaves *vec as it was.
 */
enum status array_reserve(void *vec, size_t *cap, size_t need,
			  size_t elem_bytes, struct error *err);

#endif
