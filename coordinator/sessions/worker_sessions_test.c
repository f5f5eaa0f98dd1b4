#include "coordinator/placement/scheduler.h"
#include "coordinator/sessions/barrier_relay.h"
#include "lib/base/clock.h"
#include "tests/support/coordinator_ground.h"

enum { SILENCE_MS = LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS, PATIENCE_MS = 10000 };

/* Its link is nobody's: what is said stays in the outbox. */
struct desk {
    struct ground *ground;
    struct sessions control;
    uint64_t now_ms;
};

static int up(void **ctx)
{
    struct desk *desk = xcalloc(1, sizeof(*desk));

    ground_up((void **)&desk->ground);
    desk->control = (struct sessions){
        .ledger = desk->ground->ledger, .outbox = outbox_create(), .store_id = "test"};
    desk->control.barriers = barriers_create(barrier_relay_release, &desk->control);
    struct err err;
    assert_int_equal(drains_open(&desk->control.drains, desk->ground->store, &err), 0);
    *ctx = desk;
    return 0;
}

static int down(void **ctx)
{
    struct desk *desk = *ctx;

    outbox_destroy(desk->control.outbox);
    barriers_destroy(desk->control.barriers);
    card_faults_clear(&desk->control.faults);
    drains_close(desk->control.drains);
    ledger_close(desk->ground->ledger); /* before the workers, whom its runs name */
    desk->ground->ledger = NULL;
    workers_clear(&desk->control.workers);
    ground_down((void **)&desk->ground);
    free(desk);
    return 0;
}

