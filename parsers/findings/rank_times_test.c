/* rank_times_test.c - shares of a launch from records that are written by hand */
#include "parsers/findings/rank_times.h"

#include "tests/support/unit.h"

#define KHZ 50000 /* a tick has 20 ns */

static struct scheduler_task row(uint16_t task, uint64_t from, uint64_t to)
{
    return (struct scheduler_task){
        .stream = 2040, .task = task, .start_ticks = from, .end_ticks = to};
}

static struct hccl_task
step(const char *name, uint16_t task, uint32_t peer, uint64_t bytes)
{
    return (struct hccl_task){.item = report_name_hash(name),
                              .stream = 2040,
                              .task = task,
                              .local_rank = 0,
                              .remote_rank = peer,
                              .bytes = bytes};
}

/* The launch lasts from 1000 to 2000. The cores compute from 1050 to 1500. Rank 2 is
 * waited for from 1400 to 1600, and copied from 1600 to 1900. Rank 1 is waited for from
 * 1400 to 1410, and copied from 1410 to 1700. */
static void a_launch_is_divided_into_compute_transfer_and_wait(void **ctx)
{
    struct scheduler_task rows[] = {row(1, 1400, 1410), row(2, 1410, 1700),
                                    row(3, 1400, 1600), row(4, 1600, 1900)};
    struct hccl_task steps[] = {
        step("Notify_Wait", 3, 2, 0), step("Memcpy", 4, 2, 64),
        step("Notify_Wait", 1, 1, 0), step("Reduce_Inline", 2, 1, 64),
        step("Memcpy", 99, 1, 64), /* of another pass: not in the log */
    };
    struct ai_cpu_compute compute = {.start_ticks = 1050, .end_ticks = 1500};
    struct ai_cpu ai_cpu = {
        .tasks = steps, .task_count = 5, .computes = &compute, .compute_count = 1};
    struct scheduler_tasks tasks = {.rows = rows, .count = 4};
    struct task_durations launch = {
        .start_ticks = 1000, .end_ticks = 2000, .has_duration = true};
    struct rank_times times;

    (void)ctx;
    rank_times_read(&times, &ai_cpu, &tasks, &launch, KHZ);
    assert_true(times.is_known);
    assert_float_equal(times.compute_us, 9.0, 1e-9);  /* 450 ticks */
    assert_float_equal(times.transfer_us, 8.0, 1e-9); /* 1500 to 1900 */
    assert_float_equal(times.wait_us, 3.0, 1e-9);     /* 1000 ticks - 450 - 400 */
    assert_int_equal(times.peer_count, 2);
    assert_int_equal(times.peers[0].rank, 1);
    assert_float_equal(times.peers[0].wait_us, 0.2, 1e-9);
    assert_float_equal(times.peers[0].transfer_us, 5.8, 1e-9);
    assert_int_equal(times.peers[1].rank, 2);
    assert_float_equal(times.peers[1].wait_us, 4.0, 1e-9);
    assert_float_equal(times.peers[1].transfer_us, 6.0, 1e-9);
    rank_times_clear(&times);
}

static void a_launch_without_tasks_of_peers_has_no_shares(void **ctx)
{
    struct ai_cpu ai_cpu = {0};
    struct scheduler_tasks tasks = {0};
    struct task_durations launch = {
        .start_ticks = 1000, .end_ticks = 2000, .has_duration = true};
    struct rank_times times;

    (void)ctx;
    rank_times_read(&times, &ai_cpu, &tasks, &launch, KHZ);
    assert_false(times.is_known);
    rank_times_read(&times, &ai_cpu, &tasks, &launch, 0);
    assert_false(times.is_known);
}

/* Records of other launches and reversed times are left out. */
static void records_outside_the_launch_are_ignored(void **ctx)
{
    struct scheduler_task rows[] = {row(1, 100, 200), row(2, 1900, 2100),
                                    row(3, 1500, 1400), row(4, 1500, 1600)};
    struct hccl_task steps[] = {step("Memcpy", 1, 1, 8), step("Memcpy", 2, 1, 8),
                                step("Memcpy", 3, 1, 8), step("Memcpy", 4, 1, 8)};
    struct ai_cpu_compute compute = {.start_ticks = 3000, .end_ticks = 10};
    struct ai_cpu ai_cpu = {
        .tasks = steps, .task_count = 4, .computes = &compute, .compute_count = 1};
    struct scheduler_tasks tasks = {.rows = rows, .count = 4};
    struct task_durations launch = {
        .start_ticks = 1000, .end_ticks = 2000, .has_duration = true};
    struct rank_times times;

    (void)ctx;
    rank_times_read(&times, &ai_cpu, &tasks, &launch, KHZ);
    assert_int_equal(times.peer_count, 1);
    assert_float_equal(times.peers[0].transfer_us, 2.0, 1e-9);
    assert_float_equal(times.compute_us, 0.0, 1e-9);
    assert_float_equal(times.wait_us, 18.0, 1e-9);
    rank_times_clear(&times);
}

/* Rank 1 of one communicator is not rank 1 of another. The first to transfer is group
 * 1, whatever the order of the reports. */
static void ranks_of_two_communicators_are_apart(void **ctx)
{
    struct scheduler_task rows[] = {row(1, 1600, 1700), row(2, 1100, 1150),
                                    row(3, 1700, 1720)};
    struct hccl_task steps[] = {step("Memcpy", 1, 1, 64), step("Memcpy", 2, 1, 64),
                                step("Memcpy", 3, 0, 64)};
    struct ai_cpu ai_cpu = {.tasks = steps, .task_count = 3};
    struct scheduler_tasks tasks = {.rows = rows, .count = 3};
    struct task_durations launch = {
        .start_ticks = 1000, .end_ticks = 2000, .has_duration = true};
    struct rank_times times;

    (void)ctx;
    steps[0].group = 7;
    steps[1].group = 9;
    steps[2].group = 7;
    steps[2].local_rank = 1;
    rank_times_read(&times, &ai_cpu, &tasks, &launch, KHZ);
    assert_int_equal(times.groups, 2);
    assert_int_equal(times.peer_count, 3);
    assert_int_equal(times.peers[0].group, 1);
    assert_int_equal(times.peers[0].rank, 1);
    assert_float_equal(times.peers[0].transfer_us, 1.0, 1e-9);
    assert_int_equal(times.peers[1].group, 2);
    assert_int_equal(times.peers[1].rank, 0);
    assert_float_equal(times.peers[1].transfer_us, 0.4, 1e-9);
    assert_int_equal(times.peers[2].rank, 1);
    assert_float_equal(times.peers[2].transfer_us, 2.0, 1e-9);
    assert_float_equal(times.transfer_us, 3.4, 1e-9);
    rank_times_clear(&times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_divided_into_compute_transfer_and_wait),
        cmocka_unit_test(a_launch_without_tasks_of_peers_has_no_shares),
        cmocka_unit_test(records_outside_the_launch_are_ignored),
        cmocka_unit_test(ranks_of_two_communicators_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
