/* barrier_delegate_test.c - two hosts with two ranks each; the test relays between them
 */
#include "worker/gang/barrier_delegate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/reactor.h"
#include "tests/support/unit.h"

enum { HOSTS = 2, RANKS = 4, LIMIT_MS = 20000, AHEAD_NS = 2000000 };

#define KEY 77

struct host {
    int memory, bell;
    struct barrier_delegate *delegate;
    uint64_t stage;
    uint32_t count;
    struct barrier_outcome aborted;
};

struct rank {
    uint32_t number;
    struct rank_barrier *barrier;
    pthread_t thread;
    bool refuses;
    struct barrier_outcome outcome[4];
    int stages;
};

static struct reactor *reactor;
static struct host hosts[HOSTS];
static struct rank_barrier barriers[HOSTS];
static struct rank ranks[RANKS];
static int done, aborts;
static bool cut;  /* no message passes between the hosts */
static bool ends; /* the run ends when all ranks have arrived */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void on_arrived(const struct barrier_view *view, void *arg)
{
    struct host *host = arg;
    uint32_t sum = 0;

    assert_int_equal(view->key, KEY);
    host->stage = view->stage;
    host->count = view->count;
    if (ends && hosts[0].count + hosts[1].count == view->size)
        for (int i = 0; i < HOSTS; i++)
            barrier_delegate_end(hosts[i].delegate, BARRIER_GONE, 2);
    if (cut)
        return;
    for (int i = 0; i < HOSTS; i++)
        sum += hosts[i].stage == view->stage ? hosts[i].count : 0;
    if (sum == view->size)
        for (int i = 0; i < HOSTS; i++)
            barrier_delegate_release(hosts[i].delegate, view->key, view->stage, true,
                                     now_ns() + AHEAD_NS, 0, BARRIER_DELEGATE_NO_RANK);
}

static void on_aborted(const struct barrier_view *view, void *arg)
{
    struct host *host = arg;

    host->aborted = view->outcome;
    aborts++;
    for (int i = 0; i < HOSTS && !cut; i++)
        if (&hosts[i] != host)
            barrier_delegate_release(hosts[i].delegate, view->key, view->stage, false,
                                     0, view->outcome.reason, view->outcome.culprit);
}

static void on_tick(void *arg)
{
    int *wanted = arg;

    if (__atomic_load_n(&done, __ATOMIC_SEQ_CST) == *wanted)
        reactor_stop(reactor);
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    struct barrier_membership member = {KEY,          RANKS, rank->number,
                                        rank->number, 0,     (uint32_t)getpid()};
    struct barrier_place place;

    if (barrier_join(rank->barrier, &member, &place) < 0)
        abort();
    for (uint32_t step = 0; step < 4; step++) {
        struct barrier_arrival arrival = {
            .stage = barrier_stage(1, step),
            .fingerprint = 1,
            .reason = step == 3                    ? BARRIER_FINISHED
                      : step == 2 && rank->refuses ? BARRIER_NOT_ARMED
                                                   : BARRIER_RELEASED,
        };

        barrier_wait(rank->barrier, &place, &arrival, LIMIT_MS, &rank->outcome[step]);
        rank->stages++;
        if (!barrier_is_released(&rank->outcome[step]))
            break;
    }
    __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* Runs all ranks to their end. With `world` > RANKS the communicator is a part of the
 * run. */
static void run(uint32_t world)
{
    struct err err;
    int wanted = RANKS;

    reactor = reactor_create();
    for (int i = 0; i < HOSTS; i++) {
        struct barrier_delegate_options options = {
            .arrived = on_arrived, .aborted = on_aborted, .arg = &hosts[i]};

        options.memory = hosts[i].memory = barrier_memory(HOSTS, world, world / HOSTS);
        options.bell = hosts[i].bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        assert_int_equal(barrier_map(&barriers[i], hosts[i].memory, hosts[i].bell), 0);
        assert_int_equal(
            barrier_delegate_open(&hosts[i].delegate, reactor, &options, &err), 0);
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i].number = i;
        ranks[i].barrier = &barriers[i / 2];
        pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]);
    }
    reactor_every(reactor, 5, on_tick, &wanted);
    assert_int_equal(reactor_run(reactor, &err), 0);
    for (uint32_t i = 0; i < RANKS; i++)
        pthread_join(ranks[i].thread, NULL);
}

static int set_up(void **ctx)
{
    (void)ctx;
    memset(ranks, 0, sizeof(ranks));
    memset(hosts, 0, sizeof(hosts));
    done = aborts = 0;
    cut = ends = false;
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < HOSTS; i++) {
        barrier_delegate_close(hosts[i].delegate);
        barrier_unmap(&barriers[i]);
        close(hosts[i].memory);
        close(hosts[i].bell);
    }
    reactor_destroy(reactor);
    return 0;
}

static void assert_all_were_released(void)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].stages, 4);
        for (int step = 0; step < 4; step++) {
            const struct barrier_outcome *outcome = &ranks[i].outcome[step];

            assert_int_equal(outcome->reason,
                             step == 3 ? BARRIER_FINISHED : BARRIER_RELEASED);
            assert_true(outcome->planned_ns > outcome->arrived_ns);
            assert_true(outcome->released_ns >= outcome->planned_ns);
        }
    }
    assert_int_equal(aborts, 0);
}

static void ranks_of_two_hosts_are_released_together(void **ctx)
{
    (void)ctx;
    run(RANKS);
    assert_all_were_released();
}

/* The number of ranks per host is unknown before all have arrived. */
static void a_communicator_that_is_a_part_of_the_run_is_released(void **ctx)
{
    (void)ctx;
    run(2 * RANKS);
    assert_all_were_released();
}

static void an_abort_reaches_the_other_host(void **ctx)
{
    (void)ctx;
    ranks[3].refuses = true;
    run(RANKS);
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].stages, 3);
        assert_int_equal(ranks[i].outcome[2].reason, BARRIER_NOT_ARMED);
        assert_int_equal(ranks[i].outcome[2].culprit, 3);
    }
    assert_int_equal(aborts, 1);
    assert_int_equal(hosts[1].aborted.culprit, 3);
}

/* No message passes, and the coordinator ends the run. */
static void the_end_of_a_run_aborts_all_ranks(void **ctx)
{
    (void)ctx;
    cut = ends = true;
    run(RANKS);
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(ranks[i].stages, 1);
        assert_int_equal(ranks[i].outcome[0].reason, BARRIER_GONE);
        assert_int_equal(ranks[i].outcome[0].culprit, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(ranks_of_two_hosts_are_released_together),
        TEST(a_communicator_that_is_a_part_of_the_run_is_released),
        TEST(an_abort_reaches_the_other_host),
        TEST(the_end_of_a_run_aborts_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
