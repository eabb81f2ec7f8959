/* path.h - from a path to a directory entry */
#ifndef FAT_PATH_H
#define FAT_PATH_H

#include "fat/dir.h"

/* Room for a component, and a byte more, so that one too long is noticed. */
#define PATH_NAME_MAX (NAME_UTF8_MAX + 1)

/*
 * Splits off the first component of *rest ('/' separated, empty components
 * and leading or trailing '/' ignored): copies it to name and advances
 * *rest. False at the end. A component that does not fit is truncated to
 * cap - 1, which name_check() then refuses if cap is PATH_NAME_MAX.
 */
bool path_next(const char **rest, char *name, size_t cap);

/*
 * Looks a path up, without regard to case, by long and by short name; "." and
 * ".." are no components, labels are never found. An entry of exactly this
 * spelling wins over one that differs in case. ST_REFUSED with the reason if
 * it does not exist, leads through a file, or can't be told because of
 * damage; ST_USAGE if it can't exist: name_check() of a component. The root
 * itself: *is_root, *out zeroed. out->name is the name as stored.
 */
enum status path_lookup(const struct volume *vol, struct fatwin *win,
			struct codepage *cp, const char *path,
			struct dir_entry *out, bool *is_root,
			struct error *err);

#endif
