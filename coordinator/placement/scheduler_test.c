/* scheduler_test.c - who gets which cards next: no sockets, no clock but what is said
 */
#include "coordinator/placement/scheduler.h"

#include "coordinator/sessions/barrier_relay.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "tests/support/coordinator_ground.h"

enum { CARDS = 8 };

struct hall {
    struct ground *ground;
    struct sessions control;
    struct worker *worker[CARDS];
};

static int up(void **ctx)
{
    struct hall *hall = xcalloc(1, sizeof(*hall));

    ground_up((void **)&hall->ground);
    hall->control = (struct sessions){
        .ledger = hall->ground->ledger, .outbox = outbox_create(), .store_id = "test"};
    hall->control.barriers = barriers_create(barrier_relay_release, &hall->control);
    struct err err;
    assert_int_equal(drains_open(&hall->control.drains, hall->ground->store, &err), 0);
    *ctx = hall;
    return 0;
}

static int down(void **ctx)
{
    struct hall *hall = *ctx;

    ledger_close(hall->ground->ledger); /* before the workers, whom its runs name */
    hall->ground->ledger = NULL;
    workers_clear(&hall->control.workers);
    barriers_destroy(hall->control.barriers);
    drains_close(hall->control.drains);
    outbox_destroy(hall->control.outbox);
    ground_down((void **)&hall->ground);
    free(hall);
    return 0;
}

/* Cards of hosts of `per_host`: a has the first ones. */
static void workers_come(struct hall *hall, unsigned count, unsigned per_host)
{
    static const char *const hosts[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

    for (uint8_t i = 0; i < count; i++) {
        struct msg_worker_hello hello = ground_hello(i % per_host);
        const struct peer peer = ground_peer(i);

        hello.host = hosts[i / per_host];
        hall->worker[i] = workers_add(&hall->control.workers, &peer, &hello);
    }
}

static struct ledger_job *submit(struct hall *hall, const char *rest)
{
    char yaml[500], *problems = NULL;
    const struct msg_submit message = {yaml, "job.yaml", hall->ground->folder, "me",
                                       ""};
    struct ledger_job *job;
    struct err err;

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: j\nprofile: {metrics: []}\nlimits: {retries: 0}\n%s",
             rest);
    if (ledger_submit(&job, hall->ground->ledger, &message, &problems, &err) < 0)
        fail_msg("%s: %s", err.text, problems ? problems : "");
    return job;
}

static struct ledger_job *submit_small(struct hall *hall, unsigned tasks)
{
    char rest[120];

    snprintf(rest, sizeof(rest), "operator: {command: [x]}\nsweep: {repeat: %u}\n",
             tasks);
    return submit(hall, rest);
}

static void give(struct hall *hall)
{
    struct err err;

    assert_int_equal(scheduler_run(&hall->control, &err), 0);
}

/* The worker's first part has ended well, after so long; 0: nobody knows. */
static void end_first_after(struct hall *hall, struct worker *worker, uint64_t us)
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

    assert_int_equal(ledger_result(hall->ground->ledger, rank, worker, &result, &err),
                     0);
}

static void end_first(struct hall *hall, struct worker *worker)
{
    end_first_after(hall, worker, 0);
}

/* What was asked for is given back, as a worker does. */
static void answer_recalls(struct hall *hall)
{
    struct err err;

    for (unsigned i = 0; i < CARDS && hall->worker[i]; i++)
        for (struct attempt_rank *rank = hall->worker[i]->ranks, *next; rank;
             rank = next) {
            next = rank->next_of_worker;
            if (rank->recalled)
                assert_int_equal(
                    ledger_refused(hall->ground->ledger, rank, "asked", &err), 0);
        }
}

static unsigned running(const struct ledger_job *job)
{
    return (unsigned)job->counts[TASK_LEASED];
}

static void all_cards_of_a_task_at_once_or_none(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *gang;

    workers_come(hall, 3, 4);
    gang = submit(hall, "operator: {command: [x], ranks: 4}\n");
    give(hall);
    assert_int_equal(running(gang), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hall->worker[i]->rank_count, 0);
        assert_false(hall->worker[i]->reserved_for_gang); /* it can never be, so far */
    }
    workers_clear(&hall->control.workers);
    workers_come(hall, 4, 4);
    give(hall);
    assert_int_equal(running(gang), 1);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(hall->worker[i]->rank_count, 1);
        assert_int_equal(hall->worker[i]->ranks->number, i);
    }
}

