#include "coordinator/barrier/barrier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

enum { RUN = 7, WORLD = 4, WAIT_MS = 1000, ROUND_NS = 2000000 };

static const struct barrier_host a = {"a", 0}, b = {"b", 0};

/* Releases in their order, as `a:1=go b:1=late(3)`: host, epoch, outcome, rank. */
static struct {
    struct barriers *barriers;
    struct text releases;
    uint64_t release_ns;
    char reason[240];
    struct barrier_clock clock;
} test;

static const char *word_of(const struct msg_barrier_release *release)
{
    static char other[16];

    if (release->go)
        return release->vote == BARRIER_VOTE_FINISHED ? "over" : "go";
    switch (release->vote) {
    case BARRIER_VOTE_MISMATCH:
        return "mismatch";
    case BARRIER_VOTE_LATE:
        return "late";
    case BARRIER_VOTE_BUSY:
        return "busy";
    case BARRIER_VOTE_ENDED:
        return "ended";
    default:
        snprintf(other, sizeof(other), "vote-%d", (int)release->vote);
        return other;
    }
}

static void record_release(const struct barrier_host *to,
                           const struct msg_barrier_release *release,
                           void *arg)
{
    (void)arg;
    assert_int_equal(release->run_id, RUN);
    text_printf(&test.releases, "%s%s:%d=%s", test.releases.length ? " " : "", to->host,
                (int)release->epoch, word_of(release));
    if (!release->go && release->rank != BARRIER_NO_RANK)
        text_printf(&test.releases, "(%d)", (int)release->rank);
    test.release_ns = release->release_ns;
    snprintf(test.reason, sizeof(test.reason), "%s",
             release->reason ? release->reason : "");
}

static int set_up(void **ctx)
{
    (void)ctx;
    memset(&test, 0, sizeof(test));
    test.barriers = barriers_create(record_release, NULL);
    test.clock = (struct barrier_clock){1000, 1000000000};
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    barriers_destroy(test.barriers);
    text_clear(&test.releases);
    return 0;
}

static void assert_releases(const char *wanted)
{
    assert_string_equal(text_get(&test.releases), wanted);
    text_reset(&test.releases);
}

struct arrival {
    const struct barrier_host *host;
    uint64_t first, count; /* ranks */
    uint64_t group, size, epoch, fingerprint, vote;
};

static void arrive(struct arrival at)
{
    uint64_t ranks[8], fingerprints[8], votes[8];
    const char *words[8];

    for (uint64_t i = 0; i < at.count; i++) {
        ranks[i] = at.first + i;
        fingerprints[i] = at.fingerprint;
        votes[i] = at.vote;
        words[i] = at.fingerprint == 1 ? "MatmulAllReduce" : "Add";
    }
    const struct msg_barrier_arrive message = {.run_id = RUN,
                                               .group = at.group,
                                               .epoch = at.epoch,
                                               .size = at.size,
                                               .wait_ms = WAIT_MS,
                                               .round_ns = ROUND_NS,
                                               .ranks = {ranks, at.count},
                                               .fingerprints = {fingerprints, at.count},
                                               .votes = {votes, at.count},
                                               .words = {words, at.count}};
    barriers_arrive(test.barriers, at.host, WORLD, &message, test.clock);
}

/* Ranks 0 and 1 are on a, 2 and 3 on b; the communicator has all of them. */
static void a_comes(uint64_t epoch, uint64_t vote)
{
    arrive((struct arrival){&a, 0, 2, 9, 4, epoch, 1, vote});
}

static void b_comes(uint64_t epoch, uint64_t vote)
{
    arrive((struct arrival){&b, 2, 2, 9, 4, epoch, 1, vote});
}

static bool is_there(uint64_t run_id, void *arg)
{
    (void)run_id;
    return *(bool *)arg;
}

static void tick(uint64_t ms)
{
    bool yes = true;

    test.clock.now_ms += ms;
    barriers_tick(test.barriers, test.clock, is_there, &yes);
}

static void a_complete_barrier_is_released_at_a_time_ahead(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    assert_releases("");
    b_comes(1, 0);
    assert_releases("a:1=go b:1=go");
    assert_true(test.release_ns > test.clock.now_ns + ROUND_NS / 2);
    assert_true(test.release_ns < test.clock.now_ns + 2 * ROUND_NS);
    a_comes(2, 1);
    b_comes(2, 1);
    assert_releases("a:2=over b:2=over");
}

static void a_repeated_arrival_replaces_the_earlier_one(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&a, 0, 1, 9, 4, 1, 1, 0});
    b_comes(1, 0);
    assert_releases("");
    a_comes(1, 0);
    assert_releases("a:1=go b:1=go");
    b_comes(1, 0); /* repeated after a new connection: the same release */
    assert_releases("b:1=go");
}

