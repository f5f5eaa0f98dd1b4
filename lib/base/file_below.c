#include "lib/base/file_below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"

/* Returns the length of the first part of a path; 0: the part is not allowed. */
static size_t first_part(const char *path)
{
    size_t length = strcspn(path, "/");

    if (length > NAME_MAX || (length == 1 && path[0] == '.') ||
        (length == 2 && path[0] == '.' && path[1] == '.'))
        return 0;
    return length;
}

bool file_below_is_valid(const char *path)
{
    if (strlen(path) >= PATH_MAX)
        return false;
    for (const char *at = path; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return false;
    for (;;) {
        size_t length = first_part(path);

        if (length == 0)
            return false;
        if (path[length] == '\0')
            return true;
        path += length + 1;
    }
}

static int open_folder(int parent, const char *name, bool create)
{
    if (create && mkdirat(parent, name, FOLDER_MODE) < 0 && errno != EEXIST)
        return -1;
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Sets the error for a folder or file that was not opened. */
static int fail_open(const char *path, struct err *err)
{
    if (errno == ENOENT)
        return err_set(err, ERR_NOT_FOUND, "%s does not exist", path);
    if (errno == ELOOP || errno == ENOTDIR)
        return err_set(err, ERR_DENIED,
                       "%s: a part of the path is a symbolic link or no folder; remove "
                       "it",
                       path);
    return err_errno(err, "%s", path);
}

int file_below_folder(int *folder,
                      const char **name,
                      int top,
                      const char *path,
                      bool create,
                      struct err *err)
{
    char part[NAME_MAX + 1];

    if (!file_below_is_valid(path))
        return err_set(err, ERR_INPUT,
                       "the path '%.120s' is not allowed: it must lead down from its "
                       "folder",
                       path);
    int at = open_folder(top, ".", false);
    for (const char *next = path; at >= 0;) {
        size_t length = first_part(next);
        int below;

        if (next[length] == '\0') {
            *folder = at;
            *name = next;
            return 0;
        }
        memcpy(part, next, length);
        part[length] = '\0';
        below = open_folder(at, part, create);
        int failed = errno;
        close(at);
        errno = failed;
        at = below;
        next += length + 1;
    }
    return fail_open(path, err);
}

int file_below_open(int *fd, int top, const char *path, struct err *err)
{
    const char *name;
    struct stat status;
    int folder;

    if (file_below_folder(&folder, &name, top, path, false, err) < 0)
        return -1;
    /* without O_NONBLOCK the open of a named pipe waits for its writer */
    int opened = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int result = opened < 0 ? fail_open(path, err) : 0;

    close(folder);
    if (result == 0 && fstat(opened, &status) < 0)
        result = err_errno(err, "%s", path);
    else if (result == 0 && !S_ISREG(status.st_mode))
        result = err_set(err, ERR_NOT_FOUND, "%s is not a regular file", path);
    if (result < 0 && opened >= 0)
        close(opened);
    if (result == 0)
        *fd = opened;
    return result;
}