static void a_waiting_gang_keeps_cards_and_what_waits_there_goes(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *small, *gang;

    workers_come(hall, 2, 2);
    small = submit_small(hall, 8);
    give(hall);
    assert_int_equal(hall->worker[0]->rank_count, 2);
    assert_int_equal(hall->worker[1]->rank_count, 2);
    gang = submit(hall, "priority: 90\noperator: {command: [x], ranks: 2}\n");
    give(hall);
    assert_true(hall->worker[0]->reserved_for_gang &&
                hall->worker[1]->reserved_for_gang);
    assert_true(hall->worker[0]->ranks->next_of_worker->recalled);
    answer_recalls(hall);
    end_first(hall, hall->worker[0]);
    give(hall);
    assert_int_equal(hall->worker[0]->rank_count, 0); /* nobody else gets it */
    assert_int_equal(running(small), 1);
    end_first(hall, hall->worker[1]);
    give(hall);
    assert_int_equal(running(gang), 1);
    assert_int_equal(running(small), 2); /* they wait behind it */
    end_first(hall, hall->worker[0]);
    end_first(hall, hall->worker[1]);
    give(hall);
    assert_int_equal(running(small), 4);
}

/* Small tasks without an end, as many as there are cards, one ends at a time: the gang
 * has its cards after as many ends as there are cards. */
static void a_gang_of_eight_is_not_starved_by_a_stream_of_small_tasks(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *small, *gang;
    unsigned ends = 0;

    workers_come(hall, CARDS, CARDS);
    small = submit_small(hall, 200);
    give(hall);
    gang = submit(hall, "operator: {command: [x], ranks: 8}\n");
    for (; ends < 20;
         ends++) { /* as long as it has not waited, the first job goes on */
        end_first(hall, hall->worker[ends % CARDS]);
        give(hall);
    }
    assert_int_equal(running(gang), 0);
    gang->served_ms -=
        15000; /* it has waited, and the other one was served meanwhile */
    for (ends = 0; running(gang) == 0 && ends < 3 * CARDS; ends++) {
        give(hall);
        answer_recalls(hall);
        if (hall->worker[ends % CARDS]->ranks)
            end_first(hall, hall->worker[ends % CARDS]);
        give(hall);
    }
    assert_int_equal(running(gang), 1);
    assert_true(ends <= CARDS);
    assert_true(small->counts[TASK_WAITING] > 100);
}

static void and_small_tasks_are_not_starved_by_gangs(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *gang, *small;

    workers_come(hall, 2, 2);
    gang = submit(hall, "operator: {command: [x], ranks: 2}\nsweep: {repeat: 50}\n");
    small = submit_small(hall, 2);
    give(hall);
    assert_int_equal(running(gang), 1);
    small->served_ms -= 15000;
    end_first(hall, hall->worker[0]);
    end_first(hall, hall->worker[1]);
    give(hall);
    assert_int_equal(running(small), 2);
}

static void a_higher_priority_goes_first_until_the_other_has_waited_long(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *low, *high;

    workers_come(hall, 1, 1);
    low = submit(hall, "priority: 48\noperator: {command: [x]}\nsweep: {repeat: 5}\n");
    high = submit(hall, "operator: {command: [x]}\nsweep: {repeat: 5}\n");
    give(hall);
    assert_int_equal(running(high), 2);
    assert_int_equal(running(low), 0);
    low->served_ms -= 31000; /* three steps up */
    end_first(hall, hall->worker[0]);
    give(hall);
    assert_int_equal(running(low), 1);
}

static void only_the_first_gang_keeps_cards(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *first, *second, *small;

    workers_come(hall, 4, 2);
    small = submit_small(hall, 2);
    give(hall); /* one on each card of a, which is filled first */
    submit_small(hall, 1);
    give(hall);
    first = submit(hall, "operator: {command: [x], ranks: 2}\ncards: {per_host: 2}\n");
    second = submit(hall, "operator: {command: [x], ranks: 4}\n");
    give(hall);
    assert_int_equal(running(first) + running(second), 0);
    unsigned kept = 0;
    for (int i = 0; i < 4; i++)
        kept += hall->worker[i]->reserved_for_gang;
    assert_int_equal(kept, 2);
    assert_int_equal(running(small), 2);
}

