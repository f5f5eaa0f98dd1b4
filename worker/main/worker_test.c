/* worker_test.c - ranks of a worker, from lease to result */
#include "tests/support/fake_coordinator.h"
#include "worker/card/card.h"
#include "worker/lease/lease_queue.h"

static void a_rank_sends_all_groups_and_then_its_result(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 0);
    send_lease(7, "20", "");
    receive(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    receive_result(&in, 7, "done");
    assert_true(in.message.rank_result.injected);
    assert_int_equal(in.message.rank_result.launches, 20);
    assert_int_equal(in.message.rank_result.groups, received.groups);
    assert_int_equal(received.launches, 20);
    assert_int_equal(received.ranks, 1);
    assert_true(received.first_is_rank);
    assert_true(received.groups > 1);

    send_lease(8, "1", "");
    receive_result(&in, 8, "done");
}

/* Each lease fails at once, because its command is empty. */
static void without_acknowledgements_the_number_of_results_is_limited(void **ctx)
{
    enum { BURST = 64 };
    static const char *const none[] = {NULL};
    struct incoming in;
    struct err err;

    (void)ctx;
    receive_hello(&in);
    unmeasured = true;
    for (uint64_t id = 1; id <= CARD_RESULTS_MAX; id++) {
        send_lease_with(id, 0, none);
        while (id % BURST == 0 &&
               (receive(MSG_RANK_RESULT, &in), in.message.rank_result.run_id != id))
            ;
    }
    send_lease_with(5000, 0, none);
    receive(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 5000);
    assert_string_equal(in.message.lease_refused.reason,
                        "too many results of the worker were not acknowledged");
    assert_int_equal(link_send(control, &worker_peer, MSG_RESULT_ACK,
                               &(struct msg_result_ack){.run_id = 1}, &err),
                     0);
    send_lease_with(5001, 0, none);
    receive_result(&in, 5001, "not-started");
    unmeasured = false;
}

static void an_operator_on_the_simulated_card_is_measured(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    received.program = "add_custom";
    send_lease_with(7, 0, (const char *const[]){"sim/bin/add_custom", NULL});
    receive_result(&in, 7, "done");
    assert_int_equal(in.message.rank_result.launches, 1);
    assert_int_equal(received.launches, 1);
}

static void an_operator_without_an_npu_is_not_injected(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease_with(7, 0, (const char *const[]){"true", NULL});
    receive_result(&in, 7, "not-injected");
    assert_false(in.message.rank_result.injected);
}

static void a_lease_without_metrics_is_not_measured(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    unmeasured = true;
    send_lease_with(7, 0, (const char *const[]){"sim/bin/add_custom", NULL});
    receive_result(&in, 7, "done");
    assert_false(in.message.rank_result.injected);
    assert_int_equal(in.message.rank_result.launches, 0);
    unmeasured = false;
}

static void a_failure_is_reported_with_the_last_line_of_output(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease(7, "1", "fail");
    receive_result(&in, 7, "failed");
    assert_int_equal(in.message.rank_result.exit_code, 5);
    assert_non_null(strstr(in.message.rank_result.reason, "this is the last line"));
    send_lease(8, "1", "crash");
    receive_result(&in, 8, "failed");
    assert_int_equal(in.message.rank_result.signal, SIGSEGV);
}

static void a_missing_program_gives_a_result(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease_with(7, 0, (const char *const[]){"./none", NULL});
    receive_result(&in, 7, "not-started");
    assert_non_null(strstr(in.message.rank_result.reason, "./none"));
}

static void the_time_limit_stops_the_operator_and_keeps_its_groups(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease_with(7, 2000, (const char *const[]){FAKE_OPERATOR, "3", "hang", NULL});
    receive_result(&in, 7, "timeout");
    assert_int_equal(received.launches, 3);
}

/* Otherwise a wrong coordinator could keep the worker silent for as long as it likes.
 */
static void an_interval_of_heartbeats_that_is_too_long_is_not_used(void **ctx)
{
    struct incoming in;

    (void)ctx;
    heartbeat_ms = 600000;
    receive_hello(&in);
    receive(MSG_HEARTBEAT, &in);
    receive(MSG_HEARTBEAT, &in);
}

static void send_stop(uint64_t run_id, bool only_waiting)
{
    struct msg_stop_rank stop = {.run_id = run_id,
                                 .reason = "cancelled by the user",
                                 .only_waiting = only_waiting};
    struct err err;

    assert_int_equal(link_send(control, &worker_peer, MSG_STOP_RANK, &stop, &err), 0);
}

static void leases_wait_in_a_queue_and_one_too_many_is_refused(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease(7, "1", "hang");
    receive(MSG_LEASE_TAKEN, &in);
    send_lease(8, "1", "");
    for (uint64_t id = 100; id < 100 + LEASE_QUEUE_MAX; id++)
        send_lease(id, "1", "");
    receive(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 99 + LEASE_QUEUE_MAX);
    assert_non_null(strstr(in.message.lease_refused.reason, "busy"));
    send_lease(8, "1", "");     /* repeated: it waits already */
    send_lease(7, "1", "hang"); /* repeated: it is taken already */
    receive(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    for (uint64_t id = 99 + LEASE_QUEUE_MAX - 1; id > 100; id--) {
        send_stop(id, true);
        receive(MSG_LEASE_REFUSED, &in);
        assert_int_equal(in.message.lease_refused.run_id, id);
    }
    send_stop(7, false);
    receive_result(&in, 7, "cancelled");
    assert_string_equal(in.message.rank_result.reason, "cancelled by the user");
    receive_result(&in, 8, "done");
    receive_result(&in, 100, "done");
}

static void a_waiting_lease_starts_before_the_last_result_is_acknowledged(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease(7, "1", "");
    send_lease(8, "1", "");
    receive(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    do
        receive(MSG_LEASE_TAKEN, &in);
    while (in.message.lease_taken.run_id != 8);
    receive_result(&in, 8,
                   "done"); /* the result of 7 is sent again until it is acknowledged */
    receive_result(&in, 7, "done");
}

static void a_recall_returns_waiting_leases_only(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease(7, "1", "hang");
    send_lease(8, "1", "");
    receive(MSG_LEASE_TAKEN, &in);
    send_stop(7, true); /* rank 7 has begun and continues */
    send_stop(8, true);
    receive(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 8);
    send_stop(8, true); /* unknown: no reply */
    send_stop(7, false);
    receive_result(&in, 7, "cancelled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_rank_sends_all_groups_and_then_its_result),
        CASE(without_acknowledgements_the_number_of_results_is_limited),
        CASE(an_operator_on_the_simulated_card_is_measured),
        CASE(an_operator_without_an_npu_is_not_injected),
        CASE(a_lease_without_metrics_is_not_measured),
        CASE(a_failure_is_reported_with_the_last_line_of_output),
        CASE(a_missing_program_gives_a_result),
        CASE(an_interval_of_heartbeats_that_is_too_long_is_not_used),
        CASE(the_time_limit_stops_the_operator_and_keeps_its_groups),
        CASE(leases_wait_in_a_queue_and_one_too_many_is_refused),
        CASE(a_waiting_lease_starts_before_the_last_result_is_acknowledged),
        CASE(a_recall_returns_waiting_leases_only),
    };
    worker_path = WORKER;
    operator_path = FAKE_OPERATOR;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
