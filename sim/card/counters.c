#include "sim/card/counters.h"

#include <stddef.h>

#include "sim/fleet/soc.h"

#define AIC  1u
#define AIV  2u
#define BOTH (AIC | AIV)

static const struct row {
    uint16_t event;
    uint8_t kinds;
    uint8_t counter;
    uint8_t times, over; /* event = counter x times / over, rounded up */
} rows[] = {
    {1, AIV, COUNTER_VECTOR_INSTR, 1, 1},
    {3, AIC, COUNTER_CUBE_INSTR, 1, 1},
    {4, BOTH, COUNTER_MTE1_INSTR, 1, 1},
    {5, BOTH, COUNTER_MTE2_INSTR, 1, 1},
    {6, BOTH, COUNTER_MTE3_INSTR, 1, 1},
    {8, AIV, COUNTER_VECTOR, 1, 1},
    {9, BOTH, COUNTER_SCALAR, 1, 1},
    {10, AIC, COUNTER_CUBE, 1, 1},
    {12, BOTH, COUNTER_MTE2, 1, 1},
    {13, BOTH, COUNTER_MTE3, 1, 1},
    {19, AIC, COUNTER_L1_OUT_512, 1, 1},
    {27, AIC, COUNTER_L0A_READ_512, 1, 1},
    {28, AIC, COUNTER_L0A_WRITE_256, 1, 1},
    {33, AIC, COUNTER_L0B_READ_512, 1, 1},
    {34, AIC, COUNTER_L0B_WRITE_128, 1, 1},
    {40, AIC, COUNTER_L0C_READ_1024, 1, 1},
    {42, AIC, COUNTER_L0C_WRITE_1024, 1, 1},
    {49, AIC, COUNTER_L1_READ_128, 1, 1},
    {50, AIC, COUNTER_L1_WRITE_256, 1, 1},
    {55, AIV, COUNTER_UB_SCALAR_READ_16, 1, 1},
    {56, AIV, COUNTER_UB_SCALAR_WRITE_16, 1, 1},
    {61, AIV, COUNTER_UB_TO_GM_128, 1, 1},
    {62, AIV, COUNTER_GM_TO_UB_128, 1, 1},
    {67, AIV, COUNTER_UB_READ_256, 1, 1},
    {68, AIV, COUNTER_UB_WRITE_256, 1, 1},
    {73, AIC, COUNTER_CUBE_FP_INSTR, 1, 1},
    {74, AIC, COUNTER_CUBE_INT_INSTR, 1, 1},
    {75, AIV, COUNTER_VECTOR_FP32_AND_FP16, 1, 1},
    {76, AIV, COUNTER_VECTOR_FP16, 1, 1},
    {78, AIV, COUNTER_VECTOR_INT32, 1, 1},
    {79, AIV, COUNTER_VECTOR_MISC, 1, 1},
    {84, BOTH, COUNTER_ICACHE_REQUESTS, 1, 1},
    {85, BOTH, COUNTER_ICACHE_MISSES, 1, 1},
    {87, BOTH, COUNTER_SCALAR_WAIT, 1, 1},
    {88, AIC, COUNTER_CUBE_WAIT, 1, 1},
    {89, AIV, COUNTER_VECTOR_WAIT, 1, 1},
    {90, BOTH, COUNTER_MTE1_WAIT, 1, 1},
    {91, BOTH, COUNTER_MTE2_WAIT, 1, 1},
    {92, BOTH, COUNTER_MTE3_WAIT, 1, 1},
    {100, AIV, COUNTER_CONFLICT_BANKGROUP, 1, 1},
    {101, AIV, COUNTER_CONFLICT_BANK, 1, 1},
    {102, AIV, COUNTER_CONFLICT_RESOURCE, 1, 1},
    {103, AIV, COUNTER_CONFLICT_MTE, 1, 1},
    {106, AIV, COUNTER_STALL_UB, 1, 1},
    {107, AIC, COUNTER_STALL_MTE1, 1, 1},
    {108, BOTH, COUNTER_STALL_MTE2, 1, 1},
    {109, BOTH, COUNTER_STALL_MTE3, 1, 1},
    {110, AIC, COUNTER_STALL_CUBE, 1, 1},
    {111, AIV, COUNTER_STALL_VECTOR, 1, 1},
    {112, BOTH, COUNTER_SCALAR_SINGLE, 1, 1},
    {113, BOTH, COUNTER_SCALAR_DUAL, 1, 1},
    {114, BOTH, COUNTER_WAIT_IB, 1, 1},
    {186, AIV, COUNTER_VECTOR_INT16, 1, 1},
    {518, AIC, COUNTER_L0C_TO_L1_128, 1, 1},
    {524, AIC, COUNTER_L0C_OUT_128, 1, 1},
    {770, BOTH, COUNTER_MTE1, 1, 1},
    {771, BOTH, COUNTER_FIXPIPE, 1, 1},
    {1032, AIC, COUNTER_CUBE_FP_INSTR, 1, 1},
    {1033, AIC, COUNTER_CUBE_INT_INSTR, 1, 1},
    {1280, BOTH, COUNTER_WRITE_HITS, 1, 1},
    {1282, BOTH, COUNTER_WRITE_MISSES, 1, 1},
    {1284, BOTH, COUNTER_READ0_HITS, 1, 1},
    {1286, BOTH, COUNTER_READ0_MISSES, 1, 1},
    {1288, BOTH, COUNTER_READ1_HITS, 1, 1},
    {1290, BOTH, COUNTER_READ1_MISSES, 1, 1},
    {1292, BOTH, COUNTER_WRITE_REQUESTS, 1, 1},
    {1293, BOTH, COUNTER_READ0_REQUESTS, 1, 1},
    {1294, BOTH, COUNTER_READ1_REQUESTS, 1, 1},
    {1792, AIC, COUNTER_WAIT_FOR_VECTOR, 1, 1},
    {1793, AIV, COUNTER_WAIT_FOR_CUBE, 1, 1},
};

