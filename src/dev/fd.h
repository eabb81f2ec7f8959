/* fd.h - file descriptors that the caller gave us, or did not */
#ifndef DEV_FD_H
#define DEV_FD_H

#include <stdbool.h>

#include "base/status.h"

/*
 * Before anything is opened: what is closed of descriptors 0 to 2 is held by
 * /dev/null, read only, so that no image gets such a number and what is meant
 * for the user is written to it. Writing there fails, as it would have.
 * ST_IO if that can't be done.
 */
enum status fd_hold_standard(struct error *err);

bool fd_is_open(int fd);

#endif
