/* format.h - byte layout of a capture: chunks, string tables, blocks
 *
 * A capture is a sequence of chunks. A chunk has a head of 16 bytes, the content, and
 * zeros up to a multiple of 16. A group is one string table, followed by the blocks
 * that use its texts:
 *
 *   chunk head   0 "IIDB"  4 u16 type  6 u16 version 0  8 u64 content length
 *   string table 0 u32 0  4 u32 count  8 count x {u64 offset, u64 length}, the bytes;
 *                text 0 is empty, text 1 names shard, table and CRC; 8 zeros at the end
 *   block        0 u32 type text  4 u32 metadata text  8 u64 0, then 64 bytes:
 *                0 "CAPB"  4 u16 64  6 u16 flags  8 u64 run  16 u32 shard
 *                20 u32 block  24 u64 first ns  32 u64 last ns  40 u32 records
 *                44 u16 record size  46 u16 0  48 u32 dropped  52 u32 table
 *                56 u32 CRC of the payload  60 u32 CRC of the 92 bytes before
 *                then the payload
 *
 * All integers are little endian. Two captures in one file, one after the other, are
 * a valid capture. This module uses libc only. */
#ifndef LIB_CAPTURE_FORMAT_FORMAT_H
#define LIB_CAPTURE_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CAPTURE_GROUP_MAX = 1024 * 1024,   /* bytes of a group with its string table */
    CAPTURE_BLOCK_TARGET = 256 * 1024, /* bytes at which the writer ends a block */
    CAPTURE_CHUNK_HEAD = 16,
    CAPTURE_BLOCK_HEAD = 96, /* from the start of the chunk to the payload */
    CAPTURE_BINDING = 42,    /* length of text 1 of a table */
};

enum capture_chunk_type {
    CAPTURE_CHUNK_TABLE = 0x0001,
    CAPTURE_CHUNK_DATA = 0xffff,
};

enum capture_flag {
    CAPTURE_LAST = 1,     /* the last block of the shard */
    CAPTURE_SALVAGED = 2, /* copied from a damaged capture */
};

static inline uint16_t load_u16(const void *at)
{
    const uint8_t *b = at;

    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t load_u32(const void *at)
{
    return load_u16(at) | (uint32_t)load_u16((const uint8_t *)at + 2) << 16;
}

static inline uint64_t load_u64(const void *at)
{
    return load_u32(at) | (uint64_t)load_u32((const uint8_t *)at + 4) << 32;
}

static inline void store_u16(void *at, uint16_t value)
{
    uint8_t *b = at;

    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
}

static inline void store_u32(void *at, uint32_t value)
{
    store_u16(at, (uint16_t)value);
    store_u16((uint8_t *)at + 2, (uint16_t)(value >> 16));
}

static inline void store_u64(void *at, uint64_t value)
{
    store_u32(at, (uint32_t)value);
    store_u32((uint8_t *)at + 4, (uint32_t)(value >> 32));
}

/* Rounds up to a multiple of 16. */
static inline uint64_t capture_padded(uint64_t size)
{
    return (size + 15) & ~(uint64_t)15;
}

/* Decoded head of a block; texts are numbers of texts in the string table. */
struct capture_block_head {
    uint32_t type_text;
    uint32_t metadata_text;
    uint16_t flags;
    uint64_t run_id;
    uint32_t shard;
    uint32_t number;
    uint64_t first_ns;
    uint64_t last_ns;
    uint32_t records;
    uint16_t record_size; /* 0: each record starts with its u32 length */
    uint32_t dropped;
    uint32_t table;
    uint32_t payload_crc;
    uint64_t payload_bytes;
};

void capture_chunk_encode(uint8_t out[16], uint16_t type, uint64_t content_bytes);
void capture_block_encode(uint8_t out[CAPTURE_BLOCK_HEAD],
                          const struct capture_block_head *head);
/* Reads 96 bytes. Returns false unless magic, lengths and CRC of the head are valid. */
bool capture_block_decode(struct capture_block_head *head,
                          const uint8_t bytes[CAPTURE_BLOCK_HEAD]);

/* Returns the content bytes of a string table with these texts, without padding. */
size_t capture_strings_size(const char *const *texts, size_t count);
void capture_strings_encode(uint8_t *out, const char *const *texts, size_t count);

/* A string table in memory that the caller owns. */
struct capture_strings {
    const uint8_t *content;
    size_t content_bytes;
    uint32_t count;
};

/* Returns false when the count does not fit the content. capture_strings_get() checks
 * the texts. */
bool capture_strings_init(struct capture_strings *strings,
                          const uint8_t *content,
                          uint64_t content_bytes);
/* Returns "" for text 0, and NULL for a text that does not lie within the table. */
const char *capture_strings_get(const struct capture_strings *strings, uint32_t id);

/* Writes text 1: shard, table and CRC. The CRC is computed with zeros for its own
 * digits. */
void capture_binding_format(char out[CAPTURE_BINDING + 1],
                            uint32_t shard,
                            uint32_t table,
                            uint32_t crc);
/* Reads text 1. Returns false when its form is wrong. Sets *crc_good when the CRC of
 * the table is right. */
bool capture_binding_read(const struct capture_strings *strings,
                          uint32_t *shard,
                          uint32_t *table,
                          bool *crc_good);

#endif
