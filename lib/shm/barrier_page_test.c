/* barrier_page_test.c - members, cards, several hosts, and overwritten pages */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/shm/rank_barrier_internal.h"
#include "lib/shm/shm_clock.h"
#include "tests/support/barrier_fixture.h"

static int set_up(void **ctx)
{
    (void)ctx;
    map_barrier();
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    barrier_unmap(&barrier);
    return 0;
}

struct page_writer {
    _Atomic bool stop;
    unsigned seed;
};

/* The damage is a data race on purpose. */
__attribute__((no_sanitize("thread"))) static void *write_anywhere(void *arg)
{
    struct page_writer *page_writer = arg;
    volatile uint8_t *page = (volatile uint8_t *)barrier.shared;

    while (!atomic_load(&page_writer->stop)) {
        size_t at = (size_t)rand_r(&page_writer->seed) % (2 * sizeof(struct group));

        page[at] = (uint8_t)rand_r(&page_writer->seed);
    }
    return NULL;
}

static void *wait_on_overwritten_page(void *arg)
{
    uint32_t number = (uint32_t)(uintptr_t)arg;
    struct barrier_membership member = {KEY,    4,      number,
                                        number, number, (uint32_t)getpid()};
    struct barrier_outcome outcome;
    struct barrier_place place;
    char text[160];

    if (barrier_join(&barrier, &member, &place) < 0)
        return NULL;
    for (uint64_t n = 1; n <= 30; n++) {
        wait_at(&place, barrier_stage(n, 0), BARRIER_FINISHED, SHORT_MS, &outcome);
        barrier_describe(&barrier, &place, barrier_stage(n, 0), &outcome, text,
                         sizeof(text));
    }
    barrier_leave(&barrier, &place);
    return NULL;
}

/* Any outcome is right. The test fails by its time limit when a wait does not end. */
static void an_overwritten_page_blocks_no_rank(void **ctx)
{
    static struct barrier_view view;

    for (unsigned seed = 1; seed <= 6; seed++) {
        struct page_writer page_writer = {.seed = seed};
        pthread_t thread, ranks[4];

        tear_down(ctx);
        set_up(ctx);
        pthread_create(&thread, NULL, write_anywhere, &page_writer);
        for (uintptr_t i = 0; i < 4; i++)
            pthread_create(&ranks[i], NULL, wait_on_overwritten_page, (void *)i);
        for (uint32_t i = 0; i < 4; i++)
            pthread_join(ranks[i], NULL);
        for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++) {
            barrier_read_group(&barrier, i, &view);
            assert_true(view.count <= BARRIER_MEMBERS_MAX);
        }
        atomic_store(&page_writer.stop, true);
        pthread_join(thread, NULL);
    }
}

static void only_valid_members_can_join(void **ctx)
{
    struct barrier_membership member = {KEY, 4, 0, 0, 0, 1};
    struct barrier_place place, again;

    (void)ctx;
    assert_int_equal(barrier_join(&barrier, &member, &place), 0);
    assert_int_equal(barrier_join(&barrier, &member, &again), -1); /* taken */
    member.rank = 1;
    member.size = 5;
    assert_int_equal(barrier_join(&barrier, &member, &again), -1); /* another size */
    member.size = 4;
    member.rank = 4;
    assert_int_equal(barrier_join(&barrier, &member, &again), -1);
    member.rank = 1;
    member.key = 0;
    assert_int_equal(barrier_join(&barrier, &member, &again), -1);
    member = (struct barrier_membership){KEY + 1, BARRIER_MEMBERS_MAX + 1, 0, 0, 0, 1};
    assert_int_equal(barrier_join(&barrier, &member, &again), -1); /* on one host */
    barrier_leave(&barrier, &place);
    member = (struct barrier_membership){KEY, 4, 0, 0, 0, 1};
    assert_int_equal(barrier_join(&barrier, &member, &again), 0);
}

