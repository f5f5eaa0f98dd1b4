/* Limits, times and the ranks and reasons that a release names. */
#include <stdio.h>
#include <string.h>

#include "coordinator/barrier/barrier.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

enum { WAIT_MS = 1000, GRACE_MS = 200, FINISHED = BARRIER_VOTE_FINISHED };

static const struct barrier_host a = {"a", 0}, b = {"b", 8}, c = {"c", 3};

/* Releases in their order, one a line: `a/0 7:9:1 go` (host/card, attempt:communicator:
 * epoch), and for an abort the vote, the rank and the reason. */
static struct {
    struct barriers *barriers;
    struct text releases;
    uint64_t release_ns;
    struct barrier_clock clock;
} test;

static void record_release(const struct barrier_host *to,
                           const struct msg_barrier_release *release,
                           void *arg)
{
    assert_ptr_equal(arg, &test);
    test.release_ns = release->release_ns;
    text_printf(&test.releases, "%s/%d %d:%d:%d", to->host, to->card,
                (int)release->run_id, (int)release->group, (int)release->epoch);
    if (release->go) {
        text_printf(&test.releases, " go %d\n", (int)release->vote);
        return;
    }
    text_printf(&test.releases, " vote %d", (int)release->vote);
    if (release->rank != BARRIER_NO_RANK)
        text_printf(&test.releases, " rank %d", (int)release->rank);
    text_printf(&test.releases, ": %s\n", release->reason);
}

