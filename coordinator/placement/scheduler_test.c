/* scheduler_test.c - which tasks get which cards, planned and applied without sockets
 */
#include "coordinator/placement/scheduler.h"

#include "coordinator/fleet/fleet.h"
#include "coordinator/net/outbox.h"
#include "coordinator/sessions/worker_sessions.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "tests/support/coordinator_fixture.h"

enum { CARDS = 8 };

struct test {
    struct fixture *fixture;
    struct fleet fleet;
    struct outbox *outbox;
    struct sessions *sessions; /* without a link: messages stay in the outbox */
    struct worker *worker[CARDS];
};

static int set_up(void **ctx)
{
    struct test *test = xcalloc(1, sizeof(*test));
    struct err err;

    fixture_set_up((void **)&test->fixture);
    assert_int_equal(fleet_init(&test->fleet, test->fixture->store, &err), 0);
    test->outbox = outbox_create();
    test->sessions = sessions_create(test->fixture->ledger, &test->fleet, test->outbox,
                                     NULL, "test");
    *ctx = test;
    return 0;
}

static int tear_down(void **ctx)
{
    struct test *test = *ctx;

    sessions_destroy(test->sessions);
    ledger_close(test->fixture->ledger); /* before the workers, which its ranks name */
    test->fixture->ledger = NULL;
    fleet_clear(&test->fleet);
    outbox_destroy(test->outbox);
    fixture_tear_down((void **)&test->fixture);
    free(test);
    return 0;
}

/* Adds workers on hosts of `per_host` cards each; host a has the first ones. */
static void add_workers(struct test *test, unsigned count, unsigned per_host)
{
    static const char *const hosts[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

    for (uint8_t i = 0; i < count; i++) {
        struct msg_worker_hello hello = fixture_hello(i % per_host);
        const struct peer peer = fixture_peer(i);

        hello.host = hosts[i / per_host];
        test->worker[i] = workers_add(&test->fleet.workers, &peer, &hello);
    }
}

static struct ledger_job *submit(struct test *test, const char *rest)
{
    char yaml[500], *problems = NULL;
    const struct msg_submit message = {yaml, "job.yaml", test->fixture->folder, "me",
                                       ""};
    struct ledger_job *job;
    struct err err;

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: j\nprofile: {metrics: []}\nlimits: {retries: 0}\n%s",
             rest);
    if (ledger_submit(&job, test->fixture->ledger, &message, &problems, &err) < 0)
        fail_msg("%s: %s", err.text, problems ? problems : "");
    return job;
}

static struct ledger_job *submit_small(struct test *test, unsigned tasks)
{
    char rest[120];

    snprintf(rest, sizeof(rest), "operator: {command: [x]}\nsweep: {repeat: %u}\n",
             tasks);
    return submit(test, rest);
}

static struct scheduler_view view_of(const struct test *test)
{
    return (struct scheduler_view){test->fixture->ledger, &test->fleet,
                                   clock_mono_ms()};
}

static void schedule(struct test *test)
{
    const struct scheduler_view view = view_of(test);
    struct scheduler_actions actions = {0};
    struct err err;

    workers_update_states(&test->fleet.workers, test->fleet.drains, view.now_ms);
    scheduler_plan(&view, &actions);
    assert_int_equal(sessions_apply(test->sessions, &actions, &err), 0);
    scheduler_actions_clear(&actions);
}

static void explain(struct test *test, const struct task *task, struct text *out)
{
    const struct scheduler_view view = view_of(test);

    scheduler_explain(&view, task, out);
}

/* Ends the first rank of the worker well after this duration; 0: unknown. */
static void end_first_after(struct test *test, struct worker *worker, uint64_t us)
{
    enum { BEGAN_NS = 1000000 };
    struct attempt_rank *rank = worker->ranks;
    const struct msg_rank_result result = {.run_id = rank->attempt->run_id,
                                           .rank = rank->number,
                                           .status = "done",
                                           .reason = "",
                                           .started_wall_ns = us ? BEGAN_NS : 0,
                                           .ended_wall_ns =
                                               us ? BEGAN_NS + us * 1000 : 0};
    struct err err;

    assert_int_equal(ledger_result(test->fixture->ledger, rank, worker, &result, &err),
                     0);
}

static void end_first(struct test *test, struct worker *worker)
{
    end_first_after(test, worker, 0);
}

