/* block_side_test.c - worked examples of the four clocks and of the two sides */
#include "parsers/block_side/block_side.h"

#include <math.h>
#include <string.h>

#include "tests/support/unit.h"

static struct names *names;
static struct kernel_list kernels;
static size_t rows[16];
static struct block_side result;

static int begin(void **ctx)
{
    (void)ctx;
    names = names_create();
    kernel_list_init(&kernels, names);
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    kernel_list_clear(&kernels);
    names_destroy(names);
    return 0;
}

/* Times in us. */
static void add(const char *name,
                const char *unit,
                int32_t stream,
                double start,
                double duration,
                double wait)
{
    rows[kernels.count] = kernels.count;
    kernel_list_add(&kernels,
                    &(struct kernel){.start = llround(start * 1000),
                                     .end = llround((start + duration) * 1000),
                                     .wait = llround(wait * 1000),
                                     .name = names_add(names, name),
                                     .unit = names_add(names, unit),
                                     .stream = stream,
                                     .unit_class = (uint8_t)unit_class_of(unit, name)});
}

static void measure(void)
{
    block_side_measure(&result, &kernels, rows, kernels.count,
                       block_side_main_stream(&kernels, rows, kernels.count));
}

static void each_kernel_has_a_place(void **ctx)
{
    static const enum kernel_place places[] = {PLACE_BLOCK, PLACE_SMALL,
                                               PLACE_BLOCK, PLACE_COMM,
                                               PLACE_AICPU, PLACE_OTHER_STREAM};
    (void)ctx;
    add("MatMul", "AI_CORE", 2, 0, 120, 0);
    add("Add", "AI_VECTOR_CORE", 2, 120, 9.999, 0);
    add("Add", "AI_VECTOR_CORE", 2, 130, 10, 0);
    add("hcom_allReduce__1_2_1", "COMMUNICATION", -1, 140, 900, 0);
    add("X", "AI_CPU", 2, 150, 70, 0);
    add("Y", "AI_CORE", 5, 160, 40, 0);
    assert_int_equal(block_side_main_stream(&kernels, rows, kernels.count), 2);
    for (size_t i = 0; i < kernels.count; i++)
        assert_int_equal(block_side_place_of(&kernels.rows[i], 2), places[i]);
    measure();
    assert_int_equal(result.places[PLACE_BLOCK], 2);
    assert_int_equal(result.block.kernel_sum, 130000);
    assert_int_equal(result.side.count, 4);
    assert_string_equal(names_text(names, result.side.unit), "COMMUNICATION");
    assert_int_equal(result.side.durations.rows[0], 3);
    assert_int_equal(result.side.durations.rows[1], 4);
}

static void four_clocks_of_overlapping_kernels(void **ctx)
{
    char words[64];
    (void)ctx;
    add("a", "AI_CORE", 1, 0, 100, 0);
    add("b", "AI_CORE", 1, 50, 100, 10);
    add("c", "AI_CORE", 1, 300, 50, 150);
    measure();
    assert_int_equal(result.block.wall, 350000);
    assert_int_equal(result.block.busy, 200000);
    assert_int_equal(result.block.kernel_sum, 250000);
    assert_int_equal(result.block.total_cost, 410000);
    assert_int_equal(result.block.bubbles.internal, 150000);
    assert_int_equal(result.block.bubbles.count, 1);
    assert_int_equal(result.block.costs.rows[0], 2);
    assert_int_equal(result.block.wait_heavy_count, 0); /* 150 of 200 is 75 % */
    block_side_interpret(&result.block, words);
    assert_string_equal(words, "gaps_inside,wait_heavy");
    block_side_interpret(&result.side, words);
    assert_string_equal(words, "");
    assert_int_equal(result.side.wall + result.side.busy + result.side.kernel_sum +
                         result.side.total_cost,
                     0);
}

static void communication_that_the_block_hides(void **ctx)
{
    (void)ctx;
    add("hcom_a__1", "HCCL", -1, 0, 300, 0);
    add("m", "AI_CORE", 1, 100, 250, 0);
    add("hcom_b__1", "HCCL", -1, 250, 150, 0);
    add("n", "AI_CORE", 1, 380, 570, 0);
    add("hcom_c__1", "HCCL", -1, 900, 100, 0);
    measure();
    assert_true(fabs(result.comm_overlap - 0.64) < 1e-12);
    assert_int_equal(result.apart, 0);
}

static void without_streams_all_computation_is_the_block(void **ctx)
{
    char words[64];
    (void)ctx;
    add("m", "N/A", -1, 0, 100, 0);
    add("n", "N/A", -1, 100, 100, 0);
    measure();
    assert_int_equal(result.places[PLACE_BLOCK], 2);
    assert_true(isnan(result.comm_overlap));
    block_side_interpret(&result.block, words);
    assert_string_equal(words, "sequential");
}

static void kernels_that_mostly_wait(void **ctx)
{
    (void)ctx;
    add("m", "AI_CORE", 1, 100, 10, 41);
    add("n", "AI_CORE", 1, 200, 10, 40);
    add("hcom_a__1", "HCCL", -1, 400, 20, 500);
    measure();
    assert_int_equal(result.block.wait_heavy_count, 1);
    assert_int_equal(result.block.waits.rows[0], 0);
    assert_int_equal(result.side.wait_heavy_count, 1);
    assert_int_equal(result.apart, 190000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_kernel_has_a_place, begin, end),
        cmocka_unit_test_setup_teardown(four_clocks_of_overlapping_kernels, begin, end),
        cmocka_unit_test_setup_teardown(communication_that_the_block_hides, begin, end),
        cmocka_unit_test_setup_teardown(without_streams_all_computation_is_the_block,
                                        begin, end),
        cmocka_unit_test_setup_teardown(kernels_that_mostly_wait, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
