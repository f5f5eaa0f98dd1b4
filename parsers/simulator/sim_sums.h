/* sim_sums.h - time and bytes of each instruction of a core */
#ifndef PARSERS_SIMULATOR_SIM_SUMS_H
#define PARSERS_SIMULATOR_SIM_SUMS_H

#include "parsers/simulator/simulation.h"

/* Sums over all executions of one instruction, or of one source line, on a core. */
struct sim_sum {
    uint64_t pc;
    const struct sim_instruction *first; /* first execution */
    uint64_t count, cycles;
    uint64_t busy; /* ticks in which at least one execution ran */
    uint32_t registers;
    bool moves;            /* the instruction transfers memory */
    uint64_t moved;        /* bytes */
    uint64_t cache_cycles; /* from fetch to control unit */
    uint64_t unit_cycles;  /* from control unit to start */
};

/* Returns the sums of a core by address. The caller frees them. */
struct sim_sum *sim_sums_create(const struct simulation_core *core, size_t *count);

struct sim_interval {
    uint64_t start, end;
};
/* Sorts the intervals. Returns the ticks that lie in at least one of them. */
uint64_t sim_sums_union(struct sim_interval *intervals, size_t count);

#endif
