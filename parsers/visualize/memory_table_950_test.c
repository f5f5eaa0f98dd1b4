/* memory_table_950_test.c - every row of block 0x09 on a 950, written by hand */
#include "tests/support/memory_table_fixture.h"

/* Counters of a 950: reads of the L2 hit 10607 + 10637 and miss 10617 + 10627 + 10647 +
 * 10657 in each of the three cores; writes accordingly. */
#define A5_CACHE_LINES(cores)                                                          \
    {"Cache", "L2 Cache Write", CACHE, {21364 * (cores), 42788 * (cores)}},            \
        {"Cache", "L2 Cache Read", CACHE, {21244 * (cores), 42548 * (cores)}},         \
        {"Cache", "L2 Cache Total", CACHE, {42608 * (cores), 85336 * (cores)}},        \
    {                                                                                  \
        "Cache", "iCache Total", CACHE,                                                \
        {                                                                              \
            427 * (cores), 100 * (cores)                                               \
        }                                                                              \
    }

/* Limits of the 950PR_9599: GM to UB 177.96, L1 to UB and UB to L1 206.18, L0C to UB
 * 206.20. */
#define A5_VECTOR_LINES(gm, ub, vector, dcache, pipe)                                  \
    {gm, "Read Main Memory", FLOW, {20000, 128}},                                      \
        {gm, "Write Main Memory", FLOW, {10597, 128}},                                 \
        {ub, "UB Read GM", PEAK, {19200, 128, 177.96}},                                \
        {ub, "UB Read Vector", PEAK, {13947, 256}},                                    \
        {ub, "UB Write Vector", PEAK, {13937, 256}},                                   \
        {vector, "Vector Write UB", FLOW, {13947, 256}},                               \
        {vector, "Vector Read UB", FLOW, {13937, 256}},                                \
        {dcache, "DCache Read GM", FLOW, {800, 128}},                                  \
        {dcache, "DCache Read Vector", FLOW, {13977 + 13987 + 14007 + 14047, 128}},    \
        {dcache, "DCache Write Vector", FLOW, {13957 + 13967 + 14047, 128}},           \
        {pipe, "MTE2", PIPE, {5127, 5147, 147, 19200 * 128}},                          \
        {pipe, "MTE3", PIPE, {5137, 5157, 157, NA}},                                   \
    {                                                                                  \
        pipe, "Scalar", PIPE,                                                          \
        {                                                                              \
            7, 17, 107, NA                                                             \
        }                                                                              \
    }

