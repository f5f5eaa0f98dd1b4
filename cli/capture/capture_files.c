#include "cli/capture/capture_files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/store/captures.h"

bool capture_is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof(magic)] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));

    if (fd >= 0)
        close(fd);
    return got == sizeof(head) && memcmp(head, magic, sizeof(magic)) == 0;
}

int capture_each_block(const char *path,
                       capture_block_fn *fn,
                       capture_problem_fn *problem,
                       uint64_t *problems,
                       void *arg,
                       struct err *err)
{
    struct captures *captures;
    struct capture_reader *reader;
    struct capture_block block;
    const struct capture_problem *one;
    int result = 0;

    *problems = 0;
    if (capture_is_database(path)) {
        if (captures_open(&captures, path, STORE_READ, err) < 0)
            return -1;
        result = captures_each_block(captures, 0, CAPTURES_ANY_RANK, fn, arg, err);
        captures_close(captures);
        return result;
    }
    if (capture_reader_open(&reader, path, err) < 0)
        return -1;
    capture_reader_sort(reader);
    while (result == 0 && capture_reader_next(reader, &block))
        result = fn(&block, arg, err);
    for (size_t i = 0; problem && (one = capture_reader_problem(reader, i)); i++)
        problem(one, arg);
    *problems = capture_reader_counts(reader)->problems;
    capture_reader_destroy(reader);
    return result;
}