/* Returns the recalled leases, as workers do. */
static void answer_recalls(struct test *test)
{
    struct err err;

    for (unsigned i = 0; i < CARDS && test->worker[i]; i++)
        for (struct attempt_rank *rank = test->worker[i]->ranks, *next; rank;
             rank = next) {
            next = rank->next_of_worker;
            if (rank->recalled)
                assert_int_equal(
                    ledger_refused(test->fixture->ledger, rank, "asked", &err), 0);
        }
}

static unsigned running(const struct ledger_job *job)
{
    return (unsigned)job->counts[TASK_LEASED];
}

static void a_plan_changes_nothing_before_it_is_applied(void **ctx)
{
    struct test *test = *ctx;
    struct scheduler_actions actions = {0};

    add_workers(test, 2, 2);
    struct ledger_job *job = submit_small(test, 3);
    const struct scheduler_view view = view_of(test);
    scheduler_plan(&view, &actions);
    assert_int_equal(actions.count, 3);
    for (size_t i = 0; i < actions.count; i++) {
        assert_int_equal(actions.items[i].kind, SCHEDULER_LEASE);
        assert_ptr_equal(actions.items[i].task, &job->tasks[i]);
    }
    scheduler_actions_clear(&actions);
    assert_int_equal(running(job), 0);
    assert_int_equal(test->worker[0]->rank_count + test->worker[1]->rank_count, 0);
    schedule(test);
    assert_int_equal(running(job), 3);
}

static void a_gang_gets_all_its_cards_or_none(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *gang;

    add_workers(test, 3, 4);
    gang = submit(test, "operator: {command: [x], ranks: 4}\n");
    schedule(test);
    assert_int_equal(running(gang), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(test->worker[i]->rank_count, 0);
        assert_false(test->worker[i]
                         ->reserved_for_gang); /* three cards can never run the gang */
    }
    workers_clear(&test->fleet.workers);
    add_workers(test, 4, 4);
    schedule(test);
    assert_int_equal(running(gang), 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(test->worker[i]->rank_count, 1);
        assert_int_equal(test->worker[i]->ranks->number, i);
    }
}

static void
a_waiting_gang_reserves_cards_and_recalls_the_leases_that_wait_there(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *small, *gang;

    add_workers(test, 2, 2);
    small = submit_small(test, 8);
    schedule(test);
    assert_int_equal(test->worker[0]->rank_count, 2);
    assert_int_equal(test->worker[1]->rank_count, 2);
    gang = submit(test, "priority: 90\noperator: {command: [x], ranks: 2}\n");
    schedule(test);
    assert_true(test->worker[0]->reserved_for_gang &&
                test->worker[1]->reserved_for_gang);
    assert_true(test->worker[0]->ranks->next_of_worker->recalled);
    answer_recalls(test);
    end_first(test, test->worker[0]);
    schedule(test);
    assert_int_equal(test->worker[0]->rank_count, 0); /* reserved */
    assert_int_equal(running(small), 1);
    end_first(test, test->worker[1]);
    schedule(test);
    assert_int_equal(running(gang), 1);
    assert_int_equal(running(small), 2); /* small tasks wait behind the gang */
    end_first(test, test->worker[0]);
    end_first(test, test->worker[1]);
    schedule(test);
    assert_int_equal(running(small), 4);
}

/* One small task ends at a time: the gang gets its cards after as many ends as there
 * are cards. */
static void a_gang_of_eight_is_not_starved_by_a_stream_of_small_tasks(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *small, *gang;
    unsigned ends = 0;

    add_workers(test, CARDS, CARDS);
    small = submit_small(test, 200);
    schedule(test);
    gang = submit(test, "operator: {command: [x], ranks: 8}\n");
    for (; ends < 20; ends++) { /* a gang that has not waited gets nothing */
        end_first(test, test->worker[ends % CARDS]);
        schedule(test);
    }
    assert_int_equal(running(gang), 0);
    gang->served_ms -= 15000; /* the gang has waited while the other job was served */
    for (ends = 0; running(gang) == 0 && ends < 3 * CARDS; ends++) {
        schedule(test);
        answer_recalls(test);
        if (test->worker[ends % CARDS]->ranks)
            end_first(test, test->worker[ends % CARDS]);
        schedule(test);
    }
    assert_int_equal(running(gang), 1);
    assert_true(ends <= CARDS);
    assert_true(small->counts[TASK_WAITING] > 100);
}

