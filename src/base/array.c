/*
 * array.c - growing an array by doubling
 *
 * The vector's pointer is copied in and out as bytes: a T * can't be written
 * through a void ** without breaking the aliasing rules.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/ckd.h"

#define ARRAY_FIRST_ELEMS 8

enum status array_reserve(void *vec, size_t *cap, size_t need,
			  size_t elem_bytes, struct error *err)
{
	size_t elems, bytes;
	void *p;

	if (need <= *cap)
		return ST_OK;
	if (ckd_mul(&elems, *cap, (size_t)2))
		elems = need;
	elems = MAX(MAX(elems, need), (size_t)ARRAY_FIRST_ELEMS);
	if (ckd_mul(&bytes, elems, elem_bytes))
		return error_set_nomem(err);
	memcpy(&p, vec, sizeof(p));
	p = realloc(p, bytes);
	if (!p)
		return error_set_nomem(err);
	memcpy(vec, &p, sizeof(p));
	*cap = elems;
	return ST_OK;
}
