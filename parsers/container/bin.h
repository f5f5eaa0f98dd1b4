/* bin.h - the container format of visualize_data.bin: a sequence of blocks
 *
 * The file has no header, no block count and no checksum. The head of the first block
 * serves as the magic, so a file starts with BIN_TRACE or BIN_BASIC_INFO. A block is a
 * head of 12 bytes (0 u64 size including filler, 8 u8 type, 9 u8 filler, 10 u8 0x5A,
 * 11 u8 0x5A) and a payload. A payload is never empty and is padded with zeros to a
 * multiple of 4. */
#ifndef PARSERS_CONTAINER_BIN_H
#define PARSERS_CONTAINER_BIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"

enum bin_type {
    BIN_CODE = 0x01,
    BIN_TRACE = 0x02,
    BIN_FILES = 0x03,
    BIN_INSTRUCTIONS = 0x04,
    BIN_BASIC_INFO = 0x05,
    BIN_WORKLOAD_CHART = 0x06,
    BIN_WORKLOAD_TABLE = 0x07,
    BIN_MEMORY_MAP = 0x08,
    BIN_MEMORY_TABLE = 0x09,
    BIN_MEMORY_RECORDS = 0x0A, /* 0x0A and 0x0B belong to a proof of concept; */
    BIN_CACHE_SETS = 0x0B,     /* no released viewer reads them */
    BIN_OCCUPANCY = 0x0C,
    BIN_ROOFLINE = 0x0D,
    BIN_CACHELINES = 0x0E,
    BIN_STALLS = 0x0F,
    BIN_TYPE_END, /* the first number without a type */
};

enum {
    BIN_HEAD_BYTES = 12,
    BIN_CODE_PATH_BYTES = 4096, /* path area in front of the payload of BIN_CODE */
    BIN_MAGIC = 0x5A,
    BIN_PATH_MAX = 500,      /* longest path that the viewer accepts in a request */
    BIN_CODE_MAX = 10 << 20, /* bytes of one source file */
    BIN_PROBLEM_BYTES = 120, /* room for the text that bin_next() writes */
};

/* Appends a block of any type except BIN_CODE. The payload must not be empty. */
void bin_add(struct text *out, enum bin_type type, const struct text *payload);
/* Do the same without a copy of the payload: begin, append the payload, end.
 * bin_begin() returns where the payload starts. */
size_t bin_begin(struct text *out);
void bin_end(struct text *out, enum bin_type type, size_t payload_at);
/* Appends a source file. Returns false, and adds nothing, when the viewer would reject
 * the path or the text. */
bool bin_add_code(struct text *out, const char *path, const struct text *payload);
/* Returns the English name of a type, or NULL for a type outside the format. */
const char *bin_type_name(unsigned type);

/* One block of a file in memory. The pointers point into that file. */
struct bin_block {
    size_t index;    /* from 0 */
    uint64_t offset; /* of the head, in the file */
    unsigned type;
    uint64_t content_size; /* from the head: payload and filler */
    unsigned filler;
    uint8_t version, reserved; /* bytes 10 and 11 */
    const uint8_t *path;       /* of a code block: 4096 bytes; otherwise NULL */
    const uint8_t *payload;
    size_t size; /* of the payload, without the filler */
};

/* Reads the head of a block: index, offset, type, sizes and the two bytes behind them.
 * `left` counts the bytes of the file behind the head. Returns false, and describes the
 * damage, when the block is larger. */
bool bin_read_head(const uint8_t head[BIN_HEAD_BYTES],
                   uint64_t left,
                   struct bin_block *block,
                   char problem[BIN_PROBLEM_BYTES]);
/* Reads the block at *at and moves *at behind it. Returns false at the end of the file,
 * and where the next block is damaged. `problem` then describes the damage; at a
 * regular end it is "". */
bool bin_next(const uint8_t *bytes,
              size_t size,
              size_t *at,
              size_t index,
              struct bin_block *block,
              char problem[BIN_PROBLEM_BYTES]);

#endif
