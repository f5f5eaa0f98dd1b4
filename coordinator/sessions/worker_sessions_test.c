#include "coordinator/sessions/worker_sessions.h"

#include "coordinator/fleet/fleet.h"
#include "coordinator/net/outbox.h"
#include "coordinator/net/permissions.h"
#include "coordinator/placement/scheduler.h"
#include "lib/base/clock.h"
#include "tests/support/coordinator_fixture.h"

enum { SILENCE_MS = LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS, WAIT_MS = 10000 };

/* Without a link, the messages stay in the outbox. */
struct test {
    struct fixture *fixture;
    struct fleet fleet;
    struct outbox *outbox;
    struct sessions *sessions;
    uint64_t now_ms;
};

static void create_sessions(struct test *test, struct link *link)
{
    test->outbox = outbox_create();
    test->sessions = sessions_create(test->fixture->ledger, &test->fleet, test->outbox,
                                     link, "test");
}

static void destroy_sessions(struct test *test)
{
    sessions_destroy(test->sessions);
    outbox_destroy(test->outbox);
}

static int set_up(void **ctx)
{
    struct test *test = xcalloc(1, sizeof(*test));
    struct err err;

    fixture_set_up((void **)&test->fixture);
    assert_int_equal(fleet_init(&test->fleet, test->fixture->store, &err), 0);
    create_sessions(test, NULL);
    *ctx = test;
    return 0;
}

static int tear_down(void **ctx)
{
    struct test *test = *ctx;

    destroy_sessions(test);
    ledger_close(test->fixture->ledger); /* before the workers, which its ranks name */
    test->fixture->ledger = NULL;
    fleet_clear(&test->fleet);
    fixture_tear_down((void **)&test->fixture);
    free(test);
    return 0;
}

