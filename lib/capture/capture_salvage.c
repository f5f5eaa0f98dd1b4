/* capture_salvage.c - copies the intact parts of a damaged capture
 *
 * Intact groups are copied unchanged, so that readers recognise copies. The remaining
 * blocks of a damaged group are written to a group with the same number and the flag
 * CAPTURE_SALVAGED. Blocks that are not verified are left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/writer.h"

struct salvage {
    struct file_new *file;
    struct capture_writer writer;
    uint8_t *buffer;
    bool is_open;
    uint32_t table; /* number of the group in the writer */
    uint64_t written;
};

static int
write_bytes(struct salvage *salvage, const void *bytes, size_t size, struct err *err)
{
    static const uint8_t zeros[16];
    size_t padding = (size_t)capture_padded(size) - size;
    int fd = file_new_fd(salvage->file);

    if (fd_write_all(fd, bytes, size) < 0 || fd_write_all(fd, zeros, padding) < 0)
        return err_errno(err, "writing");
    return 0;
}

static int flush(struct salvage *salvage, struct err *err)
{
    const void *bytes;
    size_t size;

    if (!salvage->is_open)
        return 0;
    salvage->is_open = false;
    if (!capture_writer_finish(&salvage->writer, &bytes, &size))
        return 0;
    return write_bytes(salvage, bytes, size, err);
}

static void start(struct salvage *salvage, const struct capture_block_head *head)
{
    capture_writer_init(&salvage->writer, salvage->buffer, CAPTURE_GROUP_MAX,
                        head->run_id, head->shard, head->table, head->number);
    salvage->table = head->table;
    salvage->is_open = true;
}

static int
rewrite(struct salvage *salvage, const struct capture_block *block, struct err *err)
{
    struct capture_block_head head = block->head;
    char unknown[32];
    const char *type = block->type;

    head.flags |= CAPTURE_SALVAGED;
    if (!block->has_texts) {
        snprintf(unknown, sizeof(unknown), "unknown.%" PRIu32, head.type_text);
        type = unknown;
    }
    if (salvage->is_open &&
        (salvage->table != head.table || salvage->writer.head.shard != head.shard ||
         salvage->writer.head.run_id != head.run_id) &&
        flush(salvage, err) < 0)
        return -1;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!salvage->is_open)
            start(salvage, &head);
        if (capture_put_block(&salvage->writer, &head, type, block->metadata,
                              block->payload) == CAPTURE_PUT_DONE) {
            salvage->written++;
            return 0;
        }
        if (flush(salvage, err) < 0)
            return -1;
    }
    return err_set(err, ERR_LIMIT,
                   "block %" PRIu32 " of shard %08" PRIx32 " is too large for a group",
                   head.number, head.shard);
}

static int
copy_all(struct salvage *salvage, struct capture_reader *reader, struct err *err)
{
    struct capture_group group;
    struct capture_block block;
    size_t cursor = 0;
    bool has_group = capture_reader_next_group(reader, &cursor, &group);

    while (capture_reader_next(reader, &block)) {
        while (has_group && group.offset + group.size <= block.offset)
            has_group = capture_reader_next_group(reader, &cursor, &group);
        if (has_group && block.offset > group.offset) {
            if (flush(salvage, err) < 0 ||
                write_bytes(salvage, group.bytes, group.size, err) < 0)
                return -1;
            salvage->written += group.blocks;
            /* skip the blocks of this group */
            for (uint32_t i = 1; i < group.blocks; i++)
                capture_reader_next(reader, &block);
        } else if (block.verified && rewrite(salvage, &block, err) < 0) {
            return -1;
        }
    }
    return flush(salvage, err);
}

int capture_salvage(const char *path,
                    const char *out,
                    struct capture_counts *counts,
                    struct err *err)
{
    struct salvage salvage = {.buffer = xmalloc(CAPTURE_GROUP_MAX)};
    struct capture_reader *reader = NULL;
    int result = -1;

    if (capture_reader_open(&reader, path, err) < 0 ||
        file_new_create(&salvage.file, out, err) < 0 ||
        copy_all(&salvage, reader, err) < 0 ||
        file_new_commit(&salvage.file, err) < 0) {
        err_wrap(err, "salvaging %s", path);
        goto done;
    }
    *counts = *capture_reader_counts(reader);
    counts->blocks = salvage.written; /* without torn blocks, which are not copied */
    result = 0;

done:
    if (salvage.file)
        file_new_abandon(&salvage.file);
    capture_reader_destroy(reader);
    free(salvage.buffer);
    return result;
}
