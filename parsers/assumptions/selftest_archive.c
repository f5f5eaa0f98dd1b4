#include "parsers/assumptions/selftest_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"

enum { TEXT_RUN = 1, TEXT_MAX = RECORD_PIECE_MAX };
static const char text_name[] = "selftest.tsv";

struct archive {
    FILE *file;
    struct capture_writer writer;
    uint8_t *buffer;
    bool is_open; /* the writer has a shard */
    uint64_t run_id;
    uint32_t shard;
    archive_edit_fn *edit;
    void *arg;
};

static int write_group(struct archive *archive, struct err *err)
{
    const void *bytes;
    size_t size;

    if (archive->is_open && capture_writer_finish(&archive->writer, &bytes, &size) &&
        fwrite(bytes, size, 1, archive->file) != 1)
        return err_errno(err, "writing the archive");
    return 0;
}

static int
start_shard(struct archive *archive, uint64_t run_id, uint32_t shard, struct err *err)
{
    if (archive->is_open && archive->run_id == run_id && archive->shard == shard)
        return 0;
    if (write_group(archive, err) < 0)
        return -1;
    capture_writer_init(&archive->writer, archive->buffer, CAPTURE_GROUP_MAX, run_id,
                        shard, 0, 0);
    archive->is_open = true;
    archive->run_id = run_id;
    archive->shard = shard;
    return 0;
}

static int put(struct archive *archive,
               unsigned kind,
               const void *record,
               size_t size,
               struct err *err)
{
    enum capture_put result = capture_put(&archive->writer, kind, record, size, 0);

    if (result == CAPTURE_PUT_FULL) {
        if (write_group(archive, err) < 0)
            return -1;
        result = capture_put(&archive->writer, kind, record, size, 0);
    }
    return result == CAPTURE_PUT_DONE
               ? 0
               : err_set(err, ERR_INPUT, "a record of kind %u has a wrong size", kind);
}

/* Removes what could identify a user or a machine. Returns false for records that are
 * left out: marks of the program, its files, and its communicators' names stay here. */
static bool remove_user_data(unsigned kind, uint8_t *record)
{
    struct record_run_rank *rank = (void *)record;
    struct record_run_health *health = (void *)record;

    switch (kind) {
    case RECORD_RUN_RANK:
        memset(rank->job, 0, sizeof(rank->job));
        memset(rank->point_text, 0, sizeof(rank->point_text));
        memset(rank->host, 0, sizeof(rank->host));
        memset(rank->card_serial, 0, sizeof(rank->card_serial));
        memset(rank->program, 0, sizeof(rank->program));
        rank->pid = 0;
        rank->started_wall_ns = 0;
        return true;
    case RECORD_RUN_HEALTH:
        memset(health->processes, 0, sizeof(health->processes));
        return true;
    case RECORD_STAMP:
    case RECORD_KERNEL_BINARY:
    case RECORD_FILE_PIECE:
    case RECORD_DUMP_FILE:
    case RECORD_DUMP_PIECE:
    case RECORD_MEM_EVENT:
        return false;
    default:
        return true;
    }
}

static int
copy_block(struct archive *archive, const struct capture_block *block, struct err *err)
{
    const struct record_kind_row *row = record_kind_find(block->type);
    const uint8_t *record;
    size_t at = 0, size;

    if (!row)
        return 0;
    while (capture_record_next(block, &at, &record, &size)) {
        uint8_t *copy = xcalloc(1, size > row->least ? size : row->least);
        int result = 0;

        memcpy(copy, record, size);
        if (size >= row->least && remove_user_data(row->kind, copy) &&
            (!archive->edit || archive->edit(row->kind, copy, size, archive->arg)))
            result = put(archive, row->kind, copy, size, err);
        free(copy);
        if (result < 0)
            return -1;
    }
    return 0;
}

static int copy_capture(struct archive *archive, const char *path, struct err *err)
{
    struct capture_reader *reader;
    struct capture_block block;
    int result = 0;

    if (capture_reader_open(&reader, path, err) < 0)
        return -1;
    capture_reader_sort(reader);
    while (result == 0 && capture_reader_next(reader, &block))
        /* the archive gets another text */
        if (block.head.run_id != TEXT_RUN)
            result = start_shard(archive, block.head.run_id, block.head.shard, err) < 0
                         ? -1
                         : copy_block(archive, &block, err);
    capture_reader_destroy(reader);
    return result;
}

static int put_text(struct archive *archive, const char *text, struct err *err)
{
    size_t bytes = strlen(text);
    size_t size = sizeof(struct record_file_piece) + (bytes + 7) / 8 * 8;
    struct record_file_piece *piece;
    int result;

    if (bytes == 0)
        return 0;
    if (bytes > TEXT_MAX)
        return err_set(err, ERR_LIMIT, "the text has %zu bytes, at most %d", bytes,
                       TEXT_MAX);
    if (start_shard(archive, TEXT_RUN, 0, err) < 0)
        return -1;
    piece = xcalloc(1, size);
    piece->length = (uint32_t)size;
    piece->total = bytes;
    piece->bytes = (uint32_t)bytes;
    snprintf(piece->name, sizeof(piece->name), "%s", text_name);
    memcpy(piece + 1, text, bytes);
    result = put(archive, RECORD_FILE_PIECE, piece, size, err);
    free(piece);
    return result;
}

int selftest_archive_write(const char *path,
                           const char *const *captures,
                           size_t count,
                           const char *text,
                           archive_edit_fn *edit,
                           void *arg,
                           struct err *err)
{
    struct archive archive = {.edit = edit, .arg = arg};
    int result;

    archive.file = fopen(path, "wb");
    if (!archive.file)
        return err_errno(err, "creating %s", path);
    archive.buffer = xcalloc(1, CAPTURE_GROUP_MAX);
    result = put_text(&archive, text, err);
    for (size_t i = 0; result == 0 && i < count; i++)
        result = copy_capture(&archive, captures[i], err);
    if (result == 0)
        result = write_group(&archive, err);
    if (fclose(archive.file) != 0 && result == 0)
        result = err_errno(err, "writing %s", path);
    free(archive.buffer);
    return result;
}

int selftest_archive_text(const char *path, struct text *text, struct err *err)
{
    struct capture_reader *reader;
    struct capture_block block;
    bool found = false;

    if (capture_reader_open(&reader, path, err) < 0)
        return -1;
    while (!found && capture_reader_next(reader, &block)) {
        struct record_file_piece piece;

        if (strcmp(block.type, "file.piece") != 0 ||
            block.payload_bytes < sizeof(piece))
            continue;
        memcpy(&piece, block.payload, sizeof(piece));
        if (strncmp(piece.name, text_name, sizeof(piece.name)) != 0 ||
            piece.bytes > block.payload_bytes - sizeof(piece))
            continue;
        text_add_bytes(text, block.payload + sizeof(piece), piece.bytes);
        found = true;
    }
    capture_reader_destroy(reader);
    return found ? 0
                 : err_set(err, ERR_NOT_FOUND,
                           "%s is no archive of muster selftest --hardware", path);
}
