/* counters.h - the counters of a core and the event numbers that select them
 *
 * An event has the meaning that the formulas of the profiler give it. Event 62, for
 * example, counts requests of 128 bytes from memory to UB: bytes = 128 x requests. */
#ifndef SIM_CARD_COUNTERS_H
#define SIM_CARD_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum core_kind { CORE_AIC, CORE_AIV };

enum counter {
    COUNTER_NONE, /* an event that is not modelled: always 0 */
    /* cycles */
    COUNTER_TOTAL,
    COUNTER_CUBE,
    COUNTER_VECTOR,
    COUNTER_SCALAR,
    COUNTER_MTE1,
    COUNTER_MTE2,
    COUNTER_MTE3,
    COUNTER_FIXPIPE,
    COUNTER_CUBE_WAIT,
    COUNTER_VECTOR_WAIT,
    COUNTER_MTE1_WAIT,
    COUNTER_MTE2_WAIT,
    COUNTER_MTE3_WAIT,
    COUNTER_SCALAR_WAIT,
    COUNTER_SCALAR_SINGLE,
    COUNTER_SCALAR_DUAL,
    COUNTER_STALL_UB,
    COUNTER_STALL_MTE1,
    COUNTER_STALL_MTE2,
    COUNTER_STALL_MTE3,
    COUNTER_STALL_CUBE,
    COUNTER_STALL_VECTOR,
    COUNTER_WAIT_IB,
    COUNTER_CONFLICT_BANKGROUP,
    COUNTER_CONFLICT_BANK,
    COUNTER_CONFLICT_RESOURCE,
    COUNTER_CONFLICT_MTE,
    COUNTER_WAIT_FOR_VECTOR, /* mix kernels: wait for a flag of the other kind of core
                              */
    COUNTER_WAIT_FOR_CUBE,
    COUNTER_CYCLES_END,
    /* work: equal in every run of the same launch */
    COUNTER_CUBE_INSTR = COUNTER_CYCLES_END,
    COUNTER_CUBE_FP_INSTR,
    COUNTER_CUBE_INT_INSTR,
    COUNTER_MTE1_INSTR,
    COUNTER_MTE2_INSTR,
    COUNTER_MTE3_INSTR,
    COUNTER_VECTOR_INSTR,
    COUNTER_VECTOR_FP32,
    COUNTER_VECTOR_FP32_AND_FP16,
    COUNTER_VECTOR_FP16,
    COUNTER_VECTOR_INT32,
    COUNTER_VECTOR_INT16,
    COUNTER_VECTOR_MISC,
    COUNTER_ICACHE_REQUESTS,
    COUNTER_ICACHE_MISSES,
    COUNTER_L1_OUT_512,
    COUNTER_L0A_READ_512,
    COUNTER_L0A_WRITE_256,
    COUNTER_L0B_READ_512,
    COUNTER_L0B_WRITE_128,
    COUNTER_L0C_READ_1024,
    COUNTER_L0C_WRITE_1024,
    COUNTER_L1_READ_128,
    COUNTER_L1_WRITE_256,
    COUNTER_L0C_TO_L1_128,
    COUNTER_L0C_OUT_128,
    COUNTER_L0C_TO_GM_128,
    COUNTER_GM_TO_L1_256,
    COUNTER_UB_SCALAR_READ_16,
    COUNTER_UB_SCALAR_WRITE_16,
    COUNTER_UB_TO_GM_128,
    COUNTER_UB_OUT_128, /* also what a card without a fix-pipe moves from L0C */
    COUNTER_GM_TO_UB_128,
    COUNTER_UB_READ_256,
    COUNTER_UB_WRITE_256,
    COUNTER_WRITE_REQUESTS,
    COUNTER_READ0_REQUESTS,
    COUNTER_READ1_REQUESTS,
    COUNTER_WRITE_HITS,
    COUNTER_WRITE_MISSES,
    COUNTER_READ0_HITS,
    COUNTER_READ0_MISSES,
    COUNTER_READ1_HITS,
    COUNTER_READ1_MISSES,
    COUNTER_SCALAR_INSTR,
    COUNTER_READ_REQUESTS,
    COUNTER_COUNT,
};

struct counters {
    uint64_t value[COUNTER_COUNT];
};

/* the content of a record slot: a counter, converted to the unit of the slot */
struct counter_view {
    uint8_t counter; /* enum counter */
    uint8_t times, over;
};

/* Returns the counter of an event for a kind of core. `chip` is the generation, see
 * struct soc. Where cores are not split, one core has the events of both kinds.
 * COUNTER_NONE: the event is not modelled. */
struct counter_view
counter_of_event(uint32_t chip, enum core_kind kind, uint32_t event);
uint64_t counter_value(const struct counters *counters, struct counter_view view);

#endif
