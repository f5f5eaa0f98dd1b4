/* memory_detail.h - what an instrumented launch moved: by block, by program counter,
 * and through a model of the L2 cache */
#ifndef PARSERS_METRICS_MEMORY_DETAIL_H
#define PARSERS_METRICS_MEMORY_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/transfers/transfer_reader.h"

enum { DETAIL_PATHS = MEMORY_KINDS * MEMORY_KINDS };

/* of one program counter */
struct detail_pc {
    uint64_t pc;
    uint64_t transfers;
    uint64_t gm_bytes; /* on the side that is in GM */
    uint64_t hits, misses;
    uint8_t from, to; /* memories of the first of its transfers */
};

/* of one set of the cache */
struct detail_set {
    uint64_t hits, misses;
    uint64_t loads, stores, written_back, dropped; /* the last two: lines that left */
    uint64_t *hit_pcs, *miss_pcs; /* bits: which rows of the table of counters */
};

/* By from x MEMORY_KINDS + to. Requests: each transfer in pieces of so many bytes. */
struct detail_path {
    uint64_t bytes; /* of the source */
    uint64_t requests_128, requests_256;
};
struct detail_block {
    struct detail_path paths[DETAIL_PATHS];
    struct detail_path l1_to_ub[2]; /* of a 950's cube: to which of its vectors */
};

struct memory_detail {
    struct detail_pc *pcs; /* by counter */
    size_t pc_count;
    struct detail_block *blocks; /* by number */
    size_t block_count;
    struct detail_set *sets; /* NULL: no model of this chip */
    size_t set_count;
    size_t untracked_pcs; /* counters that no set names: there are too many */
    uint64_t transfers, records, lost, too_large, contradictory, unread_bytes;
    bool model_stopped; /* the model stopped: more lines than there is time for */
};

struct memory_detail_builder;

/* Parts of the buffer, packets or the chart are read with the reader; then finish. */
struct memory_detail_builder *memory_detail_begin(const char *soc,
                                                  struct transfer_reader *reader);
void memory_detail_finish(struct memory_detail_builder **builder,
                          struct memory_detail *out);
void memory_detail_clear(struct memory_detail *detail);

/* NULL: nothing was moved there. */
const struct detail_pc *memory_detail_at(const struct memory_detail *detail,
                                         uint64_t pc);
/* All 0 where nothing was moved. */
struct detail_path memory_detail_path(const struct memory_detail *detail,
                                      uint32_t block,
                                      enum transfer_memory from,
                                      enum transfer_memory to);
struct detail_path memory_detail_l1_to_ub(const struct memory_detail *detail,
                                          uint32_t block,
                                          unsigned vector);

#endif
