#include "inject/base/private_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HIGHEST = 4096, RANGE = 64 /* numbers below the limit that are tried */ };

int private_fd_raise(int number)
{
    struct rlimit limit;
    int copy, lowest = HIGHEST;

    if (number < 0)
        return -1;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < HIGHEST)
        lowest = (int)limit.rlim_cur;
    lowest -= RANGE;
    copy = lowest > number ? fcntl(number, F_DUPFD_CLOEXEC, lowest) : -1;
    if (copy < 0)
        return number;
    close(number);
    return copy;
}

void private_fd_take(struct private_fd *fd, int number)
{
    struct stat is;

    *fd = (struct private_fd)PRIVATE_FD_NONE;
    number = private_fd_raise(number);
    if (number < 0 || fstat(number, &is) < 0)
        return;
    fd->number = number;
    fd->device = is.st_dev;
    fd->inode = is.st_ino;
    fd->mode = is.st_mode & S_IFMT;
}

int private_fd_get(const struct private_fd *fd)
{
    int saved = errno, number = fd->number;
    struct stat is;

    if (number >= 0 && (fstat(number, &is) < 0 || is.st_dev != fd->device ||
                        is.st_ino != fd->inode || (is.st_mode & S_IFMT) != fd->mode))
        number = -1;
    errno = saved;
    return number;
}

void private_fd_close(struct private_fd *fd)
{
    int number = private_fd_get(fd);

    if (number >= 0)
        close(number);
    fd->number = -1;
}
