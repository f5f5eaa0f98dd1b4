/* format.h - the bytes of a capture: chunks, string tables, blocks
 *
 * A capture is a run of chunks of 16 bytes head, content, and zeros up to a multiple
 * of 16. A group is one string table and the blocks whose texts stand in it:
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
 * All little endian. Any two captures joined are a capture. libc only. */
#ifndef LIB_CAPTURE_FORMAT_FORMAT_H
#define LIB_CAPTURE_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CAPTURE_GROUP_MAX = 1024 * 1024,   /* a group with its table */
    CAPTURE_BLOCK_TARGET = 256 * 1024, /* a block is ended when it gets there */
    CAPTURE_CHUNK_HEAD = 16,
    CAPTURE_BLOCK_HEAD = 96, /* from the start of the chunk to the payload */
    CAPTURE_BINDING = 42,    /* letters of text 1 of a table */
};

enum capture_chunk_type {
    CAPTURE_CHUNK_TABLE = 0x0001,
    CAPTURE_CHUNK_DATA = 0xffff,
};

enum capture_flag {
    CAPTURE_LAST = 1,     /* the shard's last block */
    CAPTURE_SALVAGED = 2, /* written again from a damaged capture */
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

/* Up to the next multiple of 16. */
static inline uint64_t capture_padded(uint64_t size)
{
    return (size + 15) & ~(uint64_t)15;
}

/* The head of a block as it is meant; texts by their number in the table. */
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
    uint16_t record_size; /* 0: each record starts with a u32 length of the whole */
    uint32_t dropped;
    uint32_t table;
    uint32_t payload_crc;
    uint64_t payload_bytes;
};

void capture_chunk_encode(uint8_t out[16], uint16_t type, uint64_t content_bytes);
void capture_block_encode(uint8_t out[CAPTURE_BLOCK_HEAD],
                          const struct capture_block_head *head);
/* False unless magic, lengths and CRC of the head are good; 96 bytes are read. */
bool capture_block_decode(struct capture_block_head *head,
                          const uint8_t bytes[CAPTURE_BLOCK_HEAD]);

/* Content bytes of a string table of these texts, padding not counted. */
size_t capture_strings_size(const char *const *texts, size_t count);
void capture_strings_encode(uint8_t *out, const char *const *texts, size_t count);

/* A string table in memory; borrows it. */
struct capture_strings {
    const uint8_t *content;
    size_t content_bytes;
    uint32_t count;
};

/* False when the count does not fit the content. Texts are checked when asked for. */
bool capture_strings_init(struct capture_strings *strings,
                          const uint8_t *content,
                          uint64_t content_bytes);
/* Text 0 is "" whatever is stored; NULL for what is not whole inside the table. */
const char *capture_strings_get(const struct capture_strings *strings, uint32_t id);

/* Text 1: which table of which shard this is; its digits of the CRC are zeros first. */
void capture_binding_format(char out[CAPTURE_BINDING + 1],
                            uint32_t shard,
                            uint32_t table,
                            uint32_t crc);
/* The CRC of a table with the digits of its own CRC taken for zeros; the table must
 * have a text 1 of the right shape, else false. `crc_good` tells if they agree. */
bool capture_binding_read(const struct capture_strings *strings,
                          uint32_t *shard,
                          uint32_t *table,
                          bool *crc_good);

#endif