/* Events with another meaning or unit on chips whose core is not split. Such a core
 * moves the results of the cube from L0C through the UB to memory. */
static const struct row rows_of_one_core[] = {
    {11, BOTH, COUNTER_MTE1, 1, 1},          /* event 770 on those chips */
    {18, BOTH, COUNTER_READ_REQUESTS, 1, 4}, /* requests of 512 bytes, as event 19 */
    {19, BOTH, COUNTER_WRITE_REQUESTS, 1, 4},
    {28, BOTH, COUNTER_L0A_WRITE_256, 1, 2}, /* 512 bytes */
    {39, BOTH, COUNTER_L0C_TO_GM_128, 1, 2}, /* 256 bytes */
    {44, BOTH, COUNTER_L0C_TO_GM_128, 1, 4}, /* 512 bytes */
    {49, BOTH, COUNTER_L1_READ_128, 1, 4},   /* 512 bytes */
    {50, BOTH, COUNTER_GM_TO_L1_256, 1, 1},
    {61, BOTH, COUNTER_UB_OUT_128, 8, 1}, /* 16 bytes, as event 62 */
    {62, BOTH, COUNTER_GM_TO_UB_128, 8, 1},
    {67, BOTH, COUNTER_UB_READ_256, 8, 1}, /* 32 bytes, as event 68 */
    {68, BOTH, COUNTER_UB_WRITE_256, 8, 1},
    {75, BOTH, COUNTER_VECTOR_FP32, 1, 1}, /* without the 16-bit instructions */
};

/* events of the 950; its L2 events distinguish the near and the far half of the cache
 */
