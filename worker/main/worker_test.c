/* worker_test.c - runs of a worker, from their lease to their result */
#include "tests/support/played_coordinator.h"
#include "worker/lease/lease_queue.h"

static void a_run_comes_home_whole_and_the_next_may_come(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 0);
    lease(7, "20", "");
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    hear_result(&in, 7, "done");
    assert_true(in.message.rank_result.injected);
    assert_int_equal(in.message.rank_result.launches, 20);
    assert_int_equal(in.message.rank_result.groups, got.groups);
    assert_int_equal(got.launches, 20);
    assert_int_equal(got.ranks, 1);
    assert_true(got.first_is_rank);
    assert_true(got.groups > 1);

    lease(8, "1", "");
    hear_result(&in, 8, "done");
}

static void a_program_of_the_simulated_card_is_measured(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    got.program = "add_custom";
    lease_with(7, 0, (const char *const[]){"sim/bin/add_custom", NULL});
    hear_result(&in, 7, "done");
    assert_int_equal(in.message.rank_result.launches, 1);
    assert_int_equal(got.launches, 1);
}

static void a_program_without_an_npu_is_not_injected(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease_with(7, 0, (const char *const[]){"true", NULL});
    hear_result(&in, 7, "not-injected");
    assert_false(in.message.rank_result.injected);
}

static void a_lease_without_metrics_only_runs(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    unmeasured = true;
    lease_with(7, 0, (const char *const[]){"sim/bin/add_custom", NULL});
    hear_result(&in, 7, "done");
    assert_false(in.message.rank_result.injected);
    assert_int_equal(in.message.rank_result.launches, 0);
    unmeasured = false;
}

static void a_failure_is_told_with_the_last_words(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "fail");
    hear_result(&in, 7, "failed");
    assert_int_equal(in.message.rank_result.exit_code, 5);
    assert_non_null(strstr(in.message.rank_result.reason, "these are the last words"));
    lease(8, "1", "crash");
    hear_result(&in, 8, "failed");
    assert_int_equal(in.message.rank_result.signal, SIGSEGV);
}

static void no_program_is_a_result_too(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease_with(7, 0, (const char *const[]){"./none", NULL});
    hear_result(&in, 7, "not-started");
    assert_non_null(strstr(in.message.rank_result.reason, "./none"));
}

static void the_time_limit_ends_it_and_keeps_what_it_made(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease_with(7, 2000, (const char *const[]){FAKE_OPERATOR, "3", "hang", NULL});
    hear_result(&in, 7, "timeout");
    assert_int_equal(got.launches, 3);
}

static void tell_to_stop(uint64_t run_id, bool only_waiting)
{
    struct msg_stop_rank stop = {
        .run_id = run_id, .reason = "the user said so", .only_waiting = only_waiting};
    struct err err;

    assert_int_equal(link_send(control, &worker_peer, MSG_STOP_RANK, &stop, &err), 0);
}

static void leases_wait_in_line_and_one_too_many_is_refused(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "hang");
    hear(MSG_LEASE_TAKEN, &in);
    lease(8, "1", "");
    for (uint64_t id = 100; id < 100 + LEASE_QUEUE_MAX; id++)
        lease(id, "1", "");
    hear(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 99 + LEASE_QUEUE_MAX);
    assert_non_null(strstr(in.message.lease_refused.reason, "busy"));
    lease(8, "1", "");     /* said again: it waits already */
    lease(7, "1", "hang"); /* said again: it is taken already */
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    for (uint64_t id = 99 + LEASE_QUEUE_MAX - 1; id > 100; id--) {
        tell_to_stop(id, true);
        hear(MSG_LEASE_REFUSED, &in);
        assert_int_equal(in.message.lease_refused.run_id, id);
    }
    tell_to_stop(7, false);
    hear_result(&in, 7, "cancelled");
    assert_string_equal(in.message.rank_result.reason, "the user said so");
    hear_result(&in, 8, "done");
    hear_result(&in, 100, "done");
}

static void what_waits_begins_before_the_last_result_is_acked(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "");
    lease(8, "1", "");
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    do
        hear(MSG_LEASE_TAKEN, &in);
    while (in.message.lease_taken.run_id != 8);
    hear_result(&in, 8, "done"); /* 7 is told again until it is acked, too */
    hear_result(&in, 7, "done");
}

static void what_only_waits_is_given_back_when_asked(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "hang");
    lease(8, "1", "");
    hear(MSG_LEASE_TAKEN, &in);
    tell_to_stop(7, true); /* has begun: goes on */
    tell_to_stop(8, true);
    hear(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 8);
    tell_to_stop(8, true); /* not here: nothing is said */
    tell_to_stop(7, false);
    hear_result(&in, 7, "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_run_comes_home_whole_and_the_next_may_come),
        CASE(a_program_of_the_simulated_card_is_measured),
        CASE(a_program_without_an_npu_is_not_injected),
        CASE(a_lease_without_metrics_only_runs),
        CASE(a_failure_is_told_with_the_last_words),
        CASE(no_program_is_a_result_too),
        CASE(the_time_limit_ends_it_and_keeps_what_it_made),
        CASE(leases_wait_in_line_and_one_too_many_is_refused),
        CASE(what_waits_begins_before_the_last_result_is_acked),
        CASE(what_only_waits_is_given_back_when_asked),
    };
    worker_path = WORKER;
    operator_path = FAKE_OPERATOR;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