static int set_up(void **ctx)
{
    (void)ctx;
    memset(&test, 0, sizeof(test));
    test.barriers = barriers_create(record_release, &test);
    test.clock = (struct barrier_clock){5000, 7000000000};
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

/* Attempt 7 has four ranks, and its communicator 9 has all of them, unless a member
 * has another value. A rank is at kernel `A` + fingerprint. */
struct arrival {
    const struct barrier_host *host;
    uint64_t epoch, ranks[4], count, fingerprint, vote;
    uint64_t run_id, group, size, world, wait_ms, round_ns;
    uint64_t only; /* 1 + place of the rank that has the vote; 0: all have it */
};

static uint64_t value_or(uint64_t value, uint64_t otherwise)
{
    return value ? value : otherwise;
}

static void arrive(struct arrival at)
{
    uint64_t fingerprints[4], votes[4];
    const char *words[4];
    char word[2] = {(char)('A' + at.fingerprint)};

    for (uint64_t i = 0; i < 4; i++) {
        fingerprints[i] = at.fingerprint;
        votes[i] = at.only == 0 || at.only == i + 1 ? at.vote : 0;
        words[i] = word;
    }
    const struct msg_barrier_arrive message = {.run_id = value_or(at.run_id, 7),
                                               .group = value_or(at.group, 9),
                                               .epoch = at.epoch,
                                               .size = value_or(at.size, 4),
                                               .wait_ms = value_or(at.wait_ms, WAIT_MS),
                                               .round_ns = at.round_ns,
                                               .ranks = {at.ranks, at.count},
                                               .fingerprints = {fingerprints, at.count},
                                               .votes = {votes, at.count},
                                               .words = {words, at.count}};
    barriers_arrive(test.barriers, at.host, (uint32_t)value_or(at.world, 4), &message,
                    test.clock);
}

static void a_comes(uint64_t epoch, uint64_t vote)
{
    arrive((struct arrival){&a, epoch, {0, 1}, 2, .vote = vote});
}

static void b_comes(uint64_t epoch, uint64_t vote)
{
    arrive((struct arrival){&b, epoch, {2, 3}, 2, .vote = vote});
}

/* Communicator 5: ranks 0 and 2. */
static void both_come_to_5(uint64_t epoch, uint64_t vote)
{
    arrive((struct arrival){&a, epoch, {0}, 1, .group = 5, .size = 2, .vote = vote});
    arrive((struct arrival){&b, epoch, {2}, 1, .group = 5, .size = 2, .vote = vote});
}

/* `arg`: the attempts that exist, one bit each. */
static bool exists(uint64_t run_id, void *arg)
{
    return *(unsigned *)arg >> run_id & 1;
}

static void tick_until(uint64_t ms)
{
    unsigned all = ~0U;

    test.clock.now_ms = ms;
    barriers_tick(test.barriers, test.clock, exists, &all);
}

static void the_release_is_ahead_by_the_longest_round_trip(void **ctx)
{
    static const struct {
        uint64_t round_a, round_b, ahead;
    } cases[] = {
        {0, 0, 300000},
        {2000000, 500000, 2300000},
        {500000, 2000000, 2300000},
        {99999999, 0, 100299999},
        {100000000, 0, 100300000},
        {0, 100000001, 100300000}, /* a longer one counts as 100 ms */
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        arrive((struct arrival){
            &a, i + 1, {0, 1}, 2, .vote = FINISHED, .round_ns = cases[i].round_a});
        arrive((struct arrival){
            &b, i + 1, {2, 3}, 2, .vote = FINISHED, .round_ns = cases[i].round_b});
        assert_int_equal(test.release_ns, 7000000000 + cases[i].ahead);
    }
}

static void a_release_has_the_worst_vote_of_all_ranks(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(1, FINISHED);
    assert_releases("a/0 7:9:1 go 1\nb/8 7:9:1 go 1\n");
    a_comes(2, FINISHED);
    b_comes(2, 0);
    assert_releases("a/0 7:9:2 go 1\nb/8 7:9:2 go 1\n");
    arrive((struct arrival){&a, 3, {0, 1}, 2, .vote = FINISHED, .only = 1});
    b_comes(3, 0);
    assert_releases("a/0 7:9:3 go 1\nb/8 7:9:3 go 1\n");
    a_comes(4, 0);
    arrive((struct arrival){&b, 4, {2, 3}, 2, .vote = FINISHED, .only = 2});
    assert_releases("a/0 7:9:4 go 1\nb/8 7:9:4 go 1\n");
    a_comes(5, 0);
    b_comes(5, 0);
    assert_releases("a/0 7:9:5 go 0\nb/8 7:9:5 go 0\n");
}

static void the_deadline_is_the_wait_plus_the_time_to_report(void **ctx)
{
    static const struct {
        uint64_t wait_ms, deadline_ms;
    } cases[] = {
        {1, 5000 + 1 + GRACE_MS},
        {3599999, 5000 + 3599999 + GRACE_MS},
        {3600000, 5000 + 3600000 + GRACE_MS},
        {3600001, 5000 + 3600000 + GRACE_MS}, /* an hour at most */
        {UINT64_MAX, 5000 + 3600000 + GRACE_MS},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        tear_down(ctx);
        set_up(ctx);
        arrive((struct arrival){&a, 1, {0, 1}, 2, .wait_ms = cases[i].wait_ms});
        tick_until(cases[i].deadline_ms - 1);
        assert_releases("");
        tick_until(cases[i].deadline_ms);
        assert_releases("a/0 7:9:1 vote 10 rank 2: 2 of 4 ranks arrived in time\n");
        tick_until(cases[i].deadline_ms + 1);
        assert_releases("");
    }
}

static void the_deadline_names_the_first_missing_rank(void **ctx)
{
    static const struct {
        uint64_t ranks[3];
        const char *release;
    } cases[] = {
        {{1, 2, 3}, "a/0 7:9:1 vote 10 rank 0: 3 of 4 ranks arrived in time\n"},
        {{0, 2, 3}, "a/0 7:9:1 vote 10 rank 1: 3 of 4 ranks arrived in time\n"},
        {{3, 1, 0}, "a/0 7:9:1 vote 10 rank 2: 3 of 4 ranks arrived in time\n"},
        {{0, 1, 2}, "a/0 7:9:1 vote 10 rank 3: 3 of 4 ranks arrived in time\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arrival at = {.host = &a, .epoch = 1, .count = 3};

        tear_down(ctx);
        set_up(ctx);
        memcpy(at.ranks, cases[i].ranks, sizeof(cases[i].ranks));
        arrive(at);
        tick_until(6200);
        assert_releases(cases[i].release);
    }
}

static void members_are_stored_for_all_hosts_and_named_when_missing(void **ctx)
{
    static const struct {
        uint64_t on_a[2], count_a, on_b, count_b;
        const char *missing;
    } cases[] = {
        {{2}, 1, 3, 1, "rank 0: 2 of 3"},
        {{0}, 1, 3, 1, "rank 2: 2 of 3"},
        {{0, 2}, 2, 0, 0, "rank 3: 2 of 3"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arrival on_a = {
            .host = &a, .epoch = 2, .count = cases[i].count_a, .group = 5, .size = 3};

        tear_down(ctx);
        set_up(ctx);
        arrive((struct arrival){&a, 1, {0, 2}, 2, .group = 5, .size = 3});
        arrive((struct arrival){&b, 1, {3}, 1, .group = 5, .size = 3});
        assert_releases("a/0 7:5:1 go 0\nb/8 7:5:1 go 0\n");
        memcpy(on_a.ranks, cases[i].on_a, sizeof(cases[i].on_a));
        arrive(on_a);
        if (cases[i].count_b)
            arrive((struct arrival){&b, 2, {cases[i].on_b}, 1, .group = 5, .size = 3});
        tick_until(6200);
        assert_non_null(strstr(text_get(&test.releases), cases[i].missing));
    }
}

static void unknown_members_are_not_named(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&a, 1, {0, 2}, 2, .group = 5, .size = 3});
    tick_until(6200);
    assert_releases("a/0 7:5:1 vote 10: 2 of 3 ranks arrived in time\n");
}

static void the_smaller_set_of_equal_ranks_is_blamed(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&a, 1, {0}, 1, .fingerprint = 1});
    arrive((struct arrival){&b, 1, {2, 3}, 2, .fingerprint = 2});
    assert_releases("a/0 7:9:1 vote 3 rank 0: rank 0 is at B, rank 2 at C\n"
                    "b/8 7:9:1 vote 3 rank 0: rank 0 is at B, rank 2 at C\n");
    arrive((struct arrival){&b, 2, {3, 2}, 2, .fingerprint = 2});
    arrive((struct arrival){&a, 2, {0, 1}, 2, .fingerprint = 1});
    assert_releases("a/0 7:9:2 vote 3 rank 3: rank 3 is at C, rank 0 at B\n"
                    "b/8 7:9:2 vote 3 rank 3: rank 3 is at C, rank 0 at B\n");
}