static void a_gang_of_hosts_stands_evenly_on_them(void **ctx)
{
    struct hall *hall = *ctx;

    workers_come(hall, 8, 4);
    submit(hall, "operator: {command: [x], ranks: 4}\ncards: {per_host: 2}\n");
    give(hall);
    assert_int_equal(hall->worker[0]->ranks->number, 0);
    assert_int_equal(hall->worker[1]->ranks->number, 1);
    assert_int_equal(hall->worker[4]->ranks->number, 2);
    assert_int_equal(hall->worker[5]->ranks->number, 3);
    assert_int_equal(hall->worker[2]->rank_count, 0);
}

static void threads_stand_on_one_host(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *job;

    workers_come(hall, 6, 3);
    job = submit(hall, "operator: {command: [x], threads: 4}\n");
    give(hall);
    assert_int_equal(running(job), 0); /* no host has four */
}

static void drain(struct hall *hall, const char *host, int32_t card, bool on)
{
    struct err err;
    bool found;

    if (on)
        assert_int_equal(
            drains_add(hall->control.drains, host, card, "fan is loud", &err), 0);
    else
        assert_int_equal(drains_remove(hall->control.drains, host, card, &found, &err),
                         0);
}

/* So that a card need not wait for a commit; of long ones that would only be in the
 * way of others. */
static void of_short_tasks_a_card_has_some_more_in_hand(void **ctx)
{
    struct hall *hall = *ctx;
    size_t few, many;

    workers_come(hall, 1, 1);
    submit_small(hall, 100);
    give(hall);
    few = hall->worker[0]->rank_count;
    end_first_after(hall, hall->worker[0], 1000);
    give(hall);
    many = hall->worker[0]->rank_count;
    assert_true(many > few);
    end_first_after(hall, hall->worker[0], 1000000);
    give(hall);
    assert_int_equal(hall->worker[0]->rank_count, many - 1);
    while (hall->worker[0]->rank_count >= few)
        end_first_after(hall, hall->worker[0], 1000000);
    give(hall);
    assert_int_equal(hall->worker[0]->rank_count, few);
}

static void a_drained_card_gets_nothing_more_also_after_a_restart(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *small, *gang;
    struct text words = {0};
    struct err err;

    workers_come(hall, 4, 2);
    drain(hall, "a", 1, true);
    gang = submit(hall, "priority: 90\noperator: {command: [x], ranks: 4}\n");
    small = submit_small(hall, 8);
    give(hall);
    assert_int_equal(running(gang), 0);
    assert_int_equal(hall->worker[1]->rank_count, 0);
    assert_int_equal(running(small), 6);
    scheduler_explain(&hall->control, &gang->tasks[0], &words);
    assert_non_null(strstr(text_get(&words), "drained: a:1 (fan is loud)"));
    drains_close(hall->control.drains);
    assert_int_equal(drains_open(&hall->control.drains, hall->ground->store, &err), 0);
    assert_string_equal(drains_find(hall->control.drains, "a", 1), "fan is loud");
    assert_null(drains_find(hall->control.drains, "a", 0));
    drain(hall, "a", DRAINS_WHOLE_HOST, true);
    assert_non_null(drains_find(hall->control.drains, "a", 0));
    drain(hall, "a", DRAINS_WHOLE_HOST, false); /* also its cards */
    assert_null(drains_find(hall->control.drains, "a", 1));
    give(hall);
    assert_true(hall->worker[1]->reserved_for_gang); /* the gang may have it now */
    text_clear(&words);
}

