/* capture_reader_internal.h - scans a capture once: its blocks and its problems
 *
 * A damaged block may have lost or gained bytes. When a valid chunk follows at the
 * expected end of the block, only the payload is damaged. Otherwise the scan searches
 * for the next valid head at every byte after the head of this block. */
#ifndef LIB_CAPTURE_CAPTURE_READER_INTERNAL_H
#define LIB_CAPTURE_CAPTURE_READER_INTERNAL_H

#include "lib/capture/capture_reader.h"

enum { SCAN_PROBLEMS_MAX = 1000 };

struct scan_entry {
    struct capture_block block;
    uint64_t table_offset; /* of its string table; UINT64_MAX when it is damaged */
    uint64_t end;          /* of its chunk, including the padding that is present */
    bool hidden;           /* a copy, or one of several contents */
    bool is_doubtful;      /* damage follows: its group may have had more blocks */
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

    /* the last string table before the position */
    struct capture_strings strings;
    uint64_t table_offset;
    uint32_t table_shard;
    uint32_t table_number;
    bool has_table;
    uint64_t work_left; /* bytes that the scan may still check without success */
};

void scan_run(struct scan *scan, const void *bytes, size_t size);
void scan_clear(struct scan *scan);
void scan_problem(struct scan *scan,
                  enum capture_problem_kind kind,
                  uint64_t offset,
                  uint64_t bytes,
                  const struct capture_block_head *head, /* NULL: unknown */
                  uint32_t count,
                  const char *fmt,
                  ...) __attribute__((format(printf, 7, 8)));

/* Returns the number of complete records in `bytes` bytes; *taken is their size. */
uint32_t scan_whole_records(const struct capture_block_head *head,
                            const uint8_t *payload,
                            uint64_t bytes,
                            size_t *taken);

#endif
