/* capture_reader.h - what is whole in a capture, however damaged it is
 *
 * The whole span is looked through once, when the reader is created: every block is
 * verified by its CRCs before it is shown, a damaged one is a problem with its number.
 * Behind damage the search goes on at every byte. Foreign chunks are counted and
 * skipped. Copies of a block are shown once; blocks that contradict each other never.
 *
 * A torn tail gives the whole records that are there, in a block that is not
 * `verified`. Where the string table is bad a block has its ids, and texts "".
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
    uint64_t offset;      /* of its chunk in the span */
    const char *type;     /* "" when the table is bad: see head.type_text */
    const char *metadata; /* "" when there is none */
    bool has_texts;
    bool verified;          /* false: the torn tail */
    const uint8_t *payload; /* may stand unaligned: copy records out of it */
    size_t payload_bytes;   /* of whole records */
    uint32_t records;       /* that are here; head.records were written */
};

struct capture_group {
    uint64_t run_id;
    uint32_t shard;
    uint32_t number; /* of its string table */
    uint64_t offset;
    const uint8_t *bytes;
    size_t size; /* a multiple of 16 unless the last padding is cut off */
    uint32_t blocks;
};

enum capture_problem_kind {
    CAPTURE_BAD_BYTES,     /* nothing that a capture has; skipped */
    CAPTURE_BAD_TABLE,     /* CRC of a string table */
    CAPTURE_BAD_BLOCK,     /* CRC of a block's payload, or a count that cannot be */
    CAPTURE_TORN,          /* the capture ends inside a block */
    CAPTURE_CONTRADICTION, /* one number, two contents: neither is shown */
    CAPTURE_GAP,           /* numbers are missing */
    CAPTURE_NO_TABLE,      /* a block whose string table is not before it */
};

struct capture_problem {
    enum capture_problem_kind kind;
    uint64_t offset;
    uint64_t bytes;  /* of what was skipped */
    uint64_t run_id; /* 0: not known */
    uint32_t shard;
    uint32_t block; /* first one, of a gap */
    uint32_t count; /* blocks of a gap, records lost of a torn block */
    char text[120];
};

struct capture_counts {
    uint64_t blocks;     /* that are shown */
    uint64_t records;    /* in them */
    uint64_t dropped;    /* by the producers, as the blocks say */
    uint64_t tables;     /* good ones */
    uint64_t duplicates; /* copies left out */
    uint64_t foreign;    /* chunks of others */
    uint64_t foreign_bytes;
    uint64_t skipped_bytes; /* that were nothing */
    uint64_t problems;      /* all; only the first 1000 are kept to be read */
};

struct capture_reader *capture_reader_create(const void *bytes, size_t size);
/* Maps the file; it must not shrink while the reader lives. */
int capture_reader_open(struct capture_reader **out, const char *path, struct err *err);
void capture_reader_destroy(struct capture_reader *reader); /* NULL is welcome */

/* Blocks in the order of the file, or, once asked for, by (run, shard, number). */
bool capture_reader_next(struct capture_reader *reader, struct capture_block *block);
void capture_reader_rewind(struct capture_reader *reader);
void capture_reader_sort(struct capture_reader *reader);

/* Whole groups in the order of the file: start with *cursor = 0. A block that is not
 * in a whole group (its table or a neighbour is bad) is in none. */
bool capture_reader_next_group(const struct capture_reader *reader,
                               size_t *cursor,
                               struct capture_group *group);

const struct capture_counts *capture_reader_counts(const struct capture_reader *reader);
/* NULL behind the last one. */
const struct capture_problem *
capture_reader_problem(const struct capture_reader *reader, size_t index);
const char *capture_problem_name(enum capture_problem_kind kind);

/* The records of a block: start with *at = 0. */
bool capture_record_next(const struct capture_block *block,
                         size_t *at,
                         const uint8_t **record,
                         size_t *size);

/* One group as a sender says it is: a good table, then good blocks in a row, all of
 * this run and shard, nothing else. Tells shard and block of what is wrong. */
int capture_group_check(const void *bytes,
                        size_t size,
                        uint64_t run_id,
                        uint32_t shard,
                        uint32_t number,
                        struct err *err);

/* Writes the verified blocks of `path` to `out`: whole groups as they are, the rest in
 * groups with CAPTURE_SALVAGED. counts->blocks: how many those are. */
int capture_salvage(const char *path,
                    const char *out,
                    struct capture_counts *counts,
                    struct err *err);

#endif
