/* source_store.c - a source out of a job's capture database */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "parsers/inputs/source_build.h"
#include "store/captures.h"

static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof(magic)] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));

    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof(head) && memcmp(head, magic, sizeof(magic)) == 0;
}

int source_from_capture(struct source **out,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err)
{
    struct source_builder *builder;
    struct captures *captures;

    if (!is_database(path))
        return source_from_file(out, path, run_id, rank, err);
    if (captures_open(&captures, path, STORE_READ, err) < 0)
        return err_wrap(err, "reading capture %s", path);
    builder = source_builder_create();
    if (captures_each_block(captures, run_id, (int32_t)rank, source_builder_block,
                            builder, err) < 0)
        source_builder_note(builder, SOURCE_NO_BLOCK, err->text);
    captures_close(captures);
    *out = source_builder_give(&builder);
    if (*out)
        return 0;
    return err_set(err, ERR_NOT_FOUND, "%s: nothing of run %" PRIu64 " rank %" PRIu32,
                   path, run_id, rank);
}
