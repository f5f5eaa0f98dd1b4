/* code_hot_spots.h - what each line of the source, and each place in the code, has done
 *
 * Out of the binary, the counts of its basic blocks, what its transfers moved, and of a
 * 950 its samples and registers. A place in the code is a piece of the line table, or
 * an address that one of the others names: how long an instruction is only a
 * disassembler of that machine knows. */
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
    uint64_t executed; /* times; of a line the sum over its pieces */
    uint64_t gm_bytes; /* 0: nothing */
    uint64_t hits, misses;
    uint64_t registers; /* in use; of a line the most */
    uint64_t stalls[STALLS];
};

struct hot_range {
    uint64_t from, to; /* behind its last byte */
};

struct hot_line {
    const char *file; /* the map's */
    uint32_t line;
    struct hot_range *ranges;
    size_t range_count;
    struct hot_work work;
};

struct hot_place {
    uint64_t address, end; /* behind its last byte */
    const char *file;      /* NULL: not known */
    uint32_t line;
    const char *function; /* NULL: not known */
    bool is_transfer;
    uint8_t from, to; /* memories, of a transfer */
    bool has_registers;
    size_t register_line; /* of the list of registers */
    struct hot_work work;
};

struct code_hot_spots {
    struct hot_line *lines; /* by file, then line */
    size_t line_count;
    struct hot_place *places; /* by address */
    size_t place_count;
    bool has_counts, has_memory, has_cache, has_registers, has_samples;
    uint64_t stall_totals[STALLS]; /* in all of the kernel */
    size_t unknown_samples;        /* of places that are no code of it */
};

/* Any may be NULL. */
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
