/* inuse.h - is somebody using this image or device already? */
#ifndef DEV_INUSE_H
#define DEV_INUSE_H

#include <sys/types.h>

#include "base/status.h"

/* Where the kernel says what is in use; tests put their own files there. */
struct inuse_sources {
	const char *mountinfo; /* "/proc/self/mountinfo" */
	const char *swaps;     /* "/proc/swaps" */
	const char *sysfs;     /* "/sys" */
};

/*
 * ST_OK if path (an image file or a block device, by whatever name) is not
 * mounted, backs no loop device, is not in use as swap, and, for a whole
 * disk, none of its partitions is; for a partition, its whole disk is not.
 * Else ST_REFUSED with a sentence that says who uses it and how; ST_IO if
 * path or the mount table can't be read. sources NULL = the running system.
 */
enum status inuse_check(const char *path, const struct inuse_sources *sources,
			struct error *err);

/* The same for a block device by its number; name is for the sentence. */
enum status inuse_check_device(const char *name, dev_t dev,
			       const struct inuse_sources *sources,
			       struct error *err);

#endif
