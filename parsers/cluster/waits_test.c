/* waits_test.c - the longest waits of ranks for each other */
#include "parsers/cluster/cluster_findings.h"
#include "parsers/cluster/four_ranks_test.h"
#include "parsers/cluster/report_waits.h"
#include "tests/support/unit.h"

static void check(size_t place,
                  const char *name,
                  size_t waiting,
                  size_t last,
                  double longest,
                  double shortest)
{
    const struct cluster_wait *wait = &cluster.waits[place];

    assert_string_equal(names_text(cluster.names, wait->name), name);
    assert_int_equal(wait->waiting, waiting);
    assert_int_equal(wait->last, last);
    assert_true(wait->longest_ms == longest && wait->shortest_ms == shortest);
}

static void the_longest_wait_is_the_first(void **ctx)
{
    (void)ctx;
    add_collective("hcom_allReduce__7_0_1", "1", 2, 3, 1, 2.5);
    add_collective("hcom_allReduce__7_0_1", "2", 9, 4, 5, 6);
    add_collective("hcom_allGather__7_1_1", "1", 4, 4, 4, 1.5);
    cluster_find_waits(&cluster);
    assert_int_equal(cluster.wait_count, 3);
    check(0, "hcom_allReduce__7_0_1", 0, 1, 9, 4);
    check(1, "hcom_allGather__7_1_1", 0, 3, 4, 1.5);
    check(2, "hcom_allReduce__7_0_1", 1, 2, 3, 1);
    assert_string_equal(names_text(cluster.names, cluster.waits[0].step), "2");
}

static void short_waits_are_left_out(void **ctx)
{
    (void)ctx;
    add_collective("hcom_allReduce__7_0_1", "1", 1.09, 1, 1, 1);     /* 0.09 ms */
    add_collective("hcom_allReduce__7_1_1", "1", 100, 95.1, 96, 97); /* 4.9 % */
    add_collective("hcom_allReduce__7_2_1", "1", 1.125, 1, 1, 1);
    add_collective("hcom_allReduce__7_3_1", "1", 100, 95, 96, 97);
    cluster_find_waits(&cluster);
    assert_int_equal(cluster.wait_count, 2);
    check(0, "hcom_allReduce__7_3_1", 0, 1, 100, 95);
    check(1, "hcom_allReduce__7_2_1", 0, 1, 1.125, 1);
}

static void a_collective_that_a_rank_lacks_is_not_compared(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < RANKS - 1; i++)
        add(i, "7", "hcom_allReduce__7_0_1", "1", 1 + i);
    cluster_find_waits(&cluster);
    assert_int_equal(cluster.wait_count, 0);
}

static void a_send_is_compared_with_its_receive(void **ctx)
{
    (void)ctx;
    add(0, "9", "hcom_send__9_0_1", "1", 5);
    add(2, "9", "hcom_receive__9_0_1", "1", 1);
    add(0, "9", "hcom_send__9_1_1", "1", 1); /* its receive is missing */
    add(0, "9", "hcom_batchSendRecv__9_2_1", "1", 2);
    add(2, "9", "hcom_batchSendRecv__9_2_1", "1", 4);
    cluster_find_waits(&cluster);
    assert_int_equal(cluster.wait_count, 2);
    check(0, "hcom_send__9_0_1", 0, 2, 5, 1);
    check(1, "hcom_batchSendRecv__9_2_1", 2, 0, 4, 2);
    assert_true(cluster.waits[0].is_p2p);
}

static void note(void *arg, const char *sentence)
{
    text_printf(arg, "%s.\n", sentence);
}

static void reports_name_the_ranks(void **ctx)
{
    struct json_write json;
    struct err err;

    (void)ctx;
    report_waits_table(&out, &cluster);
    report_waits_say(&cluster, note, &out);
    assert_int_equal(out.length, 0);
    add_collective("hcom_allReduce__7_0_1", "1", 2, 3, 1, 2.5);
    cluster_find_waits(&cluster);
    report_waits_say(&cluster, note, &out);
    assert_string_equal(text_get(&out),
                        "The longest wait is 2.000 ms: rank 11 spends 3.000 ms in "
                        "hcom_allReduce__7_0_1 "
                        "of group dp, and rank 12, which came last, 1.000 ms.\n");
    text_reset(&out);
    json_write_to_text(&json, &out);
    report_waits_json(&json, &cluster);
    assert_int_equal(json_write_finish(&json, &err), 0);
    assert_string_equal(
        text_get(&out),
        "[{\"op_name\":\"hcom_allReduce__7_0_1\",\"type\":\"collective\","
        "\"group_name\":\"7\",\"step\":\"1\",\"ranks\":4,\"waiting_rank\":11,"
        "\"last_rank\":12,\"longest_ms\":3.000000,\"shortest_ms\":1.000000}]");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_longest_wait_is_the_first),
        CASE(short_waits_are_left_out),
        CASE(a_collective_that_a_rank_lacks_is_not_compared),
        CASE(a_send_is_compared_with_its_receive),
        CASE(reports_name_the_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
