/* memory_table_test.c - every row of block 0x09 on A2, A3 and 310P, written by hand */
#include "tests/support/memory_table_fixture.h"

/* Limits of the 910B2 in GiB/s: GM to UB 214.11, UB to GM 181.75. */
static void a_vector_operator_of_an_a2_has_these_rows(void **ctx)
{
    static const struct line lines[] = {
        {"Cache", "L2 Cache Write", CACHE, {12807, 12827}},
        {"Cache", "L2 Cache Read", CACHE, {12847 + 12887, 12867 + 12907}},
        {"Cache", "L2 Cache Total", CACHE, {38541, 38601}},
        {"Cache", "iCache Total", CACHE, {747, 100}},
        {"GM", "Read Main Memory", FLOW, {12937 + 12947, 128}},
        {"GM", "Write Main Memory", FLOW, {12927, 128}},
        {"UB", "UB Read MTE", PEAK, {627, 128, 214.11}},
        {"UB", "UB Write MTE", PEAK, {617, 128, 181.75}},
        {"UB", "UB Read GM", PEAK, {627, 128, 214.11}},
        {"UB", "UB Write GM", PEAK, {617, 128, 181.75}},
        {"UB", "UB Write Vector", PEAK, {677, 256}},
        {"UB", "UB Read Vector", PEAK, {687, 256}},
        {"UB", "UB Read Scalar", PEAK, {557, 16}},
        {"UB", "UB Write Scalar", PEAK, {567, 16}},
        {"Vector", "Vector Write UB", FLOW, {687, 256}},
        {"Vector", "Vector Read UB", FLOW, {677, 256}},
        {"Pipe", "MTE1", PIPE, {47, 7707, NA, NA}},
        {"Pipe", "MTE2", PIPE, {57, 127, 917, 627 * 128}},
        {"Pipe", "MTE3", PIPE, {67, 137, 927, 617 * 128}},
        {"Pipe", "FIXP", PIPE, {5267, 7717, NA, NA}},
        {"Pipe", "Scalar", PIPE, {NA, 97, 877, NA}},
        {"Scalar", "Scalar Time", SCALAR, {97}},
        {"Scalar", "Scalar Single", SCALAR, {1127}},
        {"Scalar", "Scalar Dual", SCALAR, {1137}},
        {"Scalar", "Scalar Mte2 Stall", SCALAR, {1087}},
        {"Scalar", "Scalar Mte3 Stall", SCALAR, {1097}},
        {"Scalar", "Scalar WAIT IB", SCALAR, {1147}},
        {"Scalar", "Scalar Wait", SCALAR, {877}},
        {"Scalar", "Scalar Ub Stall", SCALAR, {1067}},
        {"Scalar", "Scalar Vector Stall", SCALAR, {1117}},
        {"Scalar", "Scalar Internuclear ID3", SCALAR, {700}},
        {"Scalar", "Scalar Internuclear ID5", SCALAR, {900}},
        {"Scalar", "Scalar Internuclear ID7", SCALAR, {5000}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend910B2", 0, 1);
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    close_launch(&launch);
}

/* Limits of the 910B2: GM to L1 256.86, L1 to GM 193.99, L0C to L1 211, L0C to GM
 * 203.66; into L0A 425.68 and L0B 204.81, whose mean is 315.245. */
#define A2_CUBE_LINES                                                                  \
    {"Cache", "L2 Cache Write", CACHE, {12807, 12827}},                                \
        {"Cache", "L2 Cache Read", CACHE, {12847 + 12887, 12867 + 12907}},             \
        {"Cache", "L2 Cache Total", CACHE, {38541, 38601}},                            \
        {"Cache", "iCache Total", CACHE, {747, 100}},                                  \
        {"GM", "Read Main Memory", FLOW, {12937 + 12947, 128}},                        \
        {"GM", "Write Main Memory", FLOW, {12927, 128}},                               \
        {"L1", "L1 Read MTE", PEAK, {39000, 256, 256.86}},                             \
        {"L1", "L1 Write MTE", PEAK, {50000, 256}},                                    \
        {"L1", "L1 Write L0A/L0B", PEAK, {46000, 256, 315.245}},                       \
        {"L1", "L1 Read L0C", PEAK, {1000, 128, 211}},                                 \
        {"L1", "L1 Write GM", PEAK, {4000, 128, 193.99}},                              \
        {"L1", "L1 Read GM", PEAK, {39000, 256, 256.86}},                              \
        {"L0A", "L0A Read MTE", FLOW, {287, 256}},                                     \
        {"L0A", "L0A Write Cube", FLOW, {277, 512}},                                   \
        {"L0A", "L0A Read L1/GM", FLOW, {287, 256}},                                   \
        {"L0B", "L0B Read MTE", FLOW, {347, 128}},                                     \
        {"L0B", "L0B Write Cube", FLOW, {337, 512}},                                   \
        {"L0B", "L0B Read L1/GM", FLOW, {347, 128}},                                   \
        {"Cube", "Cube Read L0A", FLOW, {277, 512}},                                   \
        {"Cube", "Cube Read L0B", FLOW, {337, 512}},                                   \
        {"Cube", "Cube Write L0C", FLOW, {427, 1024}},                                 \
        {"Cube", "Cube Read L0C", FLOW, {407, 1024}},                                  \
        {"L0C", "L0C Read Cube", PEAK, {427, 1024}},                                   \
        {"L0C", "L0C Write Cube", PEAK, {407, 1024}},                                  \
        {"L0C", "L0C Write GM", PEAK, {8000, 128, 203.66}},                            \
        {"L0C", "L0C Write L1", PEAK, {1000, 128, 211}},                               \
        {"Pipe", "MTE3", PIPE, {67, 137, 927, 4000 * 128}},                            \
        {"Scalar", "Scalar Time", SCALAR, {97}},                                       \
        {"Scalar", "Scalar Single", SCALAR, {1127}},                                   \
        {"Scalar", "Scalar Dual", SCALAR, {1137}},                                     \
        {"Scalar", "Scalar Mte1 Stall", SCALAR, {1077}},                               \
        {"Scalar", "Scalar Mte2 Stall", SCALAR, {1087}},                               \
        {"Scalar", "Scalar Mte3 Stall", SCALAR, {1097}},                               \
        {"Scalar", "Scalar WAIT IB", SCALAR, {1147}},                                  \
        {"Scalar", "Scalar Wait", SCALAR, {877}},                                      \
        {"Scalar", "Scalar Internuclear ID3", SCALAR, {700}},                          \
        {"Scalar", "Scalar Internuclear ID5", SCALAR, {900}},                          \
        {"Scalar", "Scalar Internuclear ID7", SCALAR, {5000}},                         \
    {                                                                                  \
        "Scalar", "Scalar Cube Stall", SCALAR,                                         \
        {                                                                              \
            1107                                                                       \
        }                                                                              \
    }

static void a_cube_operator_of_an_a2_has_these_rows(void **ctx)
{
    static const struct line lines[] = {
        A2_CUBE_LINES,
        {"Pipe", "MTE1", PIPE, {47, 7707, 907, NA}},
        {"Pipe", "MTE2", PIPE, {57, 127, 917, NA}},
        {"Pipe", "FIXP", PIPE, {5267, 7717, NA, 9000 * 128}},
        {"Pipe", "Scalar", PIPE, {NA, 97, 877, NA}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend910B2", 1, 0);
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    close_launch(&launch);
}

/* MTE1 moves 256 * 287 bytes to L0A and 128 * 347 bytes to L0B, without those from GM.
 */
static void transfer_records_give_the_bandwidth_of_mte1_and_mte2(void **ctx)
{
    static const struct moved moved[] = {{0, 0, MEMORY_GM, MEMORY_L0A, 1000},
                                         {0, 0, MEMORY_GM, MEMORY_L0B, 200},
                                         {0, 0, MEMORY_GM, MEMORY_L1, 30000}};
    static const struct line lines[] = {
        A2_CUBE_LINES,
        {"Pipe", "MTE1", PIPE, {47, 7707, 907, 73472 - 1000 + 44416 - 200}},
        {"Pipe", "MTE2", PIPE, {57, 127, 917, 31200}},
        {"Pipe", "FIXP", PIPE, {5267, 7717, NA, 9000 * 128}},
        {"Pipe", "Scalar", PIPE, {NA, 97, 877, NA}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend910B2", 1, 0);
    add_records(&launch, moved, COUNT(moved));
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    close_launch(&launch);
}

/* The vendor's tool writes 0 where no counter covers a cell. */
static void the_vendors_tool_counts_missing_waits_as_zero(void **ctx)
{
    static const struct line lines[] = {
        A2_CUBE_LINES,
        {"Pipe", "MTE1", PIPE, {47, 7707, 907, NA}},
        {"Pipe", "MTE2", PIPE, {57, 127, 917, NA}},
        {"Pipe", "FIXP", PIPE, {5267, 7717, 0, 9000 * 128}},
        {"Pipe", "Scalar", PIPE, {0, 97, 877, NA}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend910B2", 1, 0);
    launch.measure.as_vendor = true;
    expect_table(&launch.measure, lines, COUNT(lines), 10);
    close_launch(&launch);
}

/* Two blocks on eight cores run at the same time: a block takes half of the cycles. */
static void a_310p_has_these_rows(void **ctx)
{
    static const struct line lines[] = {
        {"Cache", "L2 Cache Total", CACHE, {NA, NA}},
        {"Cache", "iCache Total", CACHE, {747, 100}},
        {"L1", "L1 Read MTE", FLOW, {40000, 256}},
        {"L1", "L1 Write MTE", FLOW, {50000, 512}},
        {"L1", "L1 Read L0A/L0B/UB", FLOW, {40000, 256}},
        {"L1", "L1 Write GM/UB", FLOW, {50000, 512}},
        {"L0A", "L0A Read MTE", FLOW, {287, 512}},
        {"L0A", "L0A Write Cube", FLOW, {277, 512}},
        {"L0A", "L0A Read L1", FLOW, {287, 512}},
        {"L0B", "L0B Read MTE", FLOW, {347, 128}},
        {"L0B", "L0B Write Cube", FLOW, {337, 512}},
        {"L0B", "L0B Read L1", FLOW, {347, 128}},
        {"Cube", "Cube Read L0A", FLOW, {277, 512}},
        {"Cube", "Cube Read L0B", FLOW, {337, 512}},
        {"Cube", "Cube Write L0C", FLOW, {427, 1024}},
        {"L0C", "L0C Read Cube", FLOW, {427, 1024}},
        {"L0C", "L0C Write UB", FLOW, {397, 256}},
        {"L0C", "L0C Read UB", FLOW, {417, 256}},
        {"UB", "UB Read MTE", FLOW, {627, 16}},
        {"UB", "UB Write MTE", FLOW, {617, 16}},
        {"UB", "UB Read GM", FLOW, {627, 16}},
        {"UB", "UB Write GM", FLOW, {617, 16}},
        {"UB", "UB Write Vector", FLOW, {677, 32}},
        {"UB", "UB Read Vector", FLOW, {687, 32}},
        {"UB", "UB Read Scalar", FLOW, {557, 16}},
        {"UB", "UB Write Scalar", FLOW, {567, 16}},
        {"UB", "UB Write L0C", FLOW, {417, 256}},
        {"UB", "UB Read L0C", FLOW, {397, 256}},
        {"Vector", "Vector Write UB", FLOW, {687, 32}},
        {"Vector", "Vector Read UB", FLOW, {677, 32}},
        {"GM", "Read Main Memory", FLOW, {187, 512}},
        {"GM", "Write Main Memory", FLOW, {3000, 512}},
        {"Pipe", "MTE1", PIPE, {47, 117, 907, NA}},
        {"Pipe", "MTE2", PIPE, {57, 127, 917, NA}},
        {"Pipe", "MTE3", PIPE, {67, 137, 927, NA}},
        {"Pipe", "Scalar", PIPE, {NA, 97, 877, NA}},
    };
    struct launch launch;
    (void)ctx;
    open_launch(&launch, "Ascend310P3", 1, 0);
    expect_table(&launch.measure, lines, COUNT(lines), 5);
    close_launch(&launch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_operator_of_an_a2_has_these_rows),
        cmocka_unit_test(a_cube_operator_of_an_a2_has_these_rows),
        cmocka_unit_test(transfer_records_give_the_bandwidth_of_mte1_and_mte2),
        cmocka_unit_test(the_vendors_tool_counts_missing_waits_as_zero),
        cmocka_unit_test(a_310p_has_these_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
