/* capture_reader_internal.h - one pass over a capture: the blocks it finds, and what is
 * wrong; for reader.c
 *
 * A block whose payload is bad may have lost or won bytes. When a good chunk stands
 * where the block should end, only its inside was damaged; otherwise the search for the
 * next good head goes on at every byte behind its own head. */
#ifndef LIB_CAPTURE_CAPTURE_READER_INTERNAL_H
#define LIB_CAPTURE_CAPTURE_READER_INTERNAL_H

#include "lib/capture/capture_reader.h"

enum { SCAN_PROBLEMS_MAX = 1000 };

struct scan_entry {
    struct capture_block block;
    uint64_t table_offset; /* of its string table; UINT64_MAX when that is bad */
    uint64_t end;          /* of its chunk with the padding that is there */
    bool hidden;           /* a copy, or contradicted */
    bool is_doubtful;      /* what follows is damaged: its group may have had more */
};

struct scan {
    const uint8_t *bytes;
    size_t size;
    struct scan_entry *entries;
    size_t count;
    size_t room;
    struct capture_problem *problems;
    size_t problem_count;
    struct capture_counts counts;

    /* the string table that applies */
    struct capture_strings strings;
    uint64_t table_offset;
    uint32_t table_shard;
    uint32_t table_number;
    bool has_table;
    uint64_t work_left; /* bytes that may still be checked in vain */
};

void scan_run(struct scan *scan, const void *bytes, size_t size);
void scan_clear(struct scan *scan);
void scan_problem(struct scan *scan,
                  enum capture_problem_kind kind,
                  uint64_t offset,
                  uint64_t bytes,
                  const struct capture_block_head *head, /* NULL: not known */
                  uint32_t count,
                  const char *fmt,
                  ...) __attribute__((format(printf, 7, 8)));

/* How many whole records stand in so many bytes, and how many bytes they take. */
uint32_t scan_whole_records(const struct capture_block_head *head,
                            const uint8_t *payload,
                            uint64_t bytes,
                            size_t *taken);

#endif
