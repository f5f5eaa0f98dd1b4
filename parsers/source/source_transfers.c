#include "parsers/source/source_transfers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"

/* MemoryChart.bin can have hundreds of megabytes. A piece stays in the cache. */
enum { PIECE_ROWS = 4096 };
static const uint64_t CHART_BYTES_MAX =
    (uint64_t)TRANSFERS_MAX * TRANSFER_CHART_ROW_BYTES;

/* Returns false with a note when the open file is not a file of records. */
static bool check_chart(struct source_launch *launch, int fd, uint64_t *size)
{
    static const char name[] = "MemoryChart.bin";
    struct stat facts;

    if (fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode)) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s is not a file",
                    name);
        return false;
    }
    *size = (uint64_t)facts.st_size;
    if (*size > CHART_BYTES_MAX) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "%s left out: it has more than %" PRIu64 " bytes", name,
                    CHART_BYTES_MAX);
        return false;
    }
    if (*size == 0)
        source_note(&launch->notes, SOURCE_REMARK, SOURCE_NO_BLOCK, "%s is empty",
                    name);
    return true;
}

void source_find_chart(struct source_launch *launch, const char *folder)
{
    char *path = xasprintf("%s/MemoryChart.bin", folder);
    uint64_t size;
    struct err err;
    int fd;

    if (!file_exists(path)) {
        free(path);
        return;
    }
    if (file_open(&fd, path, &err) < 0) {
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
        free(path);
        return;
    }
    if (check_chart(launch, fd, &size)) {
        launch->metrics |= METRIC_MEMORY_DETAIL;
        if (size > 0) {
            launch->chart = path;
            path = NULL;
        }
    }
    close(fd);
    free(path);
}

/* Reads until the piece is full or the file ends. */
static int fill_piece(int fd, uint8_t *piece, size_t room, size_t *size)
{
    *size = 0;
    while (*size < room) {
        ssize_t got = read(fd, piece + *size, room - *size);

        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -1;
        if (got > 0)
            *size += (size_t)got;
    }
    return 0;
}

static int read_chart(const char *path, struct transfer_reader *reader, struct err *err)
{
    size_t room = (size_t)PIECE_ROWS * TRANSFER_CHART_ROW_BYTES, size;
    uint8_t *piece;
    int fd, result = 0;

    if (file_open(&fd, path, err) < 0)
        return -1;
    piece = xmalloc(room);
    do {
        if (fill_piece(fd, piece, room, &size) < 0) {
            result = err_errno(err, "%s", path);
            break;
        }
        transfer_read_chart(reader, piece, size);
    } while (size == room);
    free(piece);
    close(fd);
    return result;
}

int source_read_transfers(const struct source_launch *launch,
                          struct transfer_reader *reader,
                          struct err *err)
{
    for (size_t i = 0; i < launch->part_count; i++)
        transfer_read_part(reader, launch->parts[i].number,
                           (const uint8_t *)text_get(&launch->parts[i].bytes),
                           launch->parts[i].bytes.length);
    return !launch->part_count && launch->chart ? read_chart(launch->chart, reader, err)
                                                : 0;
}