static void a_rank_at_another_launch_is_named(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&b, 2, 1, 9, 4, 1, 2, 0});
    assert_releases("");
    a_comes(1, 0);
    assert_releases("b:1=mismatch(2) a:1=mismatch(2)");
    assert_string_equal(test.reason, "rank 2 is at Add, rank 0 at MatmulAllReduce");
    arrive((struct arrival){&b, 2, 2, 9, 4, 1, 2,
                            0}); /* the other rank arrives too late */
    assert_releases("b:1=mismatch(2)");
}

static void a_rank_that_cannot_continue_aborts_the_barrier_at_once(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    arrive((struct arrival){&b, 3, 1, 9, 4, 1, 1, 4});
    assert_releases("a:1=vote-4(3) b:1=vote-4(3)");
    a_comes(65536, 0); /* the next launch */
    b_comes(65536, 0);
    assert_releases("a:65536=go b:65536=go");
}

static void an_abort_reaches_all_hosts_and_later_arrivals(void **ctx)
{
    const struct msg_barrier_abort gone = {.run_id = RUN,
                                           .group = 9,
                                           .epoch = 1,
                                           .rank = 1,
                                           .vote = 11,
                                           .size = 4,
                                           .reason = "its process has ended"};

    (void)ctx;
    barriers_abort(test.barriers, &a, WORLD, &gone, test.clock);
    assert_releases("a:1=vote-11(1)");
    b_comes(1, 0);
    assert_releases("b:1=vote-11(1)");
    assert_string_equal(test.reason, "its process has ended");
    barriers_abort(test.barriers, &b, WORLD, &gone, test.clock);
    assert_releases(""); /* this abort is known already */
}

static void the_deadline_aborts_and_names_the_missing_rank(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&a, 0, 1, 9, 4, 1, 1, 0});
    b_comes(1, 0);
    tick(WAIT_MS);
    assert_releases(""); /* the host of the late rank has time to report it */
    tick(500);
    assert_releases("a:1=late(1) b:1=late(1)");
    assert_string_equal(test.reason, "3 of 4 ranks arrived in time");
    a_comes(1, 0);
    assert_releases("a:1=late(1)");
}

static void members_of_a_communicator_are_known_from_its_last_barrier(void **ctx)
{
    (void)ctx;
    for (uint64_t epoch = 1; epoch <= 2; epoch++) {
        arrive((struct arrival){&a, 1, 1, 5, 2, epoch, 1, 0});
        if (epoch == 1)
            arrive((struct arrival){&b, 3, 1, 5, 2, epoch, 1, 0});
    }
    assert_releases("a:1=go b:1=go");
    tick(2 * WAIT_MS);
    assert_releases("a:2=late(3) b:2=late(3)");
}

static void an_arrival_at_a_later_epoch_aborts_the_earlier_one(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(2, 0);
    assert_releases("a:1=mismatch(2)");
    b_comes(1, 0);
    assert_releases("b:1=mismatch(2)");
    a_comes(2, 0);
    assert_releases("a:2=go b:2=go");
}

static void communicators_that_share_cards_are_released_in_turn(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(1, 0);
    assert_releases("a:1=go b:1=go");
    arrive((struct arrival){&a, 0, 1, 5, 2, 1, 1, 0});
    arrive((struct arrival){&b, 2, 1, 5, 2, 1, 1, 0});
    assert_releases(""); /* not during the launch of the first communicator */
    a_comes(2, 0);
    b_comes(2, 0);
    assert_releases("a:2=go b:2=go");
    a_comes(3, 1);
    b_comes(3, 1);
    assert_releases("a:3=over b:3=over a:1=go b:1=go");
}

static void a_communicator_that_waited_until_its_deadline_gets_the_next_turn(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(1, 0);
    arrive((struct arrival){&a, 0, 1, 5, 2, 1, 1, 0});
    arrive((struct arrival){&b, 2, 1, 5, 2, 1, 1, 0});
    text_reset(&test.releases);
    tick(2 * WAIT_MS);
    assert_releases("a:1=busy b:1=busy");
    arrive((struct arrival){&a, 0, 1, 5, 2, 2, 1, 0});
    arrive((struct arrival){&b, 2, 1, 5, 2, 2, 1, 0});
    assert_releases("a:2=go b:2=go");
}

static void an_abort_releases_the_next_communicator(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(1, 0);
    arrive((struct arrival){&a, 0, 1, 5, 2, 1, 1, 0});
    arrive((struct arrival){&b, 2, 1, 5, 2, 1, 1, 0});
    text_reset(&test.releases);
    a_comes(2, 6);
    assert_releases("a:2=vote-6(0) b:2=vote-6(0) a:1=go b:1=go");
}

