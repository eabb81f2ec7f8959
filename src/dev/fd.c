/* fd.c - file descriptors that the caller gave us, or did not */
#include "dev/fd.h"

#include <fcntl.h>
#include <unistd.h>

bool fd_is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

enum status fd_hold_standard(struct error *err)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fd_is_open(fd) && open("/dev/null", O_RDONLY) != fd)
			return error_set(err, ST_IO,
					 "descriptor %d is closed, and "
					 "/dev/null can't be opened", fd);
	return ST_OK;
}