/* No set is smaller than the other: the highest rank is named in each order of the
 * hosts. */
static void two_sets_of_equal_size_are_a_mismatch_in_each_order(void **ctx)
{
    static const struct {
        const struct barrier_host *first, *second;
        uint64_t ranks[4]; /* two of each host */
        const char *reason;
    } cases[] = {
        {&a, &b, {0, 1, 2, 3}, "vote 3 rank 3: rank 3 is at C, rank 0 at B\n"},
        {&b, &a, {2, 3, 0, 1}, "vote 3 rank 3: rank 3 is at B, rank 0 at C\n"},
        {&a, &b, {0, 3, 1, 2}, "vote 3 rank 3: rank 3 is at B, rank 1 at C\n"},
        {&b, &a, {2, 1, 3, 0}, "vote 3 rank 3: rank 3 is at C, rank 2 at B\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t *ranks = cases[i].ranks;

        tear_down(ctx);
        set_up(ctx);
        arrive((struct arrival){
            cases[i].first, 1, {ranks[0], ranks[1]}, 2, .fingerprint = 1});
        assert_releases("");
        arrive((struct arrival){
            cases[i].second, 1, {ranks[2], ranks[3]}, 2, .fingerprint = 2});
        const char *release = text_get(&test.releases);
        assert_non_null(strstr(release, cases[i].reason));
        assert_non_null(strstr(release, "a/0 7:9:1 vote 3"));
        assert_non_null(strstr(release, "b/8 7:9:1 vote 3"));
    }
}

static void two_ranks_at_different_kernels_are_a_mismatch_in_each_order(void **ctx)
{
    static const struct barrier_host *const hosts[] = {&a, &b};

    for (uint64_t first = 0; first < 2; first++) {
        tear_down(ctx);
        set_up(ctx);
        for (uint64_t i = 0; i < 2; i++) {
            uint64_t rank = i == 0 ? first : 1 - first;

            arrive((struct arrival){
                hosts[rank], 1, {rank}, 1, .size = 2, .fingerprint = 1 + rank});
        }
        assert_non_null(strstr(text_get(&test.releases),
                               "a/0 7:9:1 vote 3 rank 1: rank 1 is at C, rank 0 at B"));
        assert_non_null(strstr(text_get(&test.releases), "b/8 7:9:1 vote 3 rank 1"));
    }
}

static void a_small_communicator_is_valid(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&a, 1, {3}, 1, .group = 1, .size = 1});
    assert_releases("a/0 7:1:1 go 0\n");
}

