/* pc_samples.h - pcSampling.bin of a 950: why its warps waited, by instruction
 *
 * A sample is the bits 26 to 3 of a program counter and nine counters. */
#ifndef PARSERS_RECORDS_PC_SAMPLES_H
#define PARSERS_RECORDS_PC_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

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
    struct pc_sample *rows; /* by pc, each once */
    size_t count, room;
    size_t below;      /* samples before the start of the kernel: left out */
    size_t invalid;    /* units that cannot be */
    size_t tail_bytes; /* behind the last whole unit, or sample in one */
};

/* `start` is where the kernel was loaded, `offset` where it begins in its section. */
void pc_samples_read(struct pc_samples *samples,
                     const uint8_t *bytes,
                     size_t size,
                     uint64_t start,
                     uint64_t offset);
void pc_samples_clear(struct pc_samples *samples);
uint64_t pc_samples_sum(const struct pc_samples *samples, enum stall stall);
/* As the viewer calls it. */
const char *stall_name(enum stall stall);

#endif
