/* code_hot_spots.h - executions, bytes and stalls by source line and code address
 *
 * Joins the debug information with the counts of basic blocks, the transfers, and on a
 * 950 the PC samples and live registers. A place is a range of the line table, or a
 * single address of a transfer, sample or register list: without a disassembler the
 * length of an instruction is unknown. */
#ifndef PARSERS_CODE_CODE_HOT_SPOTS_H
#define PARSERS_CODE_CODE_HOT_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/records/pc_samples.h"

struct code_blocks;
struct code_map;
struct memory_detail;
struct live_registers;

struct hot_work {
    uint64_t executed; /* executions; for a line the sum over its places */
    uint64_t gm_bytes; /* 0: no transfer in main memory */
    uint64_t hits, misses;
    uint64_t registers; /* live registers; for a line the maximum */
    uint64_t stalls[STALLS];
};

struct hot_range {
    uint64_t from, to; /* to is after the last byte */
};

struct hot_line {
    const char *file; /* owned by the code map */
    uint32_t line;
    struct hot_range *ranges;
    size_t range_count;
    struct hot_work work;
};

struct hot_place {
    uint64_t address, end; /* end is after the last byte */
    const char *file;      /* NULL: not known */
    uint32_t line;
    const char *function; /* NULL: not known */
    bool is_transfer;
    uint8_t from, to; /* enum transfer_memory, for a transfer */
    bool has_registers;
    size_t register_line; /* index in the list of live registers */
    struct hot_work work;
};

struct code_hot_spots {
    struct hot_line *lines; /* by file, then line */
    size_t line_count;
    struct hot_place *places; /* by address */
    size_t place_count;
    bool has_counts, has_memory, has_cache, has_registers, has_samples;
    uint64_t stall_totals[STALLS]; /* of the whole kernel */
    size_t unknown_samples;        /* samples outside the kernel's code */
};

/* each may be NULL */
struct hot_sources {
    const struct code_blocks *blocks;
    const struct memory_detail *memory;
    const struct pc_samples *samples;
    const struct live_registers *registers;
};

void code_hot_spots_find(struct code_hot_spots *spots,
                         struct code_map *map,
                         const struct hot_sources *sources,
                         uint64_t pc_start);
void code_hot_spots_clear(struct code_hot_spots *spots);

#endif