static void a_communicator_has_at_most_4096_ranks(void **ctx)
{
    (void)ctx;
    arrive((struct arrival){&a, 1, {0}, 1, .group = 1, .size = 4096, .world = 5000});
    assert_releases("");
    arrive((struct arrival){&a, 1, {0}, 1, .group = 2, .size = 4097, .world = 5000});
    assert_releases("a/0 7:2:1 vote 3: the arrival is malformed: its ranks, size or "
                    "lists are inconsistent\n");
}

static void each_rank_of_an_arrival_is_a_rank_of_the_attempt(void **ctx)
{
    static const uint64_t bad[][2] = {{4, 0}, {0, 4}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(bad); i++) {
        arrive((struct arrival){&a, 1, {bad[i][0], bad[i][1]}, 2, .world = 4});
        assert_releases("a/0 7:9:1 vote 3: the arrival is malformed: its ranks, size "
                        "or lists are inconsistent\n");
    }
    arrive((struct arrival){&a, 1, {3, 0}, 2, .size = 2});
    assert_releases("a/0 7:9:1 go 0\n");
}

static void an_attempt_has_at_most_64_communicators(void **ctx)
{
    (void)ctx;
    for (uint64_t group = 1; group <= 64; group++)
        arrive((struct arrival){&a, 1, {0}, 1, .group = group, .size = 2});
    assert_releases("");
    arrive((struct arrival){&a, 1, {0}, 1, .group = 65, .size = 2});
    assert_releases("a/0 7:65:1 vote 3: the arrival is malformed: its ranks, size or "
                    "lists are inconsistent\n");
    arrive((struct arrival){&b, 1, {1}, 1, .group = 64, .size = 2});
    assert_releases("a/0 7:64:1 go 0\nb/8 7:64:1 go 0\n");
}

static void each_list_of_an_arrival_has_one_entry_for_each_rank(void **ctx)
{
    uint64_t numbers[2] = {0, 0};
    const char *words[2] = {"A", "A"};

    (void)ctx;
    for (size_t list = 0; list < 4; list++) {
        struct msg_barrier_arrive message = {.run_id = 7,
                                             .group = 9,
                                             .epoch = 1,
                                             .size = 4,
                                             .ranks = {numbers, 1},
                                             .fingerprints = {numbers, 1},
                                             .votes = {numbers, 1},
                                             .words = {words, 1}};
        size_t *counts[] = {&message.ranks.count, &message.fingerprints.count,
                            &message.votes.count, &message.words.count};

        *counts[list] = 2;
        barriers_arrive(test.barriers, &a, 4, &message, test.clock);
        assert_releases("a/0 7:9:1 vote 3: the arrival is malformed: its ranks, size "
                        "or lists are inconsistent\n");
    }
    assert_true(barriers_are_empty(test.barriers));
}

static void an_arrival_at_an_older_epoch_gets_no_outcome_of_a_newer_one(void **ctx)
{
    (void)ctx;
    a_comes(5, 0);
    b_comes(5, 0);
    text_reset(&test.releases);
    a_comes(5, 0);
    assert_releases("a/0 7:9:5 go 0\n");
    b_comes(4, 0);
    assert_releases(
        "b/8 7:9:4 vote 3 rank 2: the other ranks are at a later barrier\n");
    a_comes(7, 0);
    b_comes(6, 0);
    assert_releases(
        "b/8 7:9:6 vote 3 rank 2: the other ranks are at a later barrier\n");
    b_comes(7, 0);
    assert_releases("a/0 7:9:7 go 0\nb/8 7:9:7 go 0\n");
}