static void small_tasks_are_not_starved_by_gangs(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *gang, *small;

    add_workers(test, 2, 2);
    gang = submit(test, "operator: {command: [x], ranks: 2}\nsweep: {repeat: 50}\n");
    small = submit_small(test, 2);
    schedule(test);
    assert_int_equal(running(gang), 1);
    small->served_ms -= 15000;
    end_first(test, test->worker[0]);
    end_first(test, test->worker[1]);
    schedule(test);
    assert_int_equal(running(small), 2);
}

static void a_higher_priority_is_served_first_until_the_other_job_has_aged(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *low, *high;

    add_workers(test, 1, 1);
    low = submit(test, "priority: 48\noperator: {command: [x]}\nsweep: {repeat: 5}\n");
    high = submit(test, "operator: {command: [x]}\nsweep: {repeat: 5}\n");
    schedule(test);
    assert_int_equal(running(high), 2);
    assert_int_equal(running(low), 0);
    low->served_ms -= 31000; /* priority + 3 */
    end_first(test, test->worker[0]);
    schedule(test);
    assert_int_equal(running(low), 1);
}

static void only_the_first_gang_reserves_cards(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *first, *second, *small;

    add_workers(test, 4, 2);
    small = submit_small(test, 2);
    schedule(test); /* fills host a first */
    submit_small(test, 1);
    schedule(test);
    first = submit(test, "operator: {command: [x], ranks: 2}\ncards: {per_host: 2}\n");
    second = submit(test, "operator: {command: [x], ranks: 4}\n");
    schedule(test);
    assert_int_equal(running(first) + running(second), 0);
    unsigned kept = 0;
    for (int i = 0; i < 4; i++)
        kept += test->worker[i]->reserved_for_gang;
    assert_int_equal(kept, 2);
    assert_int_equal(running(small), 2);
}

static void a_gang_with_per_host_uses_each_host_evenly(void **ctx)
{
    struct test *test = *ctx;

    add_workers(test, 8, 4);
    submit(test, "operator: {command: [x], ranks: 4}\ncards: {per_host: 2}\n");
    schedule(test);
    assert_int_equal(test->worker[0]->ranks->number, 0);
    assert_int_equal(test->worker[1]->ranks->number, 1);
    assert_int_equal(test->worker[4]->ranks->number, 2);
    assert_int_equal(test->worker[5]->ranks->number, 3);
    assert_int_equal(test->worker[2]->rank_count, 0);
}

static void each_task_gets_the_number_of_cards_of_its_point(void **ctx)
{
    struct test *test = *ctx;
    static const uint32_t ranks[] = {1, 4, 2};
    struct ledger_job *job;

    add_workers(test, 8, 8);
    job = submit(test, "operator: {command: [x], ranks: \"${n}\"}\n"
                       "sweep: {matrix: {n: [1, 4, 2, 8]}}\n");
    schedule(test);
    assert_int_equal(running(job), 3); /* 1 + 4 + 2 of 8 cards; 8 more are not free */
    for (size_t i = 0; i < COUNT(ranks); i++)
        assert_int_equal(job->tasks[i].attempt->rank_count, ranks[i]);
    assert_int_equal(test->worker[7]->rank_count, 0);
    assert_true(test->worker[7]->reserved_for_gang);
}

static void a_threads_job_uses_one_host(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *job;

    add_workers(test, 6, 3);
    job = submit(test, "operator: {command: [x], threads: 4}\n");
    schedule(test);
    assert_int_equal(running(job), 0); /* no host has four cards */
}

static void drain(struct test *test, const char *host, int32_t card, bool on)
{
    struct err err;
    bool found;

    if (on)
        assert_int_equal(
            drains_add(test->fleet.drains, host, card, "fan is loud", &err), 0);
    else
        assert_int_equal(drains_remove(test->fleet.drains, host, card, &found, &err),
                         0);
}

/* Further leases save a card from waiting for a commit; with long tasks they would only
 * delay other jobs. */
static void a_card_gets_more_leases_of_short_tasks_than_of_long_ones(void **ctx)
{
    struct test *test = *ctx;
    size_t few, many;

    add_workers(test, 1, 1);
    submit_small(test, 100);
    schedule(test);
    few = test->worker[0]->rank_count;
    end_first_after(test, test->worker[0], 1000);
    schedule(test);
    many = test->worker[0]->rank_count;
    assert_true(many > few);
    end_first_after(test, test->worker[0], 1000000);
    schedule(test);
    assert_int_equal(test->worker[0]->rank_count, many - 1);
    while (test->worker[0]->rank_count >= few)
        end_first_after(test, test->worker[0], 1000000);
    schedule(test);
    assert_int_equal(test->worker[0]->rank_count, few);
}

