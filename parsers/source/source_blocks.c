#include "parsers/source/source_blocks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/store/captures.h"

bool source_is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof(magic)] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));

    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof(head) && memcmp(head, magic, sizeof(magic)) == 0;
}

static int each_in_database(const char *path,
                            uint64_t run_id,
                            uint32_t rank,
                            source_block_fn *fn,
                            void *arg,
                            struct err *err)
{
    struct captures *captures;
    int result;

    if (captures_open(&captures, path, STORE_READ, err) < 0)
        return -1;
    result = captures_each_block(captures, run_id, (int32_t)rank, fn, arg, err);
    captures_close(captures);
    return result;
}

int source_each_block(const char *path,
                      uint64_t run_id,
                      uint32_t rank,
                      source_block_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct capture_reader *reader;
    struct capture_block block;
    int result = 0;

    if (source_is_database(path))
        return each_in_database(path, run_id, rank, fn, arg, err);
    if (capture_reader_open(&reader, path, err) < 0)
        return -1;
    capture_reader_sort(reader);
    while (result == 0 && capture_reader_next(reader, &block))
        if (block.head.run_id == run_id && block.head.shard >> 16 == rank)
            result = fn(&block, arg, err);
    capture_reader_destroy(reader);
    return result;
}