static void a_vector_operator_of_a_950_has_these_rows(void **ctx)
{
    static const struct line lines[] = {
        A5_CACHE_LINES(1),
        A5_VECTOR_LINES("GM", "UB", "Vector", "DCache", "Pipe"),
        {"UB", "UB Read MTE", PEAK, {NA, 256, 206.18}},
        {"UB", "UB Write MTE", PEAK, {NA, 128, 206.18}},
    };
    static const struct line vendor_lines[] = {
        A5_CACHE_LINES(1),
        A5_VECTOR_LINES("GM", "UB", "Vector", "DCache", "Pipe"),
        {"UB", "UB Read MTE", PEAK, {0, 256, 206.18}},
        {"UB", "UB Write MTE", PEAK, {0, 128, 206.18}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend950PR_9599", 0, 1);
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    launch.measure.as_vendor = true;
    expect_table(&launch.measure, vendor_lines, COUNT(vendor_lines), 10);
    close_launch(&launch);
}

/* Limits of the 950PR_9599: GM to L1 177.57, L0C to L1 412.15, L0C to GM 142.05, into
 * L0A 412.10 and L0B 412.11. */
#define A5_CUBE_LINES                                                                  \
    {"GM Cube", "Read Main Memory", FLOW, {20000, 128}},                               \
        {"GM Cube", "Write Main Memory", FLOW, {10597, 128}},                          \
        {"L1", "L1 Read MTE", PEAK, {29400, 256}},                                     \
        {"L1", "L1 Write MTE", PEAK, {5000, 256}},                                     \
        {"L1", "L1 Write L0A/L0B", PEAK, {1600, 256, 412.105}},                        \
        {"L1", "L1 Read L0C", PEAK, {600, 128, 412.15}},                               \
        {"L1", "L1 Read GM", PEAK, {20000, 128, 177.57}},                              \
        {"L1", "L1 Write UB", PEAK, {3400, 256, 206.18}},                              \
        {"L1", "L1 Read UB", PEAK, {19400, 256, 206.18}},                              \
        {"L0A", "L0A Read MTE", PEAK, {700, 256, 412.10}},                             \
        {"L0A", "L0A Write Cube", PEAK, {7727, 64}},                                   \
        {"L0A", "L0A Read L1/GM", PEAK, {700, 256, 412.10}},                           \
        {"L0B", "L0B Read MTE", PEAK, {900, 256, 412.11}},                             \
        {"L0B", "L0B Write Cube", PEAK, {7747, 256}},                                  \
        {"L0B", "L0B Read L1/GM", PEAK, {900, 256, 412.11}},                           \
        {"Cube", "Cube Read L0A", FLOW, {7727, 64}},                                   \
        {"Cube", "Cube Read L0B", FLOW, {7747, 256}},                                  \
        {"Cube", "Cube Write L0C", FLOW, {7767, 1024}},                                \
        {"Cube", "Cube Read L0C", FLOW, {7787, 1024}},                                 \
        {"L0C", "L0C Read Cube", PEAK, {7767, 1024}},                                  \
        {"L0C", "L0C Write Cube", PEAK, {7787, 1024}},                                 \
        {"L0C", "L0C Write GM", PEAK, {10597, 128, 142.05}},                           \
        {"L0C", "L0C Write L1", PEAK, {600, 128, 412.15}},                             \
        {"L0C", "L0C Write FIXP", PEAK, {18047 + 600 + 18157 + 10597, 128}},           \
        {"L0C", "L0C Write UB", PEAK, {18047 + 18157, 128, 206.20}},                   \
        {"Pipe Cube", "MTE1", PIPE, {0, 0, 137, NA}},                                  \
        {"Pipe Cube", "MTE2", PIPE, {5127, 5147, 147, 20000 * 128}},                   \
        {"Pipe Cube", "MTE3", PIPE, {5137, 5157, 157, 19400 * 256}},                   \
        {"Pipe Cube", "FIXP", PIPE, {18137, 18127, 367, 47401 * 128}},                 \
    {                                                                                  \
        "Pipe Cube", "Scalar", PIPE,                                                   \
        {                                                                              \
            7, 17, 107, NA                                                             \
        }                                                                              \
    }

static void a_mix_operator_of_a_950_has_these_rows(void **ctx)
{
    static const struct line lines[] = {
        A5_CACHE_LINES(3),
        A5_CUBE_LINES,
        A5_VECTOR_LINES("GM Vector Core0", "UB Core0", "Vector Core0", "DCache Core0",
                        "Pipe Vector Core0"),
        A5_VECTOR_LINES("GM Vector Core1", "UB Core1", "Vector Core1", "DCache Core1",
                        "Pipe Vector Core1"),
        {"UB Core0", "UB Read MTE", PEAK, {NA, 256, 206.18}},
        {"UB Core0", "UB Write MTE", PEAK, {NA, 128, 206.18}},
        {"UB Core0", "UB Read L0C", PEAK, {18047, 128, 206.20}},
        {"UB Core1", "UB Read MTE", PEAK, {NA, 256, 206.18}},
        {"UB Core1", "UB Write MTE", PEAK, {NA, 128, 206.18}},
        {"UB Core1", "UB Read L0C", PEAK, {18157, 128, 206.20}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend950PR_9599", 1, 2);
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    close_launch(&launch);
}

/* 300 bytes from L1 to vector 0 are two requests, 257 bytes to vector 1 also; the
 * cube's records have them. 129 bytes from the UB of vector 0 are two requests of 128.
 */
static void transfer_records_of_a_950_count_what_moves_between_l1_and_ub(void **ctx)
{
    static const struct moved moved[] = {{2, 0, MEMORY_L1, MEMORY_UB, 300},
                                         {2, 1, MEMORY_L1, MEMORY_UB, 257},
                                         {0, 0, MEMORY_UB, MEMORY_L1, 129},
                                         {0, 0, MEMORY_UB, MEMORY_GM, 640},
                                         {1, 1, MEMORY_GM, MEMORY_UB, 100}};
    static const struct line lines[] = {
        A5_CACHE_LINES(3),
        A5_CUBE_LINES,
        {"GM Vector Core0", "Read Main Memory", FLOW, {0, 128}},
        {"GM Vector Core0", "Write Main Memory", FLOW, {5, 128}},
        {"UB Core0", "UB Read MTE", PEAK, {2, 256, 206.18}},
        {"UB Core0", "UB Write MTE", PEAK, {2, 128, 206.18}},
        {"UB Core0", "UB Read GM", PEAK, {0, 128, 177.96}},
        {"UB Core0", "UB Read Vector", PEAK, {13947, 256}},
        {"UB Core0", "UB Write Vector", PEAK, {13937, 256}},
        {"UB Core0", "UB Read L0C", PEAK, {18047, 128, 206.20}},
        {"Vector Core0", "Vector Write UB", FLOW, {13947, 256}},
        {"Vector Core0", "Vector Read UB", FLOW, {13937, 256}},
        {"DCache Core0", "DCache Read GM", FLOW, {0, 128}},
        {"DCache Core0", "DCache Read Vector", FLOW, {0, 128}},
        {"DCache Core0", "DCache Write Vector", FLOW, {0, 128}},
        {"Pipe Vector Core0", "MTE2", PIPE, {5127, 5147, 147, 19200 * 128}},
        {"Pipe Vector Core0", "MTE3", PIPE, {5137, 5157, 157, 640}},
        {"Pipe Vector Core0", "Scalar", PIPE, {7, 17, 107, NA}},
        {"GM Vector Core1", "Read Main Memory", FLOW, {1, 128}},
        {"GM Vector Core1", "Write Main Memory", FLOW, {0, 128}},
        {"UB Core1", "UB Read MTE", PEAK, {2, 256, 206.18}},
        {"UB Core1", "UB Write MTE", PEAK, {0, 128, 206.18}},
        {"UB Core1", "UB Read GM", PEAK, {1, 128, 177.96}},
        {"UB Core1", "UB Read Vector", PEAK, {13947, 256}},
        {"UB Core1", "UB Write Vector", PEAK, {13937, 256}},
        {"UB Core1", "UB Read L0C", PEAK, {18157, 128, 206.20}},
        {"Vector Core1", "Vector Write UB", FLOW, {13947, 256}},
        {"Vector Core1", "Vector Read UB", FLOW, {13937, 256}},
        {"DCache Core1", "DCache Read GM", FLOW, {0, 128}},
        {"DCache Core1", "DCache Read Vector", FLOW, {0, 128}},
        {"DCache Core1", "DCache Write Vector", FLOW, {0, 128}},
        {"Pipe Vector Core1", "MTE2", PIPE, {5127, 5147, 147, 19200 * 128}},
        {"Pipe Vector Core1", "MTE3", PIPE, {5137, 5157, 157, 0}},
        {"Pipe Vector Core1", "Scalar", PIPE, {7, 17, 107, NA}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend950PR_9599", 1, 2);
    add_records(&launch, moved, COUNT(moved));
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    close_launch(&launch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_operator_of_a_950_has_these_rows),
        cmocka_unit_test(a_mix_operator_of_a_950_has_these_rows),
        cmocka_unit_test(transfer_records_of_a_950_count_what_moves_between_l1_and_ub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
