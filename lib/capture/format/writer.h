/* writer.h - builds groups of a capture in memory that its user lends
 *
 * Records go in one by one; whenever the kind changes, or a block is large enough, the
 * writer starts another block. When the group is full, finish it, send it, go on:
 *
 *   while (capture_put(&writer, kind, record, size, now_ns) == CAPTURE_PUT_FULL) {
 *       capture_writer_finish(&writer, &bytes, &size);
 *       ... send or write the bytes: they are good until the next put ...
 *   }
 *
 * The number of a group in its shard is the number of its string table: the n-th
 * finished group of a shard has number n, from 0. libc only, never allocates. */
#ifndef LIB_CAPTURE_FORMAT_WRITER_H
#define LIB_CAPTURE_FORMAT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/format.h"

enum { CAPTURE_TEXTS_MAX = 48, CAPTURE_TEXT_BYTES = 3072 };

enum capture_put {
    CAPTURE_PUT_DONE,
    CAPTURE_PUT_FULL, /* finish the group, then put again: nothing was written */
    CAPTURE_PUT_BAD,  /* no such kind, a wrong size, or too large for any group */
};

/* All its own; the struct stands in yours. */
struct capture_writer {
    uint8_t *buffer;
    size_t room;
    size_t used;
    size_t block_at; /* where the open block starts */
    bool is_open;
    uint16_t flags;
    uint32_t pending_dropped;
    uint32_t group;
    uint32_t next_block;
    uint32_t blocks; /* in this group */
    struct capture_block_head head;
    uint32_t text_count;
    size_t text_bytes;
    uint32_t text_at[CAPTURE_TEXTS_MAX];
    char texts[CAPTURE_TEXT_BYTES];
};

/* The buffer is borrowed; up to CAPTURE_GROUP_MAX of it are used, 16 KiB at least.
 * `group` and `block` are the first numbers to give: 0 for a new shard. */
void capture_writer_init(struct capture_writer *writer,
                         void *buffer,
                         size_t size,
                         uint64_t run_id,
                         uint32_t shard,
                         uint32_t group,
                         uint32_t block);

/* A record of records.h. `size` is checked against its kind; a record of variable size
 * starts with its own u32 length. `time_ns` 0: not a moment, leaves the block's range.
 */
enum capture_put capture_put(struct capture_writer *writer,
                             unsigned kind,
                             const void *record,
                             size_t size,
                             uint64_t time_ns);
/* Any type, with a `key=value;...` text or "" for metadata; record_size 0: varies. */
enum capture_put capture_put_typed(struct capture_writer *writer,
                                   const char *type,
                                   const char *metadata,
                                   size_t record_size,
                                   const void *record,
                                   size_t size,
                                   uint64_t time_ns);
/* A whole block as it was elsewhere, with its own number, times and flags. */
enum capture_put capture_put_block(struct capture_writer *writer,
                                   const struct capture_block_head *head,
                                   const char *type,
                                   const char *metadata,
                                   const void *payload);

/* Records that were lost before they got here; stands in the head of the next block
 * that ends. */
void capture_writer_dropped(struct capture_writer *writer, uint32_t count);
/* Says that the open block is the shard's last; false when none is open. */
bool capture_writer_mark_last(struct capture_writer *writer);

/* Bytes that a finish would give now: for "send at 1 MiB or 200 ms". */
size_t capture_writer_bytes(const struct capture_writer *writer);
uint32_t capture_writer_blocks(const struct capture_writer *writer);
/* The number that the group being built has. */
uint32_t capture_writer_group(const struct capture_writer *writer);

/* False when nothing was put. The bytes stand in the buffer until the next put. */
bool capture_writer_finish(struct capture_writer *writer,
                           const void **bytes,
                           size_t *size);

#endif