static void the_words_say_what_is_missing_and_what_goes_on(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *small, *gang;
    struct text words = {0};

    workers_come(hall, 2, 2);
    small = submit_small(hall, 3);
    give(hall);
    gang = submit(hall, "priority: 90\noperator: {command: [x], ranks: 2}\n"
                        "sweep: {repeat: 2}\n");
    give(hall);
    scheduler_explain(&hall->control, &gang->tasks[1], &words);
    assert_string_equal(
        text_get(&words),
        "waits: needs 2 cards, all at once; of such cards a has 2, 0 free; cards are "
        "kept for a gang, still awaited: a:0 (it runs j-1 point 0), a:1 (it runs j-1 "
        "point 0); 1 of its job goes before it");
    text_reset(&words);
    scheduler_explain(&hall->control, &small->tasks[0], &words);
    assert_string_equal(text_get(&words),
                        "runs as attempt 1: rank 0 is being started on a:0");
    text_clear(&words);
}

static void a_job_after_another_gets_no_card_and_says_why(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *before, *after;
    struct text words = {0};
    struct err err;

    workers_come(hall, 2, 2);
    before = submit_small(hall, 1);
    after = submit(hall, "priority: 100\noperator: {command: [x]}\nafter: [j]\n");
    give(hall);
    assert_int_equal(running(before), 1);
    assert_int_equal(running(after), 0); /* though a card is free */
    scheduler_explain(&hall->control, &after->tasks[0], &words);
    assert_string_equal(text_get(&words), "waits: for the end of j-1 (running)");
    end_first(hall, hall->worker[0]->ranks ? hall->worker[0] : hall->worker[1]);
    assert_ptr_equal(ledger_take_report(hall->ground->ledger), before);
    assert_int_equal(ledger_reported(hall->ground->ledger, before, true, "", &err), 0);
    give(hall);
    assert_int_equal(running(after), 1);
    text_clear(&words);
}

static void a_task_may_have_its_host_to_itself(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *small, *owner;
    struct text words = {0};

    workers_come(hall, 4, 2); /* a:0 a:1 b:0 b:1 */
    small = submit_small(hall, 1);
    give(hall);
    assert_int_equal(running(small), 1);
    owner = submit(hall, "operator: {command: [x]}\ncards: {exclusive: host}\n"
                         "sweep: {repeat: 2}\n");
    give(hall);
    assert_int_equal(running(owner), 1); /* on the host where nothing ran */
    const struct attempt_rank *rank =
        hall->worker[2]->ranks ? hall->worker[2]->ranks : hall->worker[3]->ranks;
    assert_ptr_equal(rank->attempt->task->job, owner);
    submit_small(hall, 9); /* a stream of others does not hold the second one up */
    give(hall);
    assert_int_equal(hall->worker[2]->rank_count + hall->worker[3]->rank_count, 1);
    scheduler_explain(&hall->control, &owner->tasks[1], &words);
    assert_non_null(strstr(text_get(&words),
                           "needs 1 card, with nothing else on the host; of such cards "
                           "a has 2, 0 free as long as others run there"));
    for (int i = 0; i < 2; i++)
        while (hall->worker[i]->ranks)
            end_first(hall, hall->worker[i]);
    give(hall);
    assert_int_equal(running(owner), 2);
    assert_int_equal(hall->worker[0]->rank_count + hall->worker[1]->rank_count, 1);
    text_clear(&words);
}

static void a_job_has_no_more_of_a_host_than_its_cap(void **ctx)
{
    struct hall *hall = *ctx;
    struct ledger_job *capped, *gangs;

    workers_come(hall, 8, 4);
    capped = submit(hall, "operator: {command: [x]}\ncards: {host_cap: 1}\n"
                          "sweep: {repeat: 6}\n");
    give(hall);
    assert_int_equal(running(capped), 2); /* one on each host, though six are free */
    gangs = submit(hall, "operator: {command: [x], ranks: 2}\n"
                         "cards: {host_cap: 2}\nsweep: {repeat: 3}\n");
    give(hall);
    assert_int_equal(running(gangs), 2); /* the third would be a second one somewhere */
    for (int i = 0; i < 8; i++)
        if (hall->worker[i]->ranks &&
            hall->worker[i]->ranks->attempt->task->job == capped) {
            end_first(hall, hall->worker[i]);
            break;
        }
    give(hall);
    assert_int_equal(running(capped), 2);
    assert_int_equal(capped->counts[TASK_WAITING], 3);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, up, down)