static void a_drained_card_gets_no_lease_also_after_a_restart(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *small, *gang;
    struct text words = {0};
    struct err err;

    add_workers(test, 4, 2);
    drain(test, "a", 1, true);
    gang = submit(test, "priority: 90\noperator: {command: [x], ranks: 4}\n");
    small = submit_small(test, 8);
    schedule(test);
    assert_int_equal(running(gang), 0);
    assert_int_equal(test->worker[1]->rank_count, 0);
    assert_int_equal(running(small), 6);
    explain(test, &gang->tasks[0], &words);
    assert_non_null(strstr(text_get(&words), "drained: a:1 (fan is loud)"));
    drains_close(test->fleet.drains);
    assert_int_equal(drains_open(&test->fleet.drains, test->fixture->store, &err), 0);
    assert_string_equal(drains_find(test->fleet.drains, "a", 1), "fan is loud");
    assert_null(drains_find(test->fleet.drains, "a", 0));
    drain(test, "a", DRAINS_WHOLE_HOST, true);
    assert_non_null(drains_find(test->fleet.drains, "a", 0));
    drain(test, "a", DRAINS_WHOLE_HOST, false); /* also the drains of its cards */
    assert_null(drains_find(test->fleet.drains, "a", 1));
    schedule(test);
    assert_true(test->worker[1]->reserved_for_gang); /* the gang can use the card now */
    text_clear(&words);
}

static void the_explanation_names_missing_cards_and_running_tasks(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *small, *gang;
    struct text words = {0};

    add_workers(test, 2, 2);
    small = submit_small(test, 3);
    schedule(test);
    gang = submit(test, "priority: 90\noperator: {command: [x], ranks: 2}\n"
                        "sweep: {repeat: 2}\n");
    schedule(test);
    explain(test, &gang->tasks[1], &words);
    assert_string_equal(
        text_get(&words),
        "waits: needs 2 cards, all at the same time; matching cards: a has 2 (0 free); "
        "reserved for a gang, but still busy: a:0 (runs j-1 point 0), a:1 (runs j-1 "
        "point 0); 1 task of the same job is served first");
    text_reset(&words);
    explain(test, &small->tasks[0], &words);
    assert_string_equal(text_get(&words), "is in attempt 1: rank 0 is leased to a:0");
    text_clear(&words);
}

static void a_job_after_another_gets_no_card_and_names_that_job(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *before, *after;
    struct text words = {0};
    struct err err;

    add_workers(test, 2, 2);
    before = submit_small(test, 1);
    after = submit(test, "priority: 100\noperator: {command: [x]}\nafter: [j]\n");
    schedule(test);
    assert_int_equal(running(before), 1);
    assert_int_equal(running(after), 0); /* although a card is free */
    explain(test, &after->tasks[0], &words);
    assert_string_equal(text_get(&words), "waits for the end of j-1 (running)");
    end_first(test, test->worker[0]->ranks ? test->worker[0] : test->worker[1]);
    assert_ptr_equal(ledger_take_report(test->fixture->ledger), before);
    assert_int_equal(ledger_reported(test->fixture->ledger, before, true, "", &err), 0);
    schedule(test);
    assert_int_equal(running(after), 1);
    text_clear(&words);
}

static void an_exclusive_task_gets_a_host_for_itself(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *small, *owner;
    struct text words = {0};

    add_workers(test, 4, 2); /* a:0 a:1 b:0 b:1 */
    small = submit_small(test, 1);
    schedule(test);
    assert_int_equal(running(small), 1);
    owner = submit(test, "operator: {command: [x]}\ncards: {exclusive: host}\n"
                         "sweep: {repeat: 2}\n");
    schedule(test);
    assert_int_equal(running(owner), 1); /* on the idle host */
    const struct attempt_rank *rank =
        test->worker[2]->ranks ? test->worker[2]->ranks : test->worker[3]->ranks;
    assert_ptr_equal(rank->attempt->task->job, owner);
    submit_small(test, 9); /* other tasks do not delay the second one */
    schedule(test);
    assert_int_equal(test->worker[2]->rank_count + test->worker[3]->rank_count, 1);
    explain(test, &owner->tasks[1], &words);
    assert_non_null(strstr(
        text_get(&words), "needs 1 card on a host without other tasks; matching cards: "
                          "a has 2 (0 free while other tasks run there)"));
    for (int i = 0; i < 2; i++)
        while (test->worker[i]->ranks)
            end_first(test, test->worker[i]);
    schedule(test);
    assert_int_equal(running(owner), 2);
    assert_int_equal(test->worker[0]->rank_count + test->worker[1]->rank_count, 1);
    text_clear(&words);
}

