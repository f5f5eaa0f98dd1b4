/* writer.h - builds groups of a capture in a buffer of the caller
 *
 * The caller puts records one by one. The writer starts a new block when the kind of
 * record changes or the block is large enough. When the group is full, finish it, send
 * it, and continue:
 *
 *   while (capture_put(&writer, kind, record, size, now_ns) == CAPTURE_PUT_FULL) {
 *       capture_writer_finish(&writer, &bytes, &size);
 *       ... send or write the bytes, which are valid until the next put ...
 *   }
 *
 * The number of a group in its shard is the number of its string table: the n-th
 * finished group of a shard has number n, from 0. This module uses libc only and
 * allocates no memory. */
#ifndef LIB_CAPTURE_FORMAT_WRITER_H
#define LIB_CAPTURE_FORMAT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/format.h"

enum { CAPTURE_TEXTS_MAX = 48, CAPTURE_TEXT_BYTES = 3072 };

enum capture_put {
    CAPTURE_PUT_DONE,
    CAPTURE_PUT_FULL, /* nothing was written; finish the group and put again */
    CAPTURE_PUT_BAD,  /* unknown kind, wrong size, or too large for a group */
};

/* A member of the caller's struct. All members are private. */
struct capture_writer {
    uint8_t *buffer;
    size_t room;
    size_t used;
    size_t block_at; /* offset of the open block */
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

/* Borrows the buffer: at least 16 KiB, of which at most CAPTURE_GROUP_MAX bytes are
 * used. `group` and `block` are the first numbers; 0 for a new shard. */
void capture_writer_init(struct capture_writer *writer,
                         void *buffer,
                         size_t size,
                         uint64_t run_id,
                         uint32_t shard,
                         uint32_t group,
                         uint32_t block);

/* Appends a record of records.h. `size` must be right for the kind; a record of
 * variable size starts with its u32 length. `time_ns` 0 does not change the time range
 * of the block. */
enum capture_put capture_put(struct capture_writer *writer,
                             unsigned kind,
                             const void *record,
                             size_t size,
                             uint64_t time_ns);
/* Appends a record of any type. `metadata` is a text `key=value;...` or ""; record_size
 * 0 means a variable size. */
enum capture_put capture_put_typed(struct capture_writer *writer,
                                   const char *type,
                                   const char *metadata,
                                   size_t record_size,
                                   const void *record,
                                   size_t size,
                                   uint64_t time_ns);
/* Appends a complete block of another capture with its number, times and flags. */
enum capture_put capture_put_block(struct capture_writer *writer,
                                   const struct capture_block_head *head,
                                   const char *type,
                                   const char *metadata,
                                   const void *payload);

/* Counts records that were lost before this writer. The head of the next finished block
 * stores the count. */
void capture_writer_dropped(struct capture_writer *writer, uint32_t count);
/* Marks the open block as the last of the shard. Returns false when none is open. */
bool capture_writer_mark_last(struct capture_writer *writer);

/* Returns the bytes of the group if it were finished now. The worker sends a group at
 * 1 MiB or after 200 ms. */
size_t capture_writer_bytes(const struct capture_writer *writer);
uint32_t capture_writer_blocks(const struct capture_writer *writer);
/* Returns the number of the group that is being built. */
uint32_t capture_writer_group(const struct capture_writer *writer);

/* Ends the group. Returns false when the group is empty. The bytes are in the buffer
 * until the next put. */
bool capture_writer_finish(struct capture_writer *writer,
                           const void **bytes,
                           size_t *size);

#endif
