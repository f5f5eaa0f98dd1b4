/* memory_detail.h - sums of the transfers of an instrumented launch
 *
 * By block and path, by program counter, and by set of a model of the L2 cache. */
#ifndef PARSERS_METRICS_MEMORY_DETAIL_H
#define PARSERS_METRICS_MEMORY_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/transfers/transfer_reader.h"

enum { DETAIL_PATHS = MEMORY_KINDS * MEMORY_KINDS };

/* transfers of one program counter */
struct detail_pc {
    uint64_t pc;
    uint64_t transfers;
    uint64_t gm_bytes; /* bytes of the sides in GM */
    uint64_t hits, misses;
    uint8_t from, to; /* memories of the first transfer */
};

/* accesses to one set of the cache */
struct detail_set {
    uint64_t hits, misses;
    uint64_t loads, stores, written_back, dropped; /* last two: evicted lines */
    /* bit n: row n of `pcs`, with `set_words` words; NULL: no bit */
    const uint64_t *hit_pcs, *miss_pcs;
};

/* transfers on one path; a request has 128 or 256 bytes, rounded up per transfer */
struct detail_path {
    uint64_t bytes; /* of the source */
    uint64_t requests_128, requests_256;
};
struct detail_block {
    struct detail_path paths[DETAIL_PATHS]; /* index: from * MEMORY_KINDS + to */
    struct detail_path l1_to_ub[2];         /* on a 950: from the cube, by vector */
};

struct memory_detail {
    struct detail_pc *pcs; /* sorted by pc */
    size_t pc_count;
    struct detail_block *blocks; /* index: block number */
    size_t block_count;
    struct detail_set *sets; /* NULL: no cache model of this chip */
    size_t set_count;
    uint64_t *set_bits; /* to which the sets point */
    size_t set_words;
    size_t untracked_pcs; /* rows of `pcs` that have no bit in the sets */
    uint64_t transfers, records, lost, too_large, contradictory, unread_bytes;
    bool model_stopped; /* the cache model reached its limit of lines */
};

struct memory_detail_builder;

/* Starts the sums and initialises `reader`. Read parts, packets or the chart with it,
 * then finish, which destroys the builder. */
struct memory_detail_builder *memory_detail_begin(const char *soc,
                                                  struct transfer_reader *reader);
void memory_detail_finish(struct memory_detail_builder **builder,
                          struct memory_detail *out);
void memory_detail_clear(struct memory_detail *detail);

/* Returns the row of a program counter, or NULL. */
const struct detail_pc *memory_detail_at(const struct memory_detail *detail,
                                         uint64_t pc);
/* Return zeros when nothing was moved. */
struct detail_path memory_detail_path(const struct memory_detail *detail,
                                      uint32_t block,
                                      enum transfer_memory from,
                                      enum transfer_memory to);
struct detail_path memory_detail_l1_to_ub(const struct memory_detail *detail,
                                          uint32_t block,
                                          unsigned vector);

#endif
