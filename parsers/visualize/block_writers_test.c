/* block_writers_test.c - blocks of stall reasons and source files */
#include <stdio.h>
#include <string.h>

#include "parsers/container/bin.h"
#include "parsers/records/sample_records.h"
#include "parsers/source/source_launches.h"
#include "parsers/visualize/visualize_file.h"
#include "parsers/visualize_check/check.h"
#include "tests/support/unit.h"

/* Fails on problems of code blocks only; the other blocks are incomplete here. */
static void no_problem(const struct check_problem *problem, void *arg)
{
    (void)arg;
    if (problem->type == BIN_CODE)
        fail_msg("block %zu type 0x%02X: %s: %s", problem->block, problem->type,
                 problem->rule, problem->text);
}

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

static void the_path_precedes_the_source_text(void **ctx)
{
    struct text out = {0}, info = {0}, code = {0};
    struct bin_block block;
    char problem[BIN_PROBLEM_BYTES];
    size_t at = 0;
    (void)ctx;
    text_add(&info, "{}");
    text_add(&code, "int main(void);\n\n");
    bin_add(&out, BIN_BASIC_INFO, &info);
    assert_true(bin_add_code(&out, "/op/add.cpp", &code));
    visualize_check((uint8_t *)out.bytes, out.length, no_problem, NULL);
    assert_true(bin_next((uint8_t *)out.bytes, out.length, &at, 0, &block, problem));
    assert_true(bin_next((uint8_t *)out.bytes, out.length, &at, 1, &block, problem));
    assert_string_equal((const char *)block.path, "/op/add.cpp");
    assert_int_equal(block.size, code.length);
    assert_int_equal(block.content_size, 20); /* and three bytes of filler */
    text_clear(&out);
    text_clear(&info);
    text_clear(&code);
}

static void files_that_the_viewer_rejects_are_left_out(void **ctx)
{
    char longest[BIN_PATH_MAX + 2];
    struct text out = {0}, code = {0}, nothing = {0};
    (void)ctx;
    text_add(&code, "x");
    memset(longest, 'a', sizeof(longest));
    longest[BIN_PATH_MAX + 1] = '\0';
    assert_false(bin_add_code(&out, longest, &code));
    longest[BIN_PATH_MAX] = '\0';
    assert_true(bin_add_code(&out, longest, &code));
    assert_false(bin_add_code(&out, "", &code));
    assert_false(bin_add_code(&out, "a;b", &code));
    assert_false(bin_add_code(&out, "c:/a", &code));
    assert_false(bin_add_code(&out, "/a.cpp", &nothing));
    text_clear(&out);
    text_clear(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stall_samples_give_a_block),
        cmocka_unit_test(the_path_precedes_the_source_text),
        cmocka_unit_test(files_that_the_viewer_rejects_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