static void hear(struct desk *desk, uint8_t from, struct incoming *in)
{
    struct err err;
    bool mine;

    in->peer = ground_peer(from);
    if (sessions_handle_message(&desk->control, in, &mine, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(mine);
}

/* The worker on card N speaks as peer N. */
static struct worker *hello(struct desk *desk, uint8_t card)
{
    struct incoming in = {.kind = message_find(MSG_WORKER_HELLO)};
    const struct peer peer = ground_peer(card);

    in.message.worker_hello = ground_hello(card);
    hear(desk, card, &in);
    struct worker *worker = workers_find(&desk->control.workers, &peer);
    assert_non_null(worker);
    desk->now_ms = worker->heard_ms;
    return worker;
}

static void give(struct desk *desk)
{
    struct err err;

    assert_int_equal(scheduler_run(&desk->control, &err), 0);
}

static void taken(struct desk *desk, uint8_t from, uint64_t run_id)
{
    struct incoming in = {.kind = message_find(MSG_LEASE_TAKEN),
                          .message.lease_taken = {run_id, 0}};

    hear(desk, from, &in);
}

/* The clock goes on in heartbeats, as the coordinator's does. */
static void wait_until(struct desk *desk, uint64_t end_ms)
{
    struct err err;

    while (desk->now_ms < end_ms) {
        desk->now_ms += LINK_HEARTBEAT_MS;
        if (desk->now_ms > end_ms)
            desk->now_ms = end_ms;
        assert_int_equal(sessions_tick(&desk->control, desk->now_ms, &err), 0);
    }
}

/* Its first part took a millisecond, and ended well. */
static void end_first(struct desk *desk, uint8_t from, const struct worker *worker)
{
    struct incoming in = {
        .kind = message_find(MSG_RANK_RESULT),
        .message.rank_result = {.run_id = worker->ranks->attempt->run_id,
                                .status = "done",
                                .reason = "",
                                .started_wall_ns = 1000000,
                                .ended_wall_ns = 2000000}};

    hear(desk, from, &in);
}

static void a_commit_may_wait_while_all_cards_have_enough_in_hand(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *worker = hello(desk, 1);
    size_t in_hand;

    ground_submit(desk->ground, 100, "");
    assert_false(sessions_need_commit_now(&desk->control));
    give(desk);
    assert_true(sessions_need_commit_now(&desk->control)); /* it has nothing yet */
    sessions_leases_sent(&desk->control);
    assert_false(sessions_need_commit_now(&desk->control));
    end_first(desk, 1, worker);
    give(desk);
    sessions_leases_sent(&desk->control);
    in_hand = worker->rank_count;
    assert_true(in_hand > 2);
    for (size_t ended = 1; ended <= in_hand / 2; ended++) {
        assert_false(sessions_need_commit_now(&desk->control));
        end_first(desk, 1, worker);
        give(desk);
        assert_int_equal(worker->rank_count, in_hand);
    }
    assert_true(
        sessions_need_commit_now(&desk->control)); /* half of them are not there */
}

static void a_heartbeat_is_answered_while_all_else_waits_for_the_disk(void **ctx)
{
    struct desk *desk = *ctx;
    struct link_hub *hub = link_hub_create();
    char *endpoint = xasprintf("ipc://%s/door", desk->ground->folder);
    const struct link_options options = {.endpoint = endpoint, .kind = LINK_CONTROL};
    const struct msg_worker_hello hello = ground_hello(1);
    const struct msg_heartbeat beat = {7};
    struct link *server, *client;
    struct incoming in;
    struct err err;
    bool mine;

    assert_int_equal(link_server_open(&server, hub, &options, &err), 0);
    assert_int_equal(link_client_open(&client, hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(client, PATIENCE_MS, &err), 0);
    desk->control.link = server;
    link_send(client, NULL, MSG_WORKER_HELLO, &hello, &err);
    link_send(client, NULL, MSG_HEARTBEAT, &beat, &err);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(link_wait_receive(server, &in, PATIENCE_MS, &err), 0);
        assert_int_equal(sessions_handle_message(&desk->control, &in, &mine, &err), 0);
    }
    assert_int_equal(link_wait_receive(client, &in, PATIENCE_MS, &err), 0);
    assert_non_null(in.kind);
    assert_int_equal(in.kind->type, MSG_HEARTBEAT_REPLY);
    assert_int_equal(in.message.heartbeat_reply.run_id, 7);
    assert_false(outbox_is_empty(desk->control.outbox)); /* the welcome */
    desk->control.link = NULL;
    outbox_destroy(desk->control.outbox); /* which names the link */
    desk->control.outbox = outbox_create();
    link_close(client);
    link_close(server);
    link_hub_destroy(hub);
    free(endpoint);
}

static void a_worker_is_lost_after_four_silent_heartbeats_and_not_before(void **ctx)
{
    struct desk *desk = *ctx;
    uint64_t heard_ms = hello(desk, 1)->heard_ms;

    wait_until(desk, heard_ms + SILENCE_MS);
    assert_int_equal(desk->control.workers.count, 1);
    wait_until(desk, heard_ms + SILENCE_MS + 1);
    assert_int_equal(desk->control.workers.count, 0);
}

static void what_a_lost_worker_ran_has_spent_an_attempt_what_waited_has_not(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *worker = hello(desk, 1);
    struct ledger_job *job = ground_submit(desk->ground, 3, "");

    give(desk);
    give(desk);
    assert_int_equal(worker->rank_count,
                     2); /* one runs, one waits; the third is ours */
    assert_int_equal(job->counts[TASK_WAITING], 1);
    taken(desk, 1, worker->ranks->attempt->run_id);
    wait_until(desk, worker->heard_ms + SILENCE_MS + 1);
    assert_int_equal(job->counts[TASK_WAITING], 3);
    assert_int_equal(job->tasks[0].spent, 1);
    assert_int_equal(job->tasks[1].spent, 0);
    assert_int_equal(job->tasks[1].attempts, 1);
}

static void while_we_are_busy_nobody_is_silent(void **ctx)
{
    struct desk *desk = *ctx;
    uint64_t heard_ms = hello(desk, 1)->heard_ms;
    struct err err;

    wait_until(desk, heard_ms + LINK_HEARTBEAT_MS);
    desk->now_ms += 10 * SILENCE_MS; /* a turn as long as that */
    assert_int_equal(sessions_tick(&desk->control, desk->now_ms, &err), 0);
    assert_int_equal(desk->control.workers.count, 1);
}

static void idle_cards_come_first_then_one_waits_at_each(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *first = hello(desk, 1), *second = hello(desk, 2);

    ground_submit(desk->ground, 3, "");
    give(desk);
    assert_int_equal(first->rank_count, 2);
    assert_int_equal(second->rank_count, 1);
}

static void what_has_begun_is_not_asked_back(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *busy = hello(desk, 1);

    ground_submit(desk->ground, 2, "");
    give(desk);
    taken(desk, 1, busy->ranks->attempt->run_id);
    taken(desk, 1, busy->ranks->next_of_worker->attempt->run_id);
    hello(desk, 2);
    give(desk);
    assert_false(busy->ranks->recalled);
    assert_false(busy->ranks->next_of_worker->recalled);
}

static void only_as_many_are_asked_back_as_cards_are_idle(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *first = hello(desk, 1), *second = hello(desk, 2);

    ground_submit(desk->ground, 4, "");
    give(desk);
    hello(desk, 3);
    give(desk);
    give(desk); /* the answer is on its way */
    assert_int_equal(first->ranks->next_of_worker->recalled +
                         second->ranks->next_of_worker->recalled,
                     1);
    assert_false(first->ranks->recalled);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, up, down)

static void comes_back(struct desk *desk, struct worker *worker, uint8_t from)
{
    struct incoming in = {
        .kind = message_find(MSG_LEASE_REFUSED),
        .message.lease_refused = {worker->ranks->attempt->run_id, 0, "an alarm", true}};

    hear(desk, from, &in);
}

/* And what comes next begins at rest. */
static void
refused_by_an_ill_card(struct desk *desk, struct worker *worker, uint8_t from)
{
    comes_back(desk, worker, from);
    worker->rest_until_ms = 0;
    give(desk);
}

static void ended_so(struct desk *desk,
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

    taken(desk, from, worker->ranks->attempt->run_id);
    hear(desk, from, &in);
    give(desk);
}

static void ended(struct desk *desk, struct worker *worker, uint8_t from, bool well)
{
    ended_so(desk, worker, from, well, !well);
}

static void
a_card_that_fell_ill_while_it_did_well_is_at_fault_and_the_result_stays(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *worker = hello(desk, 1);
    const struct drains *drains = desk->control.drains;
    struct ledger_job *job = ground_submit(desk->ground, 9, "");
    const char *what;

    give(desk);
    for (uint32_t i = 0; i < CARD_FAULTS_MAX; i++) {
        assert_null(drains_find(drains, worker->host, worker->card));
        assert_int_equal(
            card_faults_count(&desk->control.faults, worker->host, worker->card, &what),
            i);
        assert_string_equal(what, i ? "two bits" : "");
        ended_so(desk, worker, 1, true, true);
    }
    assert_non_null(strstr(drains_find(drains, worker->host, worker->card),
                           "at fault 3 times in a row: two bits"));
    assert_int_equal(job->counts[TASK_DONE] + job->counts[TASK_PARSING],
                     CARD_FAULTS_MAX);
    assert_int_equal(worker->ranks_failed, 0);
}

static void what_a_lent_card_says_counts_too(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *worker = hello(desk, 1);
    struct incoming in = {.kind = message_find(MSG_CARD_FAULT),
                          .message.card_fault = {7, "an alarm"}};
    const char *what;

    hear(desk, 1, &in);
    assert_int_equal(
        card_faults_count(&desk->control.faults, worker->host, worker->card, &what), 1);
    assert_string_equal(what, "an alarm");
}

static void a_card_at_fault_again_and_again_gets_nothing_more(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *worker = hello(desk, 1);
    const struct drains *drains = desk->control.drains;
    struct ledger_job *job = ground_submit(desk->ground, 9, "");
    uint32_t spent = 0;

    give(desk);
    refused_by_an_ill_card(desk, worker, 1);
    ended(desk, worker, 1, false);
    assert_null(drains_find(drains, worker->host, worker->card));
    ended(desk, worker, 1, true); /* it was not the card, then */
    for (int i = 0; i < CARD_FAULTS_MAX; i++) {
        assert_null(drains_find(drains, worker->host, worker->card));
        refused_by_an_ill_card(desk, worker, 1);
    }
    assert_non_null(strstr(drains_find(drains, worker->host, worker->card),
                           "quarantine: at fault 3 times in a row: an alarm"));
    for (int i = 0; i < 9; i++)
        spent += job->tasks[i].spent;
    assert_int_equal(spent, 1); /* a refusal costs a task nothing */
    while (worker->ranks)
        refused_by_an_ill_card(desk, worker, 1);
    assert_int_equal(worker->rank_count, 0);
}

static void what_comes_back_in_one_moment_is_one_fault(void **ctx)
{
    struct desk *desk = *ctx;
    struct worker *worker = hello(desk, 1);
    const char *what;

    ground_submit(desk->ground, 9, "");
    give(desk);
    assert_true(worker->rank_count >= 2);
    while (worker->ranks)
        comes_back(desk, worker, 1);
    assert_int_equal(
        card_faults_count(&desk->control.faults, worker->host, worker->card, &what), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_commit_may_wait_while_all_cards_have_enough_in_hand),
        CASE(a_heartbeat_is_answered_while_all_else_waits_for_the_disk),
        CASE(a_worker_is_lost_after_four_silent_heartbeats_and_not_before),
        CASE(what_a_lost_worker_ran_has_spent_an_attempt_what_waited_has_not),
        CASE(while_we_are_busy_nobody_is_silent),
        CASE(idle_cards_come_first_then_one_waits_at_each),
        CASE(what_has_begun_is_not_asked_back),
        CASE(only_as_many_are_asked_back_as_cards_are_idle),
        CASE(a_card_that_fell_ill_while_it_did_well_is_at_fault_and_the_result_stays),
        CASE(what_a_lent_card_says_counts_too),
        CASE(a_card_at_fault_again_and_again_gets_nothing_more),
        CASE(what_comes_back_in_one_moment_is_one_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
