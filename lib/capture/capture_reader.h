/* capture_reader.h - reads the intact blocks of a capture, which may be damaged
 *
 * The reader scans all bytes once, when it is created. It verifies each block by its
 * CRCs, and reports a damaged block as a problem with its number. After damage it
 * searches for the next chunk at every byte. It counts and skips chunks of other
 * formats. It returns one of several copies of a block. Of blocks with the same number
 * and different contents it returns none.
 *
 * A capture that ends inside a block gives the complete records of that block, with
 * `verified` false. A block whose string table is damaged has its ids, and texts "".
 *
 * The reader borrows the span; all pointers point into it. */
#ifndef LIB_CAPTURE_CAPTURE_READER_H
#define LIB_CAPTURE_CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/capture/format/format.h"

struct capture_reader;

struct capture_block {
    struct capture_block_head head;
    uint64_t offset;      /* of its chunk in the capture */
    const char *type;     /* "" when the table is damaged; then see head.type_text */
    const char *metadata; /* "" when there is none */
    bool has_texts;
    bool verified;          /* false: the capture ends inside the block */
    const uint8_t *payload; /* may be unaligned; copy records before use */
    size_t payload_bytes;   /* of complete records */
    uint32_t records;       /* complete ones; the producer wrote head.records */
};

struct capture_group {
    uint64_t run_id;
    uint32_t shard;
    uint32_t number; /* number of its string table */
    uint64_t offset;
    const uint8_t *bytes;
    size_t size; /* a multiple of 16 unless the last padding is cut off */
    uint32_t blocks;
};

enum capture_problem_kind {
    CAPTURE_BAD_BYTES,     /* bytes of no known chunk; skipped */
    CAPTURE_BAD_TABLE,     /* wrong CRC of a string table */
    CAPTURE_BAD_BLOCK,     /* wrong CRC of the payload, or wrong count of records */
    CAPTURE_TORN,          /* the capture ends inside a block */
    CAPTURE_CONTRADICTION, /* same number, different contents: none is returned */
    CAPTURE_GAP,           /* block numbers are missing */
    CAPTURE_NO_TABLE,      /* a block without its string table before it */
};

struct capture_problem {
    enum capture_problem_kind kind;
    uint64_t offset;
    uint64_t bytes;  /* number of skipped bytes */
    uint64_t run_id; /* 0: unknown */
    uint32_t shard;
    uint32_t block; /* of a gap: the first missing one */
    uint32_t count; /* missing blocks of a gap, or lost records of a torn block */
    char text[120];
};

struct capture_counts {
    uint64_t blocks;     /* blocks that the reader returns */
    uint64_t records;    /* records in these blocks */
    uint64_t dropped;    /* records that the producers dropped, from the block heads */
    uint64_t tables;     /* valid string tables */
    uint64_t duplicates; /* copies that are not returned */
    uint64_t foreign;    /* chunks of other formats */
    uint64_t foreign_bytes;
    uint64_t skipped_bytes; /* bytes of no known chunk */
    uint64_t problems;      /* all; the reader stores the first 1000 */
};

struct capture_reader *capture_reader_create(const void *bytes, size_t size);
/* Maps the file, which must not shrink before capture_reader_destroy(). */
int capture_reader_open(struct capture_reader **out, const char *path, struct err *err);
void capture_reader_destroy(struct capture_reader *reader); /* NULL is allowed */

/* Returns the blocks in file order; after capture_reader_sort(), by run, shard and
 * number. */
bool capture_reader_next(struct capture_reader *reader, struct capture_block *block);
void capture_reader_rewind(struct capture_reader *reader);
void capture_reader_sort(struct capture_reader *reader);

/* Returns the intact groups in file order. Start with *cursor = 0. A group with a
 * damaged table or block is not returned. */
bool capture_reader_next_group(const struct capture_reader *reader,
                               size_t *cursor,
                               struct capture_group *group);

const struct capture_counts *capture_reader_counts(const struct capture_reader *reader);
/* Returns NULL when index is not below the number of stored problems. */
const struct capture_problem *
capture_reader_problem(const struct capture_reader *reader, size_t index);
const char *capture_problem_name(enum capture_problem_kind kind);

/* Returns the records of a block. Start with *at = 0. */
bool capture_record_next(const struct capture_block *block,
                         size_t *at,
                         const uint8_t **record,
                         size_t *size);

/* Checks a received group: a valid table, then valid blocks in order, all of this run
 * and shard, and no other bytes. The error names the shard and the block. */
int capture_group_check(const void *bytes,
                        size_t size,
                        uint64_t run_id,
                        uint32_t shard,
                        uint32_t number,
                        struct err *err);

/* Writes the verified blocks of `path` to `out`: intact groups unchanged, the other
 * blocks in new groups with the flag CAPTURE_SALVAGED. counts->blocks counts them. */
int capture_salvage(const char *path,
                    const char *out,
                    struct capture_counts *counts,
                    struct err *err);

#endif
