/* pc_samples.h - reads pcSampling.bin of a 950: stall reasons of warps by instruction
 *
 * A sample has bits 26 to 3 of a program counter, and nine counters. */
#ifndef PARSERS_RECORDS_PC_SAMPLES_H
#define PARSERS_RECORDS_PC_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/records/core_container.h"

enum stall {
    STALL_IBUF_EMPTY,
    STALL_NOP_CYCLES,
    STALL_SCOREBOARD,
    STALL_REGISTER_BANK,
    STALL_RESOURCE,
    STALL_WARP_SYNC,
    STALL_DIVERGENCE,
    STALL_OTHERS,
    STALL_ACTIVE, /* no stall: an instruction was issued */
    STALLS,
};

struct pc_sample {
    uint64_t pc; /* from the start of the kernel */
    uint64_t counts[STALLS];
};

struct pc_samples {
    struct pc_sample *rows; /* sorted by pc, one row per pc */
    size_t count, room;
    size_t below;      /* samples before the start of the kernel, not in rows */
    size_t invalid;    /* units with an impossible core or kind */
    size_t tail_bytes; /* bytes after the last complete unit or sample */
};

/* `start` is the load address of the kernel, `offset` its offset in the section. */
void pc_samples_read(struct pc_samples *samples,
                     struct core_container units,
                     uint64_t start,
                     uint64_t offset);
void pc_samples_clear(struct pc_samples *samples);
uint64_t pc_samples_sum(const struct pc_samples *samples, enum stall stall);
/* Returns the name that the viewer shows. */
const char *stall_name(enum stall stall);

#endif
