#include "inject/base/private_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIGHEST = 4096, PLACES = 64 };

int private_fd_raise(int number)
{
    struct rlimit limit;
    int copy, least = HIGHEST;

    if (number < 0)
        return -1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < HIGHEST)
        least = (int)limit.rlim_cur;
    least -= PLACES;
    copy = least > number ? fcntl(number, F_DUPFD_CLOEXEC, least) : -1;
    if (copy < 0)
        return number;
    close(number);
    return copy;
}

void private_fd_take(struct private_fd *descriptor, int number)
{
    struct stat is;

    *descriptor = (struct private_fd)PRIVATE_FD_NONE;
    number = private_fd_raise(number);
    if (number < 0 || fstat(number, &is) < 0)
        return;
    descriptor->number = number;
    descriptor->device = is.st_dev;
    descriptor->inode = is.st_ino;
    descriptor->mode = is.st_mode & S_IFMT;
}

int private_fd_get(const struct private_fd *descriptor)
{
    int saved = errno, number = descriptor->number;
    struct stat is;

    if (number >= 0 &&
        (fstat(number, &is) < 0 || is.st_dev != descriptor->device ||
         is.st_ino != descriptor->inode || (is.st_mode & S_IFMT) != descriptor->mode))
        number = -1;
    errno = saved;
    return number;
}

void private_fd_close(struct private_fd *descriptor)
{
    int number = private_fd_get(descriptor);

    if (number >= 0)
        close(number);
    descriptor->number = -1;
}
