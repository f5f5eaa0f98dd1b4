#include "cli/fetch/local_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/file_below.h"
#include "lib/base/mem.h"

struct local_copy {
    char *path, *part; /* relative to the top; part: last part of the path + ".part" */
    const char *name;  /* last part of the path */
    int folder;
    int old;    /* NAME.part if it exists, else NAME; -1: neither */
    int target; /* NAME.part; -1: not needed yet; may be `old` */
};

static int fail_write(const struct local_copy *copy, struct err *err)
{
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
        return err_set(err, ERR_NO_SPACE,
                       "writing %s: %s; free some space and repeat the command, which "
                       "continues here",
                       copy->path, strerror(errno));
    return err_errno(err, "writing %s", copy->path);
}

/* Returns -1 when there is no such file. Refuses other things than regular files. */
static int open_old(int *fd,
                    const struct local_copy *copy,
                    const char *name,
                    int flags,
                    struct err *err)
{
    struct stat status;

    *fd = -1;
    if (fstatat(copy->folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : err_errno(err, "%s", copy->path);
    if (!S_ISREG(status.st_mode))
        return err_set(
            err, ERR_DENIED,
            "%s: a folder, a symbolic link or a device is in the way; remove "
            "it",
            copy->path);
    *fd = openat(copy->folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, "%s", copy->path) : 0;
}

int local_copy_open(struct local_copy **out, int top, const char *path, struct err *err)
{
    struct local_copy *copy = xcalloc(1, sizeof(*copy));

    copy->old = copy->target = -1;
    copy->path = xstrdup(path);
    if (file_below_folder(&copy->folder, &copy->name, top, copy->path, true, err) < 0) {
        copy->folder = -1;
        goto fail;
    }
    copy->part = xasprintf("%s.part", copy->name);
    if (open_old(&copy->target, copy, copy->part, O_RDWR, err) < 0)
        goto fail;
    copy->old = copy->target;
    if (copy->old < 0 && open_old(&copy->old, copy, copy->name, O_RDONLY, err) < 0)
        goto fail;
    *out = copy;
    return 0;

fail:
    local_copy_close(copy);
    return -1;
}

void local_copy_close(struct local_copy *copy)
{
    if (!copy)
        return;
    if (copy->target >= 0 && copy->target != copy->old)
        close(copy->target);
    if (copy->old >= 0)
        close(copy->old);
    if (copy->folder >= 0)
        close(copy->folder);
    free(copy->part);
    free(copy->path);
    free(copy);
}

size_t
local_copy_read(const struct local_copy *copy, uint64_t from, char *bytes, size_t room)
{
    size_t done = 0;

    while (copy->old >= 0 && from <= INT64_MAX - room && done < room) {
        ssize_t got = pread(copy->old, bytes + done, room - done, (off_t)(from + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break; /* bytes that cannot be read are fetched */
        done += (size_t)got;
    }
    return done;
}

static int write_at(const struct local_copy *copy,
                    uint64_t from,
                    const char *bytes,
                    size_t size,
                    struct err *err)
{
    for (size_t done = 0; done < size;) {
        ssize_t put =
            pwrite(copy->target, bytes + done, size - done, (off_t)(from + done));

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_write(copy, err);
        done += (size_t)put;
    }
    return 0;
}

/* Copies bytes of the old file, which the new file has, too. */
static int
copy_old(const struct local_copy *copy, uint64_t from, uint64_t size, struct err *err)
{
    char bytes[64 * 1024];

    while (size > 0) {
        size_t room = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);

        if (local_copy_read(copy, from, bytes, room) < room)
            return err_set(err, ERR_CONFLICT,
                           "%s has changed meanwhile; repeat the command", copy->path);
        if (write_at(copy, from, bytes, room, err) < 0)
            return -1;
        from += room;
        size -= room;
    }
    return 0;
}

/* Creates NAME.part with the bytes before `from`, which are the same in the old file.
 */
static int begin_target(struct local_copy *copy, uint64_t from, struct err *err)
{
    if (copy->target >= 0)
        return 0;
    copy->target =
        openat(copy->folder, copy->part,
               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    if (copy->target < 0)
        return fail_write(copy, err);
    return copy_old(copy, 0, from, err);
}

int local_copy_keep(struct local_copy *copy,
                    uint64_t from,
                    size_t size,
                    struct err *err)
{
    if (copy->target < 0 || copy->target == copy->old)
        return 0;
    return copy_old(copy, from, size, err);
}

int local_copy_write(struct local_copy *copy,
                     uint64_t from,
                     const void *bytes,
                     size_t size,
                     struct err *err)
{
    if (begin_target(copy, from, err) < 0)
        return -1;
    return write_at(copy, from, bytes, size, err);
}

int local_copy_finish(struct local_copy *copy,
                      uint64_t size,
                      uint64_t changed_wall_ns,
                      bool *written,
                      struct err *err)
{
    const struct timespec times[] = {
        {.tv_nsec = UTIME_OMIT},
        {(time_t)(changed_wall_ns / 1000000000), (long)(changed_wall_ns % 1000000000)},
    };

    if (copy->old < 0 && begin_target(copy, 0, err) < 0) /* an empty file */
        return -1;
    *written = copy->target >= 0;
    if (!*written)
        return 0;
    if (ftruncate(copy->target, (off_t)size) < 0 || futimens(copy->target, times) < 0 ||
        renameat(copy->folder, copy->part, copy->folder, copy->name) < 0)
        return fail_write(copy, err);
    return 0;
}