static void a_job_uses_at_most_host_cap_cards_of_a_host(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *capped, *gangs;

    add_workers(test, 8, 4);
    capped = submit(test, "operator: {command: [x]}\ncards: {host_cap: 1}\n"
                          "sweep: {repeat: 6}\n");
    schedule(test);
    assert_int_equal(running(capped),
                     2); /* one on each host, although six cards are free */
    gangs = submit(test, "operator: {command: [x], ranks: 2}\n"
                         "cards: {host_cap: 2}\nsweep: {repeat: 3}\n");
    schedule(test);
    assert_int_equal(running(gangs), 2); /* a third one would exceed the cap */
    for (int i = 0; i < 8; i++)
        if (test->worker[i]->ranks &&
            test->worker[i]->ranks->attempt->task->job == capped) {
            end_first(test, test->worker[i]);
            break;
        }
    schedule(test);
    assert_int_equal(running(capped), 2);
    assert_int_equal(capped->counts[TASK_WAITING], 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* Short tasks get many leases, long tasks few: other jobs wait for the leases. */
static void a_runner_gets_leases_for_a_tenth_of_a_second(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker;
    size_t least;

    add_workers(test, 1, 4);
    worker = test->worker[0];
    submit(test, "operator: {kernel: k.o, args: [in fp32 8]}\n"
                 "sweep: {repeat: 1000}\n");
    schedule(test);
    least = worker->rank_count;
    for (int i = 0; i < 8; i++) {
        end_first_after(test, worker, 20);
        schedule(test);
    }
    assert_true(worker->rank_count > 4 * least);
    end_first_after(test, worker, 1000000); /* a long task */
    for (size_t before; (before = worker->rank_count) > least;) {
        end_first_after(test, worker, 1000000);
        schedule(test);
        assert_true(worker->rank_count < before);
    }
    for (int i = 0; i < 200; i++) { /* short tasks again */
        end_first_after(test, worker, 20);
        schedule(test);
    }
    assert_true(worker->rank_count > 4 * least);
}

/* A better job with a lower limit gets the card before other leases are added. */
static void a_better_job_is_not_starved_by_refilled_cards(void **ctx)
{
    struct test *test = *ctx;
    struct worker *worker;
    struct ledger_job *better;
    size_t much;

    add_workers(test, 1, 4);
    worker = test->worker[0];
    submit(test, "operator: {kernel: k.o, args: [in fp32 8]}\n"
                 "sweep: {repeat: 1000}\n");
    schedule(test);
    end_first_after(test, worker, 20);
    schedule(test);
    much = worker->rank_count;
    better = submit(test, "operator: {command: [x]}\npriority: 90\n");
    for (size_t ended = 0; running(better) == 0; ended++) {
        assert_true(ended < much);
        end_first_after(test, worker, 20);
        schedule(test);
    }
    assert_true(worker->rank_count > 2); /* then the other job continues */
    for (struct attempt_rank *rank = worker->ranks; rank; rank = rank->next_of_worker)
        assert_true(rank->attempt->task->job != better ||
                    rank == worker->ranks->next_of_worker);
}

static void as_many_cards_are_reserved_as_the_better_job_has_tasks(void **ctx)
{
    struct test *test = *ctx;
    size_t full;

    add_workers(test, 3, 4);
    submit(test, "operator: {kernel: k.o, args: [in fp32 8]}\n"
                 "sweep: {repeat: 1000}\n");
    schedule(test);
    end_first_after(test, test->worker[0], 20);
    schedule(test);
    full = test->worker[1]->rank_count;
    submit(test, "operator: {command: [x]}\npriority: 90\n");
    for (int i = 0; i < 3; i++)
        end_first_after(test, test->worker[i], 20);
    end_first_after(test, test->worker[1],
                    20); /* this card has the fewest leases now */
    schedule(test);
    assert_int_equal(test->worker[0]->rank_count, full);
    assert_int_equal(test->worker[1]->rank_count, full - 2);
    assert_int_equal(test->worker[2]->rank_count, full);
}

static void tasks_run_on_the_cards_that_their_points_name(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *job;

    add_workers(test, 6, 3); /* a:0 a:1 a:2 b:0 b:1 b:2 */
    job = submit(test, "operator: {command: [x], ranks: 2}\n"
                       "sweep: {zip: [{x: [\"b:2\", \"a:1\", \"a:0\"], "
                       "y: [\"b:0\", \"a:2\", \"a:2\"]}]}\n"
                       "cards: {at: [\"${x}\", \"${y}\"]}\n");
    schedule(test);
    assert_int_equal(running(job), 2); /* the third task waits for a:2 */
    assert_int_equal(test->worker[5]->ranks->number, 0);
    assert_int_equal(test->worker[3]->ranks->number, 1);
    assert_int_equal(test->worker[1]->ranks->number, 0);
    assert_int_equal(test->worker[2]->ranks->number, 1);
    assert_int_equal(test->worker[0]->rank_count + test->worker[4]->rank_count, 0);
    end_first(test, test->worker[1]);
    end_first(test, test->worker[2]);
    schedule(test);
    assert_int_equal(test->worker[0]->ranks->attempt->task->point, 2);
}

static void exclusive_tasks_of_a_host_run_one_after_another_in_their_order(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *other, *pairs;

    add_workers(test, 4, 2); /* a:0 a:1 b:0 b:1 */
    pairs = submit(test, "priority: 100\noperator: {command: [x]}\n"
                         "sweep: {zip: [{at: [\"a:0\", \"b:1\"]}, {side: [A, B]}],"
                         " repeat: 2, order: balanced}\n"
                         "cards: {at: [\"${at}\"], exclusive: host}\n");
    other = submit_small(test, 20);
    for (int i = 0; i < 4; i++) { /* AB BA on each host, and nothing between */
        static const uint64_t sides[] = {0, 1, 1, 0};

        schedule(test);
        assert_int_equal(running(pairs), 2);
        assert_int_equal(running(other), 0);
        assert_int_equal(test->worker[0]->ranks->attempt->task->point, sides[i]);
        assert_int_equal(test->worker[3]->ranks->attempt->task->point, 2 + sides[i]);
        end_first(test, test->worker[0]);
        end_first(test, test->worker[3]);
    }
    schedule(test);
    assert_true(running(other) > 0);
}

static void a_task_whose_card_is_absent_waits_and_is_explained(void **ctx)
{
    struct test *test = *ctx;
    struct text text = {0};

    add_workers(test, 2, 2);
    struct ledger_job *job = submit(test, "operator: {command: [x]}\n"
                                          "sweep: {matrix: {at: [\"c:0\", \"a:1\"]}}\n"
                                          "cards: {at: [\"${at}\"]}\n");
    schedule(test);
    assert_int_equal(job->tasks[1].state, TASK_LEASED);
    explain(test, &job->tasks[0], &text);
    assert_string_equal(text_get(&text), "waits: needs c:0 (not connected)");
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_plan_changes_nothing_before_it_is_applied),
        CASE(a_gang_gets_all_its_cards_or_none),
        CASE(a_waiting_gang_reserves_cards_and_recalls_the_leases_that_wait_there),
        CASE(a_gang_of_eight_is_not_starved_by_a_stream_of_small_tasks),
        CASE(small_tasks_are_not_starved_by_gangs),
        CASE(a_higher_priority_is_served_first_until_the_other_job_has_aged),
        CASE(only_the_first_gang_reserves_cards),
        CASE(a_gang_with_per_host_uses_each_host_evenly),
        CASE(each_task_gets_the_number_of_cards_of_its_point),
        CASE(a_threads_job_uses_one_host),
        CASE(a_card_gets_more_leases_of_short_tasks_than_of_long_ones),
        CASE(a_drained_card_gets_no_lease_also_after_a_restart),
        CASE(the_explanation_names_missing_cards_and_running_tasks),
        CASE(an_exclusive_task_gets_a_host_for_itself),
        CASE(a_job_uses_at_most_host_cap_cards_of_a_host),
        CASE(a_job_after_another_gets_no_card_and_names_that_job),
        CASE(a_runner_gets_leases_for_a_tenth_of_a_second),
        CASE(a_better_job_is_not_starved_by_refilled_cards),
        CASE(as_many_cards_are_reserved_as_the_better_job_has_tasks),
        CASE(tasks_run_on_the_cards_that_their_points_name),
        CASE(exclusive_tasks_of_a_host_run_one_after_another_in_their_order),
        CASE(a_task_whose_card_is_absent_waits_and_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
