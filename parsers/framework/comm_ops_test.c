#include "parsers/framework/comm_ops.h"

#include <string.h>

#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static struct names *names;
static struct comm_ops ops;
static struct err err;

static void read_file(const char *path)
{
    comm_ops_clear(&ops);
    assert_int_equal(comm_ops_read(&ops, names, path, &err), 0);
}

static void genuine_collectives_have_their_times(void **ctx)
{
    static const double elapse_ms[] = {79.08952021875, 2.2811055625, 2.402388,
                                       22.2188639375};
    (void)ctx;
    read_file(SAMPLES "alexnet_ddp_level1_text/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/"
                      "communication.json");
    assert_int_equal(ops.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(
            strstr(names_text(names, ops.rows[i].name), "hcom_allReduce__586_"));
        assert_string_equal(names_text(names, ops.rows[i].step), "step50");
        assert_false(ops.rows[i].is_p2p);
        assert_true(ops.rows[i].times.elapse_ms == elapse_ms[i]);
    }
}

static void point_to_point_and_groups_are_read(void **ctx)
{
    size_t p2p = 0, first = 0;
    (void)ctx;
    read_file(SAMPLES
              "qwen3_pp2dp2_level2_text/rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT/"
              "communication.json");
    for (size_t i = 0; i < ops.count; i++)
        p2p += ops.rows[i].is_p2p;
    assert_int_equal(ops.count, 15);
    assert_int_equal(p2p, 3);
    while (strcmp(names_text(names, ops.rows[first].name),
                  "hcom_batchSendRecv__128_4_1") != 0)
        first++;
    assert_string_equal(names_text(names, ops.rows[first].group),
                        "3985310405473756128");
    assert_true(ops.rows[first].times.wait_ms == 158.10198);
    assert_true(ops.rows[first].traffic[COMM_HCCS].size_mb == 8.388608);
    assert_true(ops.rows[first].traffic[COMM_HCCS].time_ms == 0.40168);
}

static void point_to_point_is_found_by_name(void **ctx)
{
    (void)ctx;
    assert_true(comm_name_is_p2p("hcom_send__1_2"));
    assert_true(comm_name_is_p2p("hcom_batchSendRecv__1"));
    assert_false(comm_name_is_p2p("hcom_allReduce__1"));
}

static int create(void **ctx)
{
    (void)ctx;
    names = names_create();
    return 0;
}

static int clear(void **ctx)
{
    (void)ctx;
    comm_ops_clear(&ops);
    names_destroy(names);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(genuine_collectives_have_their_times),
        cmocka_unit_test(point_to_point_and_groups_are_read),
        cmocka_unit_test(point_to_point_is_found_by_name),
    };
    return cmocka_run_group_tests(tests, create, clear);
}