static void handle(struct test *test, uint8_t from, struct incoming *in)
{
    struct err err;
    bool handled;

    in->peer = fixture_peer(from);
    if (sessions_handle_message(test->sessions, in, &handled, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(handled);
}

/* Connects the worker of card N as peer N. */
static struct worker *hello(struct test *test, uint8_t card)
{
    struct incoming in = {.kind = message_find(MSG_WORKER_HELLO)};
    const struct peer peer = fixture_peer(card);

    in.message.worker_hello = fixture_hello(card);
    handle(test, card, &in);
    struct worker *worker = workers_find(&test->fleet.workers, &peer);
    assert_non_null(worker);
    test->now_ms = worker->received_ms;
    return worker;
}

static void schedule(struct test *test)
{
    const struct scheduler_view view = {test->fixture->ledger, &test->fleet,
                                        clock_mono_ms()};
    struct scheduler_actions actions = {0};
    struct err err;

    workers_update_states(&test->fleet.workers, test->fleet.drains, view.now_ms);
    scheduler_plan(&view, &actions);
    assert_int_equal(sessions_apply(test->sessions, &actions, &err), 0);
    scheduler_actions_clear(&actions);
}

static void taken(struct test *test, uint8_t from, uint64_t run_id)
{
    struct incoming in = {.kind = message_find(MSG_LEASE_TAKEN),
                          .message.lease_taken = {run_id, 0}};

    handle(test, from, &in);
}

/* Moves the clock in steps of a heartbeat. */
static void wait_until(struct test *test, uint64_t end_ms)
{
    struct err err;

    while (test->now_ms < end_ms) {
        test->now_ms += LINK_HEARTBEAT_MS;
        if (test->now_ms > end_ms)
            test->now_ms = end_ms;
        assert_int_equal(sessions_tick(test->sessions, test->now_ms, &err), 0);
    }
}

/* Ends the first rank of the worker well after a millisecond. */
static void end_first(struct test *test, uint8_t from, const struct worker *worker)
{
    struct incoming in = {
        .kind = message_find(MSG_RANK_RESULT),
        .message.rank_result = {.run_id = worker->ranks->attempt->run_id,
                                .status = "done",
                                .reason = "",
                                .started_wall_ns = 1000000,
                                .ended_wall_ns = 2000000}};

    handle(test, from, &in);
}

/* Submits a job with one process that uses two cards. */
static struct ledger_job *submit_threads(struct test *test)
{
    static const char yaml[] =
        "version: 1\nname: threads\noperator: {command: [bin/true], threads: 2}\n"
        "profile: {metrics: []}\n";
    const struct msg_submit submit = {yaml, "job.yaml", test->fixture->folder, "me",
                                      ""};
    struct ledger_job *job;
    char *problems = NULL;
    struct err err;

    if (ledger_submit(&job, test->fixture->ledger, &submit, &problems, &err) < 0)
        fail_msg("%s: %s", err.text, problems ? problems : "");
    return job;
}

static void a_commit_can_wait_while_no_card_has_half_its_leases_unsent(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker = hello(test, 1);
    size_t in_hand;

    fixture_submit(test->fixture, 100, "");
    assert_false(sessions_need_commit_now(test->sessions));
    schedule(test);
    assert_true(
        sessions_need_commit_now(test->sessions)); /* the worker has no lease yet */
    sessions_leases_sent(test->sessions);
    assert_false(sessions_need_commit_now(test->sessions));
    end_first(test, 1, worker);
    schedule(test);
    sessions_leases_sent(test->sessions);
    in_hand = worker->rank_count;
    assert_true(in_hand > 2);
    for (size_t ended = 1; ended <= in_hand / 2; ended++) {
        assert_false(sessions_need_commit_now(test->sessions));
        end_first(test, 1, worker);
        schedule(test);
        assert_int_equal(worker->rank_count, in_hand);
    }
    assert_true(
        sessions_need_commit_now(test->sessions)); /* half of the leases are unsent */
}

static void a_heartbeat_is_answered_before_the_commit(void **ctx)
{
    struct test *test = *ctx;
    struct link_hub *hub = link_hub_create();
    char *endpoint = xasprintf("ipc://%s/control", test->fixture->folder);
    const struct link_options options = {.endpoint = endpoint, .kind = LINK_CONTROL};
    const struct msg_worker_hello hello = fixture_hello(1);
    const struct msg_heartbeat beat = {7};
    struct link *server, *client;
    struct incoming in;
    struct err err;
    bool handled;

    assert_int_equal(link_server_open(&server, hub, &options, &err), 0);
    assert_int_equal(link_client_open(&client, hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(client, WAIT_MS, &err), 0);
    destroy_sessions(test);
    create_sessions(test, server);
    link_send(client, NULL, MSG_WORKER_HELLO, &hello, &err);
    link_send(client, NULL, MSG_HEARTBEAT, &beat, &err);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(link_wait_receive(server, &in, WAIT_MS, &err), 0);
        assert_int_equal(sessions_handle_message(test->sessions, &in, &handled, &err),
                         0);
    }
    assert_int_equal(link_wait_receive(client, &in, WAIT_MS, &err), 0);
    assert_non_null(in.kind);
    assert_int_equal(in.kind->type, MSG_HEARTBEAT_REPLY);
    assert_int_equal(in.message.heartbeat_reply.run_id, 7);
    assert_false(outbox_is_empty(test->outbox)); /* the welcome */
    destroy_sessions(test);
    create_sessions(test, NULL);
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
}

/* Without a session, so that no message has an effect. Groups use another socket. */
static void every_message_of_a_worker_is_handled_and_no_other_one(void **ctx)
{
    struct test *test = *ctx;

    for (const struct message *kind = messages; kind->type; kind++) {
        struct incoming in = {.kind = kind, .peer = fixture_peer(1)};
        struct err err;
        bool handled;

        if (kind->type == MSG_WORKER_HELLO || kind->type == MSG_GROUP)
            continue;
        assert_int_equal(sessions_handle_message(test->sessions, &in, &handled, &err),
                         0);
        assert_int_equal(handled, permissions_allow(ROLE_WORKER, kind->type));
    }
}

static void a_worker_is_lost_after_four_silent_heartbeats_and_not_before(void **ctx)
{
    struct test *test = *ctx;
    uint64_t received_ms = hello(test, 1)->received_ms;

    wait_until(test, received_ms + SILENCE_MS);
    assert_int_equal(test->fleet.workers.count, 1);
    wait_until(test, received_ms + SILENCE_MS + 1);
    assert_int_equal(test->fleet.workers.count, 0);
}

static void of_a_lost_worker_only_the_running_task_spends_a_retry(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker = hello(test, 1);
    struct ledger_job *job = fixture_submit(test->fixture, 3, "");

    schedule(test);
    schedule(test);
    assert_int_equal(worker->rank_count,
                     2); /* one runs, one waits; the third has no lease */
    assert_int_equal(job->counts[TASK_WAITING], 1);
    taken(test, 1, worker->ranks->attempt->run_id);
    wait_until(test, worker->received_ms + SILENCE_MS + 1);
    assert_int_equal(job->counts[TASK_WAITING], 3);
    assert_int_equal(job->tasks[0].spent, 1);
    assert_int_equal(job->tasks[1].spent, 0);
    assert_int_equal(job->tasks[1].attempts, 1);
}

static void no_worker_is_lost_while_the_coordinator_is_busy(void **ctx)
{
    struct test *test = *ctx;
    uint64_t received_ms = hello(test, 1)->received_ms;
    struct err err;

    wait_until(test, received_ms + LINK_HEARTBEAT_MS);
    test->now_ms += 10 * SILENCE_MS; /* a very long turn */
    assert_int_equal(sessions_tick(test->sessions, test->now_ms, &err), 0);
    assert_int_equal(test->fleet.workers.count, 1);
}

static void idle_cards_get_leases_first_and_then_each_card_a_second_one(void **ctx)
{
    struct test *test = *ctx;
    struct worker *first = hello(test, 1), *second = hello(test, 2);

    fixture_submit(test->fixture, 3, "");
    schedule(test);
    assert_int_equal(first->rank_count, 2);
    assert_int_equal(second->rank_count, 1);
}

static void a_started_lease_is_not_recalled(void **ctx)
{
    struct test *test = *ctx;
    struct worker *busy = hello(test, 1);

    fixture_submit(test->fixture, 2, "");
    schedule(test);
    taken(test, 1, busy->ranks->attempt->run_id);
    taken(test, 1, busy->ranks->next_of_worker->attempt->run_id);
    hello(test, 2);
    schedule(test);
    assert_false(busy->ranks->recalled);
    assert_false(busy->ranks->next_of_worker->recalled);
}

static void one_lease_is_recalled_per_idle_card(void **ctx)
{
    struct test *test = *ctx;
    struct worker *first = hello(test, 1), *second = hello(test, 2);

    fixture_submit(test->fixture, 4, "");
    schedule(test);
    hello(test, 3);
    schedule(test);
    schedule(test); /* the recalled lease has not been returned */
    assert_int_equal(first->ranks->next_of_worker->recalled +
                         second->ranks->next_of_worker->recalled,
                     1);
    assert_false(first->ranks->recalled);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static void comes_back(struct test *test, struct worker *worker, uint8_t from)
{
    struct incoming in = {
        .kind = message_find(MSG_LEASE_REFUSED),
        .message.lease_refused = {worker->ranks->attempt->run_id, 0, "an alarm", true}};

    handle(test, from, &in);
}

/* Refuses a lease because of a card fault, and ends the rest of the card. */
static void
refused_by_an_ill_card(struct test *test, struct worker *worker, uint8_t from)
{
    comes_back(test, worker, from);
    worker->rest_until_ms = 0;
    schedule(test);
}

static void ended_so(struct test *test,
                     struct worker *worker,
                     uint8_t from,
                     bool well,
                     bool card_fault)
{
    struct incoming in = {
        .kind = message_find(MSG_RANK_RESULT),
        .message.rank_result = {.run_id = worker->ranks->attempt->run_id,
                                .status =
                                    rank_status_word(well ? RANK_DONE : RANK_FAILED),
                                .reason = "two bits",
                                .exit_code = !well,
                                .card_fault = card_fault}};

    taken(test, from, worker->ranks->attempt->run_id);
    handle(test, from, &in);
    schedule(test);
}

static void ended(struct test *test, struct worker *worker, uint8_t from, bool well)
{
    ended_so(test, worker, from, well, !well);
}

static void a_card_fault_after_a_good_result_counts_and_the_result_stays(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker = hello(test, 1);
    const struct drains *drains = test->fleet.drains;
    struct ledger_job *job = fixture_submit(test->fixture, 9, "");
    const char *what;

    schedule(test);
    for (uint32_t i = 0; i < CARD_FAULTS_MAX; i++) {
        assert_null(drains_find(drains, worker->host, worker->card));
        assert_int_equal(
            card_faults_count(&test->fleet.faults, worker->host, worker->card, &what),
            i);
        assert_string_equal(what, i ? "two bits" : "");
        ended_so(test, worker, 1, true, true);
    }
    assert_non_null(strstr(drains_find(drains, worker->host, worker->card),
                           "3 faults in a row: two bits"));
    assert_int_equal(job->counts[TASK_DONE] + job->counts[TASK_PARSING],
                     CARD_FAULTS_MAX);
    assert_int_equal(worker->ranks_failed, 0);
}

static void a_fault_of_a_lent_card_counts(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker = hello(test, 1);
    struct incoming in = {.kind = message_find(MSG_CARD_FAULT),
                          .message.card_fault = {7, "an alarm"}};
    const char *what;

    handle(test, 1, &in);
    assert_int_equal(
        card_faults_count(&test->fleet.faults, worker->host, worker->card, &what), 1);
    assert_string_equal(what, "an alarm");
}

static void a_card_with_three_faults_in_a_row_is_drained(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker = hello(test, 1);
    const struct drains *drains = test->fleet.drains;
    struct ledger_job *job = fixture_submit(test->fixture, 9, "");
    uint32_t spent = 0;

    schedule(test);
    refused_by_an_ill_card(test, worker, 1);
    ended(test, worker, 1, false);
    assert_null(drains_find(drains, worker->host, worker->card));
    ended(test, worker, 1, true); /* a good result clears the count */
    for (int i = 0; i < CARD_FAULTS_MAX; i++) {
        assert_null(drains_find(drains, worker->host, worker->card));
        refused_by_an_ill_card(test, worker, 1);
    }
    assert_non_null(strstr(drains_find(drains, worker->host, worker->card),
                           "quarantine: 3 faults in a row: an alarm"));
    for (int i = 0; i < 9; i++)
        spent += job->tasks[i].spent;
    assert_int_equal(spent, 1); /* a refused lease spends no retry */
    while (worker->ranks)
        refused_by_an_ill_card(test, worker, 1);
    assert_int_equal(worker->rank_count, 0);
}

static void leases_refused_at_the_same_time_are_one_fault(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker = hello(test, 1);
    const char *what;

    fixture_submit(test->fixture, 9, "");
    schedule(test);
    assert_true(worker->rank_count >= 2);
    while (worker->ranks)
        comes_back(test, worker, 1);
    assert_int_equal(
        card_faults_count(&test->fleet.faults, worker->host, worker->card, &what), 1);
}

static void a_result_of_a_lent_card_changes_nothing(void **ctx)
{
    struct test *test = *ctx;
    struct worker *workers[] = {hello(test, 1), hello(test, 2)};
    struct ledger_job *job = submit_threads(test);
    const struct attempt_rank *lent;
    uint8_t sender;
    const char *what;

    schedule(test);
    sender = workers[1]->ranks->number == 1 ? 2 : 1;
    lent = workers[sender - 1]->ranks;
    assert_int_equal(lent->number, 1);
    struct incoming in = {.kind = message_find(MSG_RANK_RESULT),
                          .message.rank_result = {.run_id = lent->attempt->run_id,
                                                  .rank = 1,
                                                  .status = "failed",
                                                  .reason = "an alarm",
                                                  .groups = 1,
                                                  .card_fault = true}};
    handle(test, sender, &in);
    assert_int_equal(lent->state, RANK_STATE_LEASED);
    assert_ptr_equal(lent->worker, workers[sender - 1]);
    assert_int_equal(job->counts[TASK_LEASED], 1);
    assert_int_equal(workers[sender - 1]->ranks_ended, 0);
    assert_int_equal(card_faults_count(&test->fleet.faults, "here", sender, &what), 0);
    assert_false(outbox_is_empty(test->outbox)); /* the acknowledgement */
    in.message.rank_result = (struct msg_rank_result){
        .run_id = lent->attempt->run_id, .status = "done", .reason = ""};
    handle(test, sender == 1 ? 2 : 1, &in);
    assert_int_equal(job->counts[TASK_DONE], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_commit_can_wait_while_no_card_has_half_its_leases_unsent),
        CASE(a_heartbeat_is_answered_before_the_commit),
        CASE(every_message_of_a_worker_is_handled_and_no_other_one),
        CASE(a_worker_is_lost_after_four_silent_heartbeats_and_not_before),
        CASE(of_a_lost_worker_only_the_running_task_spends_a_retry),
        CASE(no_worker_is_lost_while_the_coordinator_is_busy),
        CASE(idle_cards_get_leases_first_and_then_each_card_a_second_one),
        CASE(a_started_lease_is_not_recalled),
        CASE(one_lease_is_recalled_per_idle_card),
        CASE(a_card_fault_after_a_good_result_counts_and_the_result_stays),
        CASE(a_fault_of_a_lent_card_counts),
        CASE(a_card_with_three_faults_in_a_row_is_drained),
        CASE(leases_refused_at_the_same_time_are_one_fault),
        CASE(a_result_of_a_lent_card_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
