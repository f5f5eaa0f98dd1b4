#include "cli/fleet/child_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"

enum { TAIL_BYTES = 16 * 1024 };

int child_log_open(const char *path, off_t *length, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
    struct stat info;

    if (fd < 0)
        return err_errno(err, "opening %s", path);
    *length = fstat(fd, &info) == 0 ? info.st_size : 0;
    return fd;
}

static size_t read_tail(char bytes[TAIL_BYTES], const char *path, off_t from)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

    if (end - from > TAIL_BYTES - 1)
        from = end - (TAIL_BYTES - 1);
    ssize_t size = end > from ? pread(fd, bytes, TAIL_BYTES - 1, from) : 0;
    if (fd >= 0)
        close(fd);
    return size > 0 ? (size_t)size : 0;
}

bool child_log_last_error(char *out, size_t size, const char *path, off_t from)
{
    static const char mark[] = " error: ";
    char bytes[TAIL_BYTES];
    const char *last = NULL;

    bytes[read_tail(bytes, path, from)] = '\0';
    for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n")) {
        const char *error = strstr(line, mark);

        if (error)
            last = error + strlen(mark);
    }
    if (last)
        snprintf(out, size, "%s", last);
    return last != NULL;
}