/* Many that are short, a few that are long: others wait for what is in hand. */
static void a_runner_has_in_hand_what_takes_a_moment(void **ctx)
{
    struct hall *hall = *ctx;
    struct worker *worker;
    size_t least;

    workers_come(hall, 1, 4);
    worker = hall->worker[0];
    submit(hall, "operator: {kernel: k.o, args: [in fp32 8]}\n"
                 "sweep: {repeat: 1000}\n");
    give(hall);
    least = worker->rank_count;
    for (int i = 0; i < 8; i++) {
        end_first_after(hall, worker, 20);
        give(hall);
    }
    assert_true(worker->rank_count > 4 * least);
    end_first_after(hall, worker, 1000000); /* one that is long */
    for (size_t before; (before = worker->rank_count) > least;) {
        end_first_after(hall, worker, 1000000);
        give(hall);
        assert_true(worker->rank_count < before);
    }
    for (int i = 0; i < 200; i++) { /* and short ones again */
        end_first_after(hall, worker, 20);
        give(hall);
    }
    assert_true(worker->rank_count > 4 * least);
}

/* The better one may have less in hand: then nothing is added before it comes. */
static void what_is_better_does_not_wait_behind_a_full_hand(void **ctx)
{
    struct hall *hall = *ctx;
    struct worker *worker;
    struct ledger_job *better;
    size_t much;

    workers_come(hall, 1, 4);
    worker = hall->worker[0];
    submit(hall, "operator: {kernel: k.o, args: [in fp32 8]}\n"
                 "sweep: {repeat: 1000}\n");
    give(hall);
    end_first_after(hall, worker, 20);
    give(hall);
    much = worker->rank_count;
    better = submit(hall, "operator: {command: [x]}\npriority: 90\n");
    for (size_t ended = 0; running(better) == 0; ended++) {
        assert_true(ended < much);
        end_first_after(hall, worker, 20);
        give(hall);
    }
    assert_true(worker->rank_count > 2); /* and then the other one goes on */
    for (struct attempt_rank *rank = worker->ranks; rank; rank = rank->next_of_worker)
        assert_true(rank->attempt->task->job != better ||
                    rank == worker->ranks->next_of_worker);
}

static void as_many_cards_wait_for_it_as_it_has_tasks(void **ctx)
{
    struct hall *hall = *ctx;
    size_t full;

    workers_come(hall, 3, 4);
    submit(hall, "operator: {kernel: k.o, args: [in fp32 8]}\n"
                 "sweep: {repeat: 1000}\n");
    give(hall);
    end_first_after(hall, hall->worker[0], 20);
    give(hall);
    full = hall->worker[1]->rank_count;
    submit(hall, "operator: {command: [x]}\npriority: 90\n");
    for (int i = 0; i < 3; i++)
        end_first_after(hall, hall->worker[i], 20);
    end_first_after(hall, hall->worker[1], 20); /* it has the least now */
    give(hall);
    assert_int_equal(hall->worker[0]->rank_count, full);
    assert_int_equal(hall->worker[1]->rank_count, full - 2);
    assert_int_equal(hall->worker[2]->rank_count, full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_cards_of_a_task_at_once_or_none),
        CASE(a_waiting_gang_keeps_cards_and_what_waits_there_goes),
        CASE(a_gang_of_eight_is_not_starved_by_a_stream_of_small_tasks),
        CASE(and_small_tasks_are_not_starved_by_gangs),
        CASE(a_higher_priority_goes_first_until_the_other_has_waited_long),
        CASE(only_the_first_gang_keeps_cards),
        CASE(a_gang_of_hosts_stands_evenly_on_them),
        CASE(threads_stand_on_one_host),
        CASE(of_short_tasks_a_card_has_some_more_in_hand),
        CASE(a_drained_card_gets_nothing_more_also_after_a_restart),
        CASE(the_words_say_what_is_missing_and_what_goes_on),
        CASE(a_task_may_have_its_host_to_itself),
        CASE(a_job_has_no_more_of_a_host_than_its_cap),
        CASE(a_job_after_another_gets_no_card_and_says_why),
        CASE(a_runner_has_in_hand_what_takes_a_moment),
        CASE(what_is_better_does_not_wait_behind_a_full_hand),
        CASE(as_many_cards_wait_for_it_as_it_has_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