static const struct row rows_of_a5[] = {
    {0, BOTH, COUNTER_SCALAR_INSTR, 1, 1},
    {1, BOTH, COUNTER_SCALAR, 1, 1},
    {11, AIC, COUNTER_CUBE_WAIT, 1, 1},
    {12, AIV, COUNTER_VECTOR_WAIT, 1, 1},
    {13, BOTH, COUNTER_MTE1_WAIT, 1, 1},
    {14, BOTH, COUNTER_MTE2_WAIT, 1, 1},
    {15, BOTH, COUNTER_MTE3_WAIT, 1, 1},
    {52, BOTH, COUNTER_ICACHE_REQUESTS, 1, 1},
    {53, BOTH, COUNTER_ICACHE_MISSES, 1, 1},
    {512, BOTH, COUNTER_MTE2_INSTR, 1, 1},
    {513, BOTH, COUNTER_MTE3_INSTR, 1, 1},
    {514, BOTH, COUNTER_MTE2, 1, 1},
    {515, BOTH, COUNTER_MTE3, 1, 1},
    {768, AIC, COUNTER_CUBE_INSTR, 1, 1},
    {772, AIC, COUNTER_L0A_READ_512, 8, 1},
    {774, AIC, COUNTER_L0B_READ_512, 2, 1},
    {776, AIC, COUNTER_L0C_WRITE_1024, 1, 1},
    {778, AIC, COUNTER_L0C_READ_1024, 1, 1},
    {789, AIC, COUNTER_CUBE_FP_INSTR, 1, 1},
    {790, AIC, COUNTER_CUBE_INT_INSTR, 1, 1},
    {808, AIC, COUNTER_CUBE_FP_INSTR, 1, 1}, /* one instruction per cycle */
    {809, AIC, COUNTER_CUBE_INT_INSTR, 1, 1},
    {810, AIC, COUNTER_CUBE, 1, 1},
    {1058, BOTH, COUNTER_READ_REQUESTS, 1, 1},
    {1059, BOTH, COUNTER_WRITE_REQUESTS, 1, 1},
    {1060, BOTH, COUNTER_READ0_HITS, 1, 1},
    {1061, BOTH, COUNTER_READ0_MISSES, 1, 1},
    {1063, BOTH, COUNTER_READ1_HITS, 1, 1},
    {1064, BOTH, COUNTER_READ1_MISSES, 1, 1},
    {1066, BOTH, COUNTER_WRITE_HITS, 1, 1},
    {1067, BOTH, COUNTER_WRITE_MISSES, 1, 1},
    {1281, AIV, COUNTER_VECTOR, 1, 1},
    {1282, AIV, COUNTER_VECTOR, 1, 1}, /* all vector work runs in vector functions */
    {1344, AIV, COUNTER_CONFLICT_BANKGROUP, 1, 1},
    {1366, AIV, COUNTER_CONFLICT_BANK, 1, 1},
    {1376, AIV, COUNTER_CONFLICT_RESOURCE, 1, 1},
    {1393, AIV, COUNTER_UB_READ_256, 1, 1},
    {1394, AIV, COUNTER_UB_WRITE_256, 1, 1},
    {1792, AIC, COUNTER_MTE1_INSTR, 1, 1},
    {1794, AIC, COUNTER_MTE1, 1, 1},
    {1795, AIC, COUNTER_L0A_WRITE_256, 1, 1},
    {1797, AIC, COUNTER_L0B_WRITE_128, 1, 2},
    {1799, AIC, COUNTER_L1_READ_128, 1, 2},
    {1801, AIC, COUNTER_L1_WRITE_256, 1, 1},
    {1806, AIC, COUNTER_L0C_TO_L1_128, 1, 1},
    {1812, AIC, COUNTER_FIXPIPE, 1, 1},
};

#define FIND(table, kinds, event)                                                      \
    find(table, sizeof(table) / sizeof(table[0]), kinds, event)

static const struct row *
find(const struct row *from, size_t count, uint8_t kinds, uint32_t event)
{
    for (size_t i = 0; i < count; i++)
        if (from[i].event == event && (from[i].kinds & kinds))
            return &from[i];
    return NULL;
}

struct counter_view counter_of_event(uint32_t chip, enum core_kind kind, uint32_t event)
{
    uint8_t kinds = kind == CORE_AIC ? AIC : AIV;
    const struct row *row = NULL;

    if (chip == CHIP_A5) {
        row = FIND(rows_of_a5, kinds, event);
    } else if (chip == CHIP_310P) {
        row = FIND(rows_of_one_core, BOTH, event);
        kinds = BOTH;
    }
    if (!row && chip != CHIP_A5)
        row = FIND(rows, kinds, event);
    if (!row)
        return (struct counter_view){COUNTER_NONE, 1, 1};
    return (struct counter_view){row->counter, row->times, row->over};
}

uint64_t counter_value(const struct counters *counters, struct counter_view view)
{
    uint64_t value = counters->value[view.counter] * view.times;

    return value / view.over + (value % view.over != 0);
}