static void the_end_of_the_attempt_is_sent_to_all_hosts(void **ctx)
{
    bool no = false;

    (void)ctx;
    a_comes(1, 0);
    barriers_end(test.barriers, RUN, 3, "ended by signal 9");
    assert_releases("a:0=ended(3)");
    assert_false(barriers_are_empty(test.barriers));
    barriers_tick(test.barriers, test.clock, is_there, &no);
    assert_releases("a:0=ended"); /* the host is known without a new arrival */
    assert_true(barriers_are_empty(test.barriers));
}

static void a_malformed_arrival_is_answered_with_a_mismatch(void **ctx)
{
    static const struct arrival wrong[] = {
        {&a, 0, 2, 0, 4, 1, 1, 0}, /* no communicator */
        {&a, 0, 2, 9, 0, 1, 1, 0}, /* of size 0 */
        {&a, 0, 2, 9, 5, 1, 1, 0}, /* larger than the attempt */
        {&a, 0, 0, 9, 4, 1, 1, 0}, /* no ranks */
        {&a, 3, 2, 9, 4, 1, 1, 0}, /* a rank beyond the attempt */
        {&a, 0, 2, 9, 1, 1, 1, 0}, /* more ranks than its size */
    };
    const struct msg_barrier_arrive uneven = {.run_id = RUN, .group = 9, .size = 4};

    (void)ctx;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        arrive(wrong[i]);
        assert_releases("a:1=mismatch");
    }
    barriers_arrive(test.barriers, &a, WORLD, &uneven, test.clock);
    assert_releases("a:0=mismatch");
    a_comes(1, 0);
    arrive((struct arrival){&b, 2, 1, 9, 3, 1, 1, 0}); /* known with another size */
    assert_releases("b:1=mismatch");
    assert_false(barriers_are_empty(test.barriers));
}

/* Two hosts say anything in any order: every arrival is answered by its deadline, and
 * the answers to one epoch never differ. */
static void random_messages_give_all_hosts_the_same_outcome(void **ctx)
{
    (void)ctx;
    for (unsigned seed = 1; seed <= 2000; seed++) {
        tear_down(NULL);
        set_up(NULL);
        srand(seed);
        for (int i = 0; i < 12; i++) {
            const struct arrival at = {rand() % 2 ? &a : &b,
                                       0,
                                       2,
                                       9,
                                       4,
                                       1 + (uint64_t)rand() % 3,
                                       1 + (uint64_t)(rand() % 8 == 0),
                                       (uint64_t)(rand() % 8 == 0) * 4};
            struct arrival it = at;

            it.first = at.host == &a ? 0 : 2;
            arrive(it);
        }
        tick(2 * WAIT_MS);
        for (int epoch = 1; epoch <= 3; epoch++) {
            char go_a[32], go_b[32], no_a[32], no_b[32];

            snprintf(go_a, sizeof(go_a), "a:%d=go", epoch);
            snprintf(go_b, sizeof(go_b), "b:%d=go", epoch);
            snprintf(no_a, sizeof(no_a), "a:%d=late", epoch);
            snprintf(no_b, sizeof(no_b), "b:%d=late", epoch);
            const char *all = text_get(&test.releases);
            if (!!strstr(all, go_a) != !!strstr(all, go_b))
                fail_msg("seed %u: %s", seed, all);
            if (strstr(all, go_a) && (strstr(all, no_a) || strstr(all, no_b)))
                fail_msg("seed %u: %s", seed, all);
        }
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_complete_barrier_is_released_at_a_time_ahead),
        CASE(a_repeated_arrival_replaces_the_earlier_one),
        CASE(a_rank_at_another_launch_is_named),
        CASE(a_rank_that_cannot_continue_aborts_the_barrier_at_once),
        CASE(an_abort_reaches_all_hosts_and_later_arrivals),
        CASE(the_deadline_aborts_and_names_the_missing_rank),
        CASE(members_of_a_communicator_are_known_from_its_last_barrier),
        CASE(an_arrival_at_a_later_epoch_aborts_the_earlier_one),
        CASE(communicators_that_share_cards_are_released_in_turn),
        CASE(a_communicator_that_waited_until_its_deadline_gets_the_next_turn),
        CASE(an_abort_releases_the_next_communicator),
        CASE(the_end_of_the_attempt_is_sent_to_all_hosts),
        CASE(a_malformed_arrival_is_answered_with_a_mismatch),
        CASE(random_messages_give_all_hosts_the_same_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
