#include "parsers/framework/profiler_info.h"

#include "tests/support/unit.h"

#define QWEN    "../samples/framework/qwen3_pp2dp2_level2_text/rank_1_ascend_pt/"
#define ALEXNET "../samples/framework/alexnet_ddp_level1_text/rank1_ascend_pt/"

static void settings_and_rank_are_read(void **ctx)
{
    struct profiler_info info;
    struct err err;
    (void)ctx;
    assert_int_equal(profiler_info_read(&info, QWEN "profiler_info_1.json", &err), 0);
    assert_int_equal(info.with_stack, 0);
    assert_int_equal(info.record_shapes, 1);
    assert_int_equal(info.rank, 1); /* a text in this file */
    assert_string_equal(info.level, "Level2");
    assert_int_equal(profiler_info_read(&info, ALEXNET "profiler_info_1.json", &err),
                     0);
    assert_int_equal(info.rank, 1); /* a number */
    assert_int_equal(info.with_stack, 1);
}

static void parallel_groups_are_read(void **ctx)
{
    struct profiler_metadata metadata;
    struct err err;
    (void)ctx;
    assert_int_equal(
        profiler_metadata_read(&metadata, QWEN "profiler_metadata.json", &err), 0);
    assert_int_equal(metadata.rank, 1);
    assert_int_equal(metadata.world, 4);
    assert_int_equal(metadata.pipeline, 2);
    assert_int_equal(metadata.group_count, 6);
    assert_string_equal(metadata.groups[0].name, "default_group");
    assert_int_equal(metadata.groups[0].rank_count, 4);
    assert_int_equal(metadata.groups[0].ranks[3], 3);
    assert_int_equal(metadata.groups[0].hash, 5862276093215481612u);
    profiler_metadata_clear(&metadata);
    assert_int_equal(
        profiler_metadata_read(&metadata, ALEXNET "profiler_metadata.json", &err), 0);
    assert_int_equal(metadata.group_count, 0);
    assert_int_equal(metadata.rank, -1);
    profiler_metadata_clear(&metadata);
}

static void groups_have_the_number_of_the_communication_files(void **ctx)
{
    (void)ctx;
    assert_int_equal(profiler_group_hash("group_name_0"), 5862276093215481612u);
    assert_int_equal(profiler_group_hash("group_name_19"), 3985310405473756128u);
    assert_int_equal(profiler_group_hash("a"), 416611827809u);
    assert_int_equal(profiler_group_hash(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_and_rank_are_read),
        cmocka_unit_test(parallel_groups_are_read),
        cmocka_unit_test(groups_have_the_number_of_the_communication_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