static void an_arrival_at_a_later_epoch_is_the_reason_of_the_abort(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    arrive((struct arrival){&b, 2, {3, 2}, 2, .fingerprint = 4});
    assert_releases("a/0 7:9:1 vote 3 rank 3: rank 3 is already at E\n");
}

static void the_answers_go_to_the_worker_that_represents_the_host_now(void **ctx)
{
    static const struct barrier_host a_now = {"a", 6};

    (void)ctx;
    a_comes(1, 0);
    arrive((struct arrival){&a_now, 1, {0, 1}, 2, .vote = 0});
    b_comes(1, 0);
    assert_releases("a/6 7:9:1 go 0\nb/8 7:9:1 go 0\n");
}

static void an_abort_counts_for_its_epoch_only(void **ctx)
{
    struct msg_barrier_abort gone = {.run_id = 7,
                                     .group = 9,
                                     .epoch = 2,
                                     .rank = 3,
                                     .vote = 11,
                                     .size = 4,
                                     .reason = "its process has ended"};

    (void)ctx;
    a_comes(3, 0);
    barriers_abort(test.barriers, &b, 4, &gone, test.clock);
    assert_releases(""); /* host a is at a later epoch already */
    gone.epoch = 3;
    barriers_abort(test.barriers, &b, 4, &gone, test.clock);
    assert_releases("a/0 7:9:3 vote 11 rank 3: its process has ended\n"
                    "b/8 7:9:3 vote 11 rank 3: its process has ended\n");
    barriers_abort(test.barriers, &a, 4, &gone, test.clock);
    assert_releases("");
    gone.epoch = 5;
    a_comes(4, 0);
    barriers_abort(test.barriers, &b, 4, &gone, test.clock);
    assert_releases("a/0 7:9:5 vote 11 rank 3: its process has ended\n"
                    "b/8 7:9:5 vote 11 rank 3: its process has ended\n");
}

static void an_abort_without_a_reason_of_its_own_counts_as_late(void **ctx)
{
    static const struct {
        uint64_t vote;
        const char *release;
    } cases[] = {
        {0, "a/0 7:9:1 vote 10 rank 2: gone\n"},
        {1, "a/0 7:9:1 vote 10 rank 2: gone\n"},
        {2, "a/0 7:9:1 vote 2 rank 2: gone\n"},
        {3, "a/0 7:9:1 vote 3 rank 2: gone\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct msg_barrier_abort gone = {.run_id = 7,
                                               .group = 9,
                                               .epoch = 1,
                                               .rank = 2,
                                               .vote = cases[i].vote,
                                               .size = 4,
                                               .reason = "gone"};

        tear_down(ctx);
        set_up(ctx);
        barriers_abort(test.barriers, &a, 4, &gone, test.clock);
        assert_releases(cases[i].release);
    }
}

static void an_abort_with_an_impossible_size_creates_no_communicator(void **ctx)
{
    static const uint64_t sizes[] = {0, 5};
    struct msg_barrier_abort gone = {
        .run_id = 7, .group = 1, .epoch = 1, .vote = 11, .reason = "gone"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        gone.size = sizes[i];
        barriers_abort(test.barriers, &a, 4, &gone, test.clock);
        assert_releases("");
    }
    gone.size = 1;
    barriers_abort(test.barriers, &a, 4, &gone, test.clock);
    assert_releases("a/0 7:1:1 vote 11 rank 0: gone\n");
}

static void an_abort_of_communicator_0_ends_the_attempt(void **ctx)
{
    const struct msg_barrier_abort gone = {
        .run_id = 7, .rank = 1, .vote = 11, .size = 4, .reason = "signal 9"};

    (void)ctx;
    a_comes(1, 0);
    b_comes(1, 0);
    both_come_to_5(1, 0);
    arrive((struct arrival){&c, 1, {0}, 1, .run_id = 8, .group = 5, .size = 2});
    text_reset(&test.releases);
    barriers_abort(test.barriers, &a, 4, &gone, test.clock);
    assert_releases("a/0 7:0:0 vote 15 rank 1: signal 9\n"
                    "b/8 7:0:0 vote 15 rank 1: signal 9\n"
                    "a/0 7:0:0 vote 15 rank 1: signal 9\n"
                    "b/8 7:0:0 vote 15 rank 1: signal 9\n");
}

