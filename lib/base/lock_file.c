#include "lib/base/lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "lib/base/file.h"

static int report_holder(int fd, struct err *err)
{
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_GETLK, &holder) < 0 || holder.l_type == F_UNLCK ||
        holder.l_pid <= 0)
        return err_set(
            err, ERR_CONFLICT,
            "another process holds the lock; only one may"); /* ended, or on another
                                                                host */
    return err_set(err, ERR_CONFLICT, "process %ld holds the lock; only one may",
                   (long)holder.l_pid);
}

int lock_file(const char *path, struct err *err)
{
    const struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);

    if (fd < 0)
        return err_errno(err, "%s", path);
    if (fcntl(fd, F_SETLK, &all) == 0)
        return fd;
    if (errno == EAGAIN || errno == EACCES)
        report_holder(fd, err);
    else
        err_errno(err, "locking %s", path);
    close(fd);
    return -1;
}

bool lock_file_is_held(const char *path)
{
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return false;
    bool held = fcntl(fd, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
    close(fd);
    return held;
}
