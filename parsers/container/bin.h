/* bin.h - the container of visualize_data.bin: blocks one behind the other
 *
 * No file header, no count, no checksum: the header of the first block is the magic, so
 * a file starts with BIN_TRACE or BIN_BASIC_INFO. A block is a head of 12 bytes
 * (0 u64 size with the filler, 8 u8 type, 9 u8 filler, 10 u8 0x5A, 11 u8 0x5A) and a
 * payload that is never empty, filled with zeros up to a multiple of 4. */
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
    BIN_MEMORY_RECORDS = 0x0A, /* this and the next: of a proof of concept, */
    BIN_CACHE_SETS = 0x0B,     /* which no viewer of today reads */
    BIN_OCCUPANCY = 0x0C,
    BIN_ROOFLINE = 0x0D,
    BIN_CACHELINES = 0x0E,
    BIN_STALLS = 0x0F,
};

enum {
    BIN_HEAD_BYTES = 12,
    BIN_CODE_PATH_BYTES = 4096,
    BIN_MAGIC = 0x5A,
    BIN_PATH_MAX = 500,      /* letters that a reader takes in a request */
    BIN_CODE_MAX = 10 << 20, /* bytes of one file of source code */
};

/* Any type but BIN_CODE, which has a path in front. The payload is not empty. */
void bin_add(struct text *out, enum bin_type type, const struct text *payload);
/* A file of source code. False, and nothing added: the path or the text cannot be. */
bool bin_add_code(struct text *out, const char *path, const struct text *payload);
/* As people call it; NULL for a type that the format does not have. */
const char *bin_type_name(unsigned type);

#endif