static void a_launch_in_progress_keeps_its_turn_past_the_deadline_of_others(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(1, 0);
    both_come_to_5(1, 0);
    text_reset(&test.releases);
    test.clock.now_ms += 100;
    a_comes(2, 0); /* communicator 9 is in its launch, and waits for host b */
    tick_until(6200);
    assert_releases("a/0 7:5:1 vote 14: another communicator uses the cards\n"
                    "b/8 7:5:1 vote 14: another communicator uses the cards\n");
    both_come_to_5(2, 0);
    assert_releases("");
    b_comes(2, FINISHED);
    assert_releases("a/0 7:9:2 go 1\nb/8 7:9:2 go 1\n"
                    "a/0 7:5:2 go 0\nb/8 7:5:2 go 0\n");
}

static void an_incomplete_communicator_gets_no_turn(void **ctx)
{
    (void)ctx;
    a_comes(1, 0);
    b_comes(1, 0);
    arrive((struct arrival){&a, 1, {0}, 1, .group = 5, .size = 2});
    a_comes(2, FINISHED);
    text_reset(&test.releases);
    b_comes(2, FINISHED);
    assert_releases("a/0 7:9:2 go 1\nb/8 7:9:2 go 1\n");
    arrive((struct arrival){&b, 1, {2}, 1, .group = 5, .size = 2});
    assert_releases("a/0 7:5:1 go 0\nb/8 7:5:1 go 0\n");
}

static void attempts_are_independent(void **ctx)
{
    unsigned left = 1U << 8 | 1U << 6;

    (void)ctx;
    for (uint64_t run_id = 6; run_id <= 8; run_id++)
        arrive((struct arrival){&a, 1, {0, 1}, 2, .run_id = run_id});
    arrive((struct arrival){&b, 1, {2, 3}, 2, .run_id = 6});
    assert_releases("a/0 6:9:1 go 0\nb/8 6:9:1 go 0\n");
    barriers_tick(test.barriers, test.clock, exists, &left);
    assert_releases("a/0 7:0:0 vote 15: the attempt has ended\n");
    test.clock.now_ms = 6200;
    barriers_tick(test.barriers, test.clock, exists, &left);
    assert_releases("a/0 8:9:1 vote 10 rank 2: 2 of 4 ranks arrived in time\n");
    barriers_end(test.barriers, 7, 0, "again");
    assert_releases(""); /* its hosts are not known any more */
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_release_is_ahead_by_the_longest_round_trip),
        CASE(a_release_has_the_worst_vote_of_all_ranks),
        CASE(the_deadline_is_the_wait_plus_the_time_to_report),
        CASE(the_deadline_names_the_first_missing_rank),
        CASE(members_are_stored_for_all_hosts_and_named_when_missing),
        CASE(unknown_members_are_not_named),
        CASE(the_smaller_set_of_equal_ranks_is_blamed),
        CASE(two_sets_of_equal_size_are_a_mismatch_in_each_order),
        CASE(two_ranks_at_different_kernels_are_a_mismatch_in_each_order),
        CASE(a_small_communicator_is_valid),
        CASE(a_communicator_has_at_most_4096_ranks),
        CASE(each_rank_of_an_arrival_is_a_rank_of_the_attempt),
        CASE(an_attempt_has_at_most_64_communicators),
        CASE(each_list_of_an_arrival_has_one_entry_for_each_rank),
        CASE(an_arrival_at_an_older_epoch_gets_no_outcome_of_a_newer_one),
        CASE(an_arrival_at_a_later_epoch_is_the_reason_of_the_abort),
        CASE(the_answers_go_to_the_worker_that_represents_the_host_now),
        CASE(an_abort_counts_for_its_epoch_only),
        CASE(an_abort_without_a_reason_of_its_own_counts_as_late),
        CASE(an_abort_with_an_impossible_size_creates_no_communicator),
        CASE(an_abort_of_communicator_0_ends_the_attempt),
        CASE(a_launch_in_progress_keeps_its_turn_past_the_deadline_of_others),
        CASE(an_incomplete_communicator_gets_no_turn),
        CASE(attempts_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
