/* time_summary_test.c - the parts of the time of each step of each rank */
#include "parsers/cluster/time_summary.h"

#include <math.h>
#include <stdio.h>

#include "parsers/cluster/four_ranks_test.h"
#include "tests/support/unit.h"

static struct rank_times step_of(int rank, const char *step)
{
    struct rank_times row = {.rank = 10 + rank,
                             .us = {1000, 400, 200, 50, 250, 300, 0, 0, 130.5, 100}};

    snprintf(row.step, sizeof(row.step), "%s", step);
    return row;
}

static const struct rank_times *
row_of(size_t place, int64_t rank, const char *step, double wait_us, double transmit_us)
{
    const struct rank_times *row = &cluster.times[place];

    assert_int_equal(row->rank, rank);
    assert_string_equal(row->step, step);
    assert_true(fabs(row->us[TIME_WAIT] - wait_us) < 1e-9);
    assert_true(fabs(row->us[TIME_TRANSMIT] - transmit_us) < 1e-9);
    return row;
}

static void the_shortest_time_is_the_transfer_and_the_rest_is_waiting(void **ctx)
{
    struct rank_times rows[2 * RANKS];

    (void)ctx;
    for (int i = 0; i < RANKS; i++) {
        rows[2 * i] = step_of(i, "1");
        rows[2 * i + 1] = step_of(i, "2");
    }
    add_collective("hcom_allReduce__7_0_1", "step1", 10, 4, 7, 4.5);
    add_collective("hcom_allReduce__7_0_1", "step2", 2, 3, 1, 1);
    add_collective("hcom_allGather__7_1_1", "step1", 1, 1, 1, 2);
    time_summary_set(&cluster, rows, COUNT(rows));
    assert_int_equal(cluster.time_count, 8);
    row_of(0, 10, "1", 6000, 5000);
    row_of(1, 10, "2", 1000, 1000);
    row_of(2, 11, "1", 0, 5000);
    row_of(3, 11, "2", 2000, 1000);
    row_of(4, 12, "1", 3000, 5000);
    row_of(6, 13, "1", 1500, 5000);
    row_of(7, 13, "2", 0, 1000);
    assert_true(cluster.times[7].us[TIME_COPY] == 130.5);
}

static void a_capture_without_steps_is_one_row(void **ctx)
{
    struct rank_times rows[RANKS];

    (void)ctx;
    for (int i = 0; i < RANKS; i++) {
        rows[i] = step_of(i, "");
        rows[i].is_whole = true;
    }
    add_collective("hcom_allReduce__7_0_1", "step", 2, 1, 1, 1);
    time_summary_set(&cluster, rows, COUNT(rows));
    row_of(0, 10, "", 1000, 1000);
    row_of(3, 13, "", 0, 1000);
}

static void a_rank_that_was_not_analysed_has_no_row(void **ctx)
{
    struct rank_times rows[2] = {step_of(0, "1"), step_of(3, "1")};

    (void)ctx;
    ranks[3].comm.count = 0; /* has no communication file, so no group is complete */
    rows[1].us[TIME_COPY] = rows[1].us[TIME_COPY_ALONE] = NAN;
    add(0, "7", "hcom_allReduce__7_0_1", "step1", 5);
    time_summary_set(&cluster, rows, COUNT(rows));
    row_of(0, 10, "1", 0, 0);
    assert_true(isnan(cluster.times[1].us[TIME_WAIT]));
    text_reset(&out);
    time_summary_csv(&out, &cluster);
    assert_string_equal(
        text_get(&out),
        "Rank,Step,stepTime,computation,communicationNotOverlapComputation,"
        "communicationOverlapComputation,communication,free,"
        "communicationWaitStageTime,communicationTransmitStageTime,memory,"
        "memoryNotOverlapComputationCommunication\n"
        "10,1,1000,400,200,50,250,300,0,0,130.5,100\n"
        "13,1,1000,400,200,50,250,300,,,,\n");
}

static void without_rows_nothing_is_written(void **ctx)
{
    (void)ctx;
    time_summary_set(&cluster, NULL, 0);
    time_summary_table(&out, &cluster);
    assert_int_equal(out.length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_shortest_time_is_the_transfer_and_the_rest_is_waiting, set_up, clear),
        cmocka_unit_test_setup_teardown(a_capture_without_steps_is_one_row, set_up,
                                        clear),
        cmocka_unit_test_setup_teardown(a_rank_that_was_not_analysed_has_no_row, set_up,
                                        clear),
        cmocka_unit_test_setup_teardown(without_rows_nothing_is_written, set_up, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