static void abandoned_groups_are_used_again(void **ctx)
{
    struct barrier_membership member = {1, 1, 0, 0, 0, (uint32_t)getpid()};
    struct barrier_outcome outcome;
    struct barrier_place place;

    (void)ctx;
    for (uint64_t key = 1; key <= 3 * BARRIER_GROUPS_MAX; key++) {
        member.key = key;
        assert_int_equal(barrier_join(&barrier, &member, &place), 0);
        wait_at(&place, barrier_stage(1, 0), BARRIER_FINISHED, LIMIT_MS, &outcome);
        assert_int_equal(outcome.reason, BARRIER_FINISHED);
        barrier_leave(&barrier, &place);
    }
    for (uint64_t key = 1; key <= BARRIER_GROUPS_MAX; key++) {
        member.key = 1000 + key;
        assert_int_equal(barrier_join(&barrier, &member, &place), 0);
    }
    member.key = 5000;
    assert_int_equal(barrier_join(&barrier, &member, &place), -1);
}

struct pair {
    uint64_t key;
    uint32_t devices[2], rank;
    _Atomic uint64_t *cards_in_use; /* bit set */
    _Atomic bool *clash;
};

static void *replay_in_pair(void *arg)
{
    const struct pair *pair = arg;
    struct barrier_membership member = {
        pair->key, 2, pair->rank, 0, pair->devices[pair->rank], (uint32_t)getpid()};
    const uint64_t bit = 1ull << member.device;
    struct barrier_place place;
    struct barrier_outcome outcome;

    if (barrier_join(&barrier, &member, &place) < 0)
        abort();
    for (uint32_t n = 1; n <= 100; n++) {
        wait_at(&place, barrier_stage(n, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
        if (!barrier_is_released(&outcome) ||
            atomic_fetch_or(pair->cards_in_use, bit) & bit)
            atomic_store(pair->clash, true);
        wait_at(&place, barrier_stage(n, 1), BARRIER_RELEASED, LIMIT_MS, &outcome);
        atomic_fetch_and(pair->cards_in_use, ~bit);
        wait_at(&place, barrier_stage(n, 2), BARRIER_FINISHED, LIMIT_MS, &outcome);
        if (!barrier_is_released(&outcome))
            atomic_store(pair->clash, true);
    }
    return NULL;
}

/* A rank that waits for another stage calls this at any time. */
static void *check_lost_cards(void *stop)
{
    while (!atomic_load((_Atomic bool *)stop)) {
        barrier_free_lost_cards(barrier.shared);
        sched_yield();
    }
    return NULL;
}

/* Pairs {0,1} {2,3} and {0,2} {1,3} replay on four cards at the same time. */
static void groups_that_share_cards_take_turns_without_deadlock(void **ctx)
{
    static const uint32_t cards[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    _Atomic uint64_t cards_in_use = 0;
    _Atomic bool clash = false, stop = false;
    struct pair pairs[8];
    pthread_t threads[8], checker;

    (void)ctx;
    pthread_create(&checker, NULL, check_lost_cards, &stop);
    for (uint32_t i = 0; i < 8; i++) {
        pairs[i] = (struct pair){.key = 1 + i / 2,
                                 .rank = i % 2,
                                 .cards_in_use = &cards_in_use,
                                 .clash = &clash};
        memcpy(pairs[i].devices, cards[i / 2], sizeof(pairs[i].devices));
        pthread_create(&threads[i], NULL, replay_in_pair, &pairs[i]);
    }
    for (uint32_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&stop, true);
    pthread_join(checker, NULL);
    assert_false(clash);
    assert_true(atomic_load(&barrier.shared->busy_cards) == 0);
}

static void hold_cards(struct group *group, uint64_t operation)
{
    atomic_store(&group->held_cards, operation << HELD_CARDS_BITS | 3);
    atomic_store(&barrier.shared->busy_cards, 3);
}

static void decide(struct group *group, uint64_t stage, enum barrier_reason reason)
{
    atomic_store(&group->decided, outcome_pack(stage, reason, 0));
}

/* A rank that was killed leaves cards behind. A rank that has taken cards for the next
 * operation, and did not write its release yet, keeps them. */
static void only_cards_of_ended_ranks_are_freed(void **ctx)
{
    struct barrier_place place = join(KEY, 0, 2);
    struct group *group = &barrier.shared->groups[place.group];

    (void)ctx;
    decide(group, barrier_stage(1, 2), BARRIER_FINISHED);
    atomic_store(&group->cards_stage, barrier_stage(2, 0));
    hold_cards(group, 2);
    barrier_free_lost_cards(barrier.shared);
    assert_true(atomic_load(&barrier.shared->busy_cards) == 3);
    decide(group, barrier_stage(2, 0), BARRIER_RELEASED);
    atomic_store(&group->cards_stage, 0);
    barrier_free_lost_cards(barrier.shared);
    assert_true(atomic_load(&barrier.shared->busy_cards) == 3);
    decide(group, barrier_stage(2, 1), BARRIER_GONE);
    barrier_free_lost_cards(barrier.shared);
    assert_true(atomic_load(&barrier.shared->busy_cards) == 0);
}

/* A slow rank took the cards for an operation that another rank had released already.
 */
static void cards_of_an_earlier_operation_are_freed(void **ctx)
{
    struct barrier_place place = join(KEY, 0, 2);
    struct group *group = &barrier.shared->groups[place.group];

    (void)ctx;
    hold_cards(group, 1);
    decide(group, barrier_stage(2, 0), BARRIER_RELEASED);
    atomic_store(&group->cards_stage, barrier_stage(3, 0));
    barrier_free_lost_cards(barrier.shared);
    assert_true(atomic_load(&barrier.shared->busy_cards) == 0);
    assert_true(atomic_load(&group->held_cards) == 0);
}

/* An abort of an operation does not free the cards of a later one. */
static void an_abort_frees_only_the_cards_of_its_operation(void **ctx)
{
    struct barrier_place place = join(KEY, 0, 2);
    struct group *group = &barrier.shared->groups[place.group];

    (void)ctx;
    hold_cards(group, 3);
    assert_true(group_write_outcome(barrier.shared, group, barrier_stage(2, 1),
                                    BARRIER_GONE, 1));
    assert_true(atomic_load(&barrier.shared->busy_cards) == 3);
    assert_true(group_write_outcome(barrier.shared, group, barrier_stage(3, 1),
                                    BARRIER_GONE, 1));
    assert_true(atomic_load(&barrier.shared->busy_cards) == 0);
}

/* The last rank of an operation was slow, and the group went on without it: the request
 * of the later stage stays, and the group gets the cards when they are free. */
static void a_slow_rank_does_not_replace_a_later_request(void **ctx)
{
    struct barrier_place place = join(KEY, 0, 1), other = join(KEY + 1, 0, 1);
    struct group *group = &barrier.shared->groups[place.group];
    struct group *holder = &barrier.shared->groups[other.group];
    uint64_t later = barrier_stage(2, 0);

    (void)ctx;
    decide(holder, barrier_stage(1, 0), BARRIER_RELEASED);
    hold_cards(holder, 1);
    decide(group, barrier_stage(1, 2), BARRIER_FINISHED);
    atomic_store(&group->members[place.member].stage, later);
    group_choose_outcome(barrier.shared, group, later);
    assert_true(atomic_load(&group->cards_stage) == later);
    group_choose_outcome(barrier.shared, group, barrier_stage(1, 0));
    assert_true(atomic_load(&group->cards_stage) == later);
    assert_true(group_write_outcome(barrier.shared, holder, barrier_stage(1, 2),
                                    BARRIER_FINISHED, BARRIER_RANK_UNKNOWN));
    assert_true(outcome_stage(atomic_load(&group->decided)) == later);
    assert_int_equal(outcome_reason(atomic_load(&group->decided)), BARRIER_RELEASED);
    assert_true(atomic_load(&barrier.shared->busy_cards) == 1);
}

static void *answer_for_other_hosts(void *arg)
{
    const int *wake_fd = arg;
    static struct barrier_view view;
    uint64_t count;

    while (read(*wake_fd, &count, sizeof(count)) == sizeof(count)) {
        for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++) {
            if (!barrier_read_group(&barrier, i, &view) || view.decided ||
                view.count < 2)
                continue;
            assert_int_equal(view.key, KEY);
            assert_int_equal(view.size, 3);
            assert_true(view.complete);
            assert_string_equal(view.members[0].what, "MatmulAllReduce");
            if (barrier_step(view.stage) == 5) {
                barrier_end(&barrier, BARRIER_ENDED, 1);
                return NULL;
            }
            barrier_set_clock(&barrier, -1000 * (int64_t)view.stage, 7);
            barrier_decide(&barrier, view.key, view.stage, BARRIER_RELEASED,
                           BARRIER_RANK_UNKNOWN, shm_now_ns() + 5000000);
            barrier_set_clock(&barrier, 1, 1); /* must not change the plan above */
        }
    }
    return NULL;
}

static void *run_rank_of_this_host(void *arg)
{
    struct barrier_outcome *outcome = arg;
    struct barrier_place place = join(KEY, outcome->culprit, 3);
    uint32_t step = 0;

    do
        wait_at(&place, barrier_stage(1, step++), BARRIER_RELEASED, LIMIT_MS, outcome);
    while (barrier_is_released(outcome) &&
           outcome->released_ns >= outcome->planned_ns &&
           outcome->planned_ns >= outcome->arrived_ns + 5000000 &&
           outcome->root_offset_ns == -1000 * (int64_t)barrier_stage(1, step - 1) &&
           outcome->root_uncertainty_ns == 7);
    return NULL;
}

static void the_worker_of_several_hosts_decides_the_release_time(void **ctx)
{
    int memory = barrier_memory(2, 4, 2), wake_fd = eventfd(0, EFD_CLOEXEC);
    struct barrier_outcome outcomes[2] = {{.culprit = 0}, {.culprit = 1}};
    pthread_t others, ranks[2];

    (void)ctx;
    barrier_unmap(&barrier);
    assert_int_equal(barrier_map(&barrier, memory, wake_fd), 0);
    close(memory);
    pthread_create(&others, NULL, answer_for_other_hosts, &wake_fd);
    for (int i = 0; i < 2; i++)
        pthread_create(&ranks[i], NULL, run_rank_of_this_host, &outcomes[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(ranks[i], NULL);
        assert_int_equal(outcomes[i].reason, BARRIER_ENDED);
        assert_int_equal(outcomes[i].culprit, 1);
    }
    pthread_join(others, NULL);
    close(wake_fd);
}

static void a_wait_without_answer_from_other_hosts_ends(void **ctx)
{
    int memory = barrier_memory(2, 2, 1);
    struct barrier_outcome outcome;
    struct barrier_place place;

    (void)ctx;
    barrier_unmap(&barrier);
    assert_int_equal(barrier_map(&barrier, memory, -1), 0);
    close(memory);
    place = join(KEY, 1, 2);
    wait_at(&place, barrier_stage(1, 0), BARRIER_RELEASED, 30, &outcome);
    assert_int_equal(outcome.reason, BARRIER_NO_ANSWER);
    assert_int_equal(outcome.culprit, BARRIER_RANK_UNKNOWN);
}

/* The stage of the slow rank was released, then the operation was aborted and the
 * others are at the next one. The slow rank must still read RELEASED: it executes the
 * launch as often as the others. */
static void a_slow_rank_reads_the_outcome_of_its_own_stage(void **ctx)
{
    struct group *group = &barrier.shared->groups[join(KEY, 0, 3).group];
    const uint64_t first = barrier_stage(1, 2), end = barrier_stage(1, 4);

    (void)ctx;
    assert_int_equal(group_read_outcome(group, first, 2), 0);
    group_write_outcome(barrier.shared, group, first, BARRIER_RELEASED,
                        BARRIER_RANK_UNKNOWN);
    group_write_outcome(barrier.shared, group, end, BARRIER_GONE, 1);
    group_write_outcome(barrier.shared, group, barrier_stage(2, 0), BARRIER_GONE, 1);
    assert_int_equal(outcome_reason(group_read_outcome(group, first, 2)),
                     BARRIER_RELEASED);
    assert_int_equal(outcome_reason(group_read_outcome(group, end, 2)), BARRIER_GONE);
    assert_int_equal(outcome_culprit(group_read_outcome(group, end, 2)), 1);
    assert_int_equal(outcome_reason(group_read_outcome(group, barrier_stage(1, 5), 2)),
                     BARRIER_LATE);
    group_write_outcome(barrier.shared, group, barrier_stage(2 + PAST_OUTCOMES, 3),
                        BARRIER_FINISHED, BARRIER_RANK_UNKNOWN);
    group_write_outcome(barrier.shared, group, barrier_stage(3 + PAST_OUTCOMES, 0),
                        BARRIER_RELEASED, BARRIER_RANK_UNKNOWN);
    assert_int_equal(outcome_reason(group_read_outcome(
                         group, barrier_stage(2 + PAST_OUTCOMES, 2), 2)),
                     BARRIER_RELEASED);
}

/* The arrivals of three ranks, and how they compare. */
static const struct {
    uint64_t likeness[3], took_ns[3];
    uint32_t permille[3];
    enum barrier_likeness wanted;
} likenesses[] = {
    {{7, 7, 7}, {1000, 1000, 1000}, {50, 50, 50}, BARRIER_ALIKE},
    {{7, 7, 7}, {1000, 1050, 1020}, {50, 50, 50}, BARRIER_ALIKE},
    {{7, 7, 7}, {1000, 1051, 1020}, {50, 50, 50}, BARRIER_OTHER_DURATIONS},
    /* rank 1 has a lower tolerance */
    {{7, 7, 7}, {1000, 1050, 1020}, {50, 49, 50}, BARRIER_OTHER_DURATIONS},
    {{7, 8, 7}, {1000, 1000, 1000}, {50, 50, 50}, BARRIER_OTHER_KERNELS},
    {{0, 0, 0}, {1000, 1000, 1000}, {50, 50, 50}, BARRIER_NOT_COMPARED},
    {{7, 7, 7}, {1000, 0, 1000}, {50, 50, 50}, BARRIER_NO_DURATION},
    {{7, 7, 7}, {0, 0, 0}, {50, 50, 50}, BARRIER_NO_DURATION},
    {{7, 7, 7}, {1000, 1000, 1000}, {0, 50, 50}, BARRIER_NOT_COMPARED}, /* rank 0 */
    {{7, 7, 7}, {UINT64_MAX, 1, 1}, {50, 50, 50}, BARRIER_NO_DURATION},
};

static void ranks_are_alike_with_one_kernel_and_similar_durations(void **ctx)
{
    (void)ctx;
    for (uint32_t rank = 0; rank < 3; rank++)
        join(KEY, rank, 3);
    for (size_t i = 0; i < sizeof(likenesses) / sizeof(likenesses[0]); i++) {
        struct group *group = &barrier.shared->groups[0];
        const uint64_t stage = barrier_stage(i + 1, 2);

        for (uint32_t rank = 0; rank < 3; rank++) {
            struct barrier_member *member = &group->members[rank];

            atomic_store(&member->likeness, likenesses[i].likeness[rank]);
            atomic_store(&member->took_ns, likenesses[i].took_ns[rank]);
            atomic_store(&member->permille, likenesses[i].permille[rank]);
            atomic_store(&member->stage, stage);
        }
        group_choose_outcome(barrier.shared, group, stage);
        assert_int_equal(outcome_reason(group_read_outcome(group, stage, 0)),
                         BARRIER_RELEASED);
        if (likenesses[i].wanted == BARRIER_NOT_COMPARED) {
            assert_int_not_equal(atomic_load(&group->compared), stage);
            continue;
        }
        assert_int_equal(atomic_load(&group->compared), stage);
        assert_int_equal(atomic_load(&group->likeness), likenesses[i].wanted);
        if (likenesses[i].wanted == BARRIER_OTHER_DURATIONS) {
            assert_int_equal(atomic_load(&group->least_ns), 1000);
            assert_in_range(atomic_load(&group->most_ns), 1050, 1051);
        }
    }
}

static void memory_without_a_barrier_page_is_refused(void **ctx)
{
    int other = memfd_create("other", MFD_CLOEXEC);
    struct rank_barrier mapped;

    (void)ctx;
    assert_int_equal(ftruncate(other, 4096), 0);
    assert_int_equal(barrier_map(&mapped, other, -1), -1);
    assert_int_equal(ftruncate(other, sizeof(struct barrier_page)), 0);
    assert_int_equal(barrier_map(&mapped, other, -1), -1);
    close(other);
    assert_int_equal(barrier_memory(1, 1, 2), -1);
    barrier_unmap(&mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(an_overwritten_page_blocks_no_rank),
        TEST(only_valid_members_can_join),
        TEST(abandoned_groups_are_used_again),
        TEST(groups_that_share_cards_take_turns_without_deadlock),
        TEST(only_cards_of_ended_ranks_are_freed),
        TEST(cards_of_an_earlier_operation_are_freed),
        TEST(an_abort_frees_only_the_cards_of_its_operation),
        TEST(a_slow_rank_does_not_replace_a_later_request),
        TEST(the_worker_of_several_hosts_decides_the_release_time),
        TEST(a_wait_without_answer_from_other_hosts_ends),
        TEST(a_slow_rank_reads_the_outcome_of_its_own_stage),
        TEST(ranks_are_alike_with_one_kernel_and_similar_durations),
        TEST(memory_without_a_barrier_page_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
