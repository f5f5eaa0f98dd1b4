#include "sim/card/counters.h"

#include <stddef.h>

#define AIC  1u
#define AIV  2u
#define BOTH (AIC | AIV)

static const struct row {
    uint16_t event;
    uint8_t kinds;
    uint8_t counter;
} rows[] = {
    {1, AIV, COUNTER_VECTOR_INSTR},
    {3, AIC, COUNTER_CUBE_INSTR},
    {4, BOTH, COUNTER_MTE1_INSTR},
    {5, BOTH, COUNTER_MTE2_INSTR},
    {6, BOTH, COUNTER_MTE3_INSTR},
    {8, AIV, COUNTER_VECTOR},
    {9, BOTH, COUNTER_SCALAR},
    {10, AIC, COUNTER_CUBE},
    {12, BOTH, COUNTER_MTE2},
    {13, BOTH, COUNTER_MTE3},
    {19, AIC, COUNTER_L1_OUT_512},
    {27, AIC, COUNTER_L0A_READ_512},
    {28, AIC, COUNTER_L0A_WRITE_256},
    {33, AIC, COUNTER_L0B_READ_512},
    {34, AIC, COUNTER_L0B_WRITE_128},
    {40, AIC, COUNTER_L0C_READ_1024},
    {42, AIC, COUNTER_L0C_WRITE_1024},
    {49, AIC, COUNTER_L1_READ_128},
    {50, AIC, COUNTER_L1_WRITE_256},
    {55, AIV, COUNTER_UB_SCALAR_READ_16},
    {56, AIV, COUNTER_UB_SCALAR_WRITE_16},
    {61, AIV, COUNTER_UB_TO_GM_128},
    {62, AIV, COUNTER_GM_TO_UB_128},
    {67, AIV, COUNTER_UB_READ_256},
    {68, AIV, COUNTER_UB_WRITE_256},
    {73, AIC, COUNTER_CUBE_FP_INSTR},
    {74, AIC, COUNTER_CUBE_INT_INSTR},
    {75, AIV, COUNTER_VECTOR_FP32_AND_FP16},
    {76, AIV, COUNTER_VECTOR_FP16},
    {78, AIV, COUNTER_VECTOR_INT32},
    {79, AIV, COUNTER_VECTOR_MISC},
    {84, BOTH, COUNTER_ICACHE_REQUESTS},
    {85, BOTH, COUNTER_ICACHE_MISSES},
    {87, BOTH, COUNTER_SCALAR_WAIT},
    {88, AIC, COUNTER_CUBE_WAIT},
    {89, AIV, COUNTER_VECTOR_WAIT},
    {90, BOTH, COUNTER_MTE1_WAIT},
    {91, BOTH, COUNTER_MTE2_WAIT},
    {92, BOTH, COUNTER_MTE3_WAIT},
    {100, AIV, COUNTER_CONFLICT_BANKGROUP},
    {101, AIV, COUNTER_CONFLICT_BANK},
    {102, AIV, COUNTER_CONFLICT_RESOURCE},
    {103, AIV, COUNTER_CONFLICT_MTE},
    {106, AIV, COUNTER_STALL_UB},
    {107, AIC, COUNTER_STALL_MTE1},
    {108, BOTH, COUNTER_STALL_MTE2},
    {109, BOTH, COUNTER_STALL_MTE3},
    {110, AIC, COUNTER_STALL_CUBE},
    {111, AIV, COUNTER_STALL_VECTOR},
    {112, BOTH, COUNTER_SCALAR_SINGLE},
    {113, BOTH, COUNTER_SCALAR_DUAL},
    {114, BOTH, COUNTER_WAIT_IB},
    {186, AIV, COUNTER_VECTOR_INT16},
    {518, AIC, COUNTER_L0C_TO_L1_128},
    {524, AIC, COUNTER_L0C_OUT_128},
    {770, BOTH, COUNTER_MTE1},
    {771, BOTH, COUNTER_FIXPIPE},
    {1032, AIC, COUNTER_CUBE_FP_INSTR},
    {1033, AIC, COUNTER_CUBE_INT_INSTR},
    {1280, BOTH, COUNTER_WRITE_HITS},
    {1282, BOTH, COUNTER_WRITE_MISSES},
    {1284, BOTH, COUNTER_READ0_HITS},
    {1286, BOTH, COUNTER_READ0_MISSES},
    {1288, BOTH, COUNTER_READ1_HITS},
    {1290, BOTH, COUNTER_READ1_MISSES},
    {1292, BOTH, COUNTER_WRITE_REQUESTS},
    {1293, BOTH, COUNTER_READ0_REQUESTS},
    {1294, BOTH, COUNTER_READ1_REQUESTS},
    {1792, AIC, COUNTER_WAIT_FOR_VECTOR},
    {1793, AIV, COUNTER_WAIT_FOR_CUBE},
};

/* numbers that mean something else, or are counted otherwise, where the core is one */
static const struct row rows_of_one_core[] = {
    {11, BOTH, COUNTER_MTE1},        /* 770 there */
    {75, BOTH, COUNTER_VECTOR_FP32}, /* without the 16-bit ones */
};

static enum counter
find(const struct row *from, size_t count, uint8_t kinds, uint32_t event)
{
    for (size_t i = 0; i < count; i++)
        if (from[i].event == event && (from[i].kinds & kinds))
            return (enum counter)from[i].counter;
    return COUNTER_NONE;
}

enum counter counter_of_event(bool split, enum core_kind kind, uint32_t event)
{
    enum counter counter = COUNTER_NONE;

    if (!split) {
        counter =
            find(rows_of_one_core,
                 sizeof(rows_of_one_core) / sizeof(rows_of_one_core[0]), BOTH, event);
        if (counter != COUNTER_NONE)
            return counter;
    }
    return find(rows, sizeof(rows) / sizeof(rows[0]),
                split ? (kind == CORE_AIC ? AIC : AIV) : BOTH, event);
}
