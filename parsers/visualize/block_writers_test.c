/* block_writers_test.c - the block of stall reasons */
#include <stdio.h>
#include <string.h>

#include "parsers/container/bin.h"
#include "parsers/records/sample_records.h"
#include "parsers/source/source_launches.h"
#include "parsers/visualize/visualize_file.h"
#include "tests/support/unit.h"

/* Samples of a 950: eight stall reasons, and issued instructions, which do not count.
 */
static void stall_samples_give_a_block(void **ctx)
{
    static const char expected[] =
        "{\"top_stall_reason_table\":{\"IBuf_Empty\":1,\"Nop_Cycles\":2,"
        "\"Scoreboard_Not_Ready\":3,\"Register_bank_conflict\":4,"
        "\"Resource_conflict\":5,\"Warp_Level_Sync\":6,\"Divergence_Stack_Spill\":7,"
        "\"Others\":8}}";
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    uint8_t sample[16] = {8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct text data = {0}, out = {0};
    struct findings findings;
    struct bin_block block;
    char problem[BIN_PROBLEM_BYTES];
    size_t at = 0, count = 0;
    (void)ctx;
    launch->info.chip = CHIP_A5;
    launch->metrics = METRIC_BASIC_INFO;
    snprintf(launch->info.soc, sizeof(launch->info.soc), "Ascend950PR_9599");
    text_add_bytes(&data, sample, sizeof(sample));
    sample_unit(&launch->pc_samples, 0, 0, &data);
    findings_read(&findings, launch);
    visualize_file_write(&findings, &out);
    for (; bin_next((uint8_t *)out.bytes, out.length, &at, count, &block, problem);
         count++)
        if (block.type == BIN_STALLS) {
            assert_int_equal(block.size, strlen(expected));
            assert_memory_equal(block.payload, expected, block.size);
        }
    assert_int_equal(count, 2); /* with the basic info */
    assert_int_equal(block.type, BIN_STALLS);
    findings_clear(&findings);
    source_destroy(source);
    text_clear(&data);
    text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_samples_give_a_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
