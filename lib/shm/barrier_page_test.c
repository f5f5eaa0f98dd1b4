/* barrier_page_test.c - the page itself: places, cards, other hosts, and damage */
#include "lib/shm/barrier_page.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/meeting_ground.h"

static int set_up(void **ctx)
{
    (void)ctx;
    meeting_up();
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    barrier_unmap(&meeting);
    return 0;
}

struct vandal {
    _Atomic bool stop;
    unsigned seed;
};

static void *write_anywhere(void *arg)
{
    struct vandal *vandal = arg;
    volatile uint8_t *page = (volatile uint8_t *)meeting.shared;

    while (!atomic_load(&vandal->stop)) {
        size_t at = (size_t)rand_r(&vandal->seed) % (2 * sizeof(struct group));

        page[at] = (uint8_t)rand_r(&vandal->seed);
    }
    return NULL;
}

static void *meet_among_damage(void *arg)
{
    uint32_t number = (uint32_t)(uintptr_t)arg;
    struct barrier_membership member = {KEY,    4,      number,
                                        number, number, (uint32_t)getpid()};
    struct barrier_outcome verdict;
    struct barrier_place place;
    char told[160];

    if (barrier_join(&meeting, &member, &place) < 0)
        return NULL;
    for (uint64_t n = 1; n <= 30; n++) {
        meet(&place, barrier_stage(n, 0), BARRIER_FINISHED, SHORT_MS, &verdict);
        barrier_tell(&meeting, &place, barrier_stage(n, 0), &verdict, told,
                     sizeof(told));
    }
    barrier_leave(&meeting, &place);
    return NULL;
}

/* Any answer is right, as long as there is one: the test ends. */
static void a_rank_that_writes_anywhere_hangs_nobody(void **ctx)
{
    static struct barrier_view view;

    for (unsigned seed = 1; seed <= 6; seed++) {
        struct vandal vandal = {.seed = seed};
        pthread_t thread, ranks[4];

        tear_down(ctx);
        set_up(ctx);
        pthread_create(&thread, NULL, write_anywhere, &vandal);
        for (uintptr_t i = 0; i < 4; i++)
            pthread_create(&ranks[i], NULL, meet_among_damage, (void *)i);
        for (uint32_t i = 0; i < 4; i++)
            pthread_join(ranks[i], NULL);
        for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++) {
            barrier_look(&meeting, i, &view);
            assert_true(view.count <= BARRIER_SEATS_MAX);
        }
        atomic_store(&vandal.stop, true);
        pthread_join(thread, NULL);
    }
}

static void places_are_for_who_fits(void **ctx)
{
    struct barrier_membership member = {KEY, 4, 0, 0, 0, 1};
    struct barrier_place place, again;

    (void)ctx;
    assert_int_equal(barrier_join(&meeting, &member, &place), 0);
    assert_int_equal(barrier_join(&meeting, &member, &again), -1); /* taken */
    member.rank = 1;
    member.size = 5;
    assert_int_equal(barrier_join(&meeting, &member, &again), -1); /* another size */
    member.size = 4;
    member.rank = 4;
    assert_int_equal(barrier_join(&meeting, &member, &again), -1);
    member.rank = 1;
    member.key = 0;
    assert_int_equal(barrier_join(&meeting, &member, &again), -1);
    member = (struct barrier_membership){KEY + 1, BARRIER_SEATS_MAX + 1, 0, 0, 0, 1};
    assert_int_equal(barrier_join(&meeting, &member, &again), -1); /* on one host */
    barrier_leave(&meeting, &place);
    member = (struct barrier_membership){KEY, 4, 0, 0, 0, 1};
    assert_int_equal(barrier_join(&meeting, &member, &again), 0);
}

static void groups_that_all_have_left_make_room(void **ctx)
{
    struct barrier_membership member = {1, 1, 0, 0, 0, (uint32_t)getpid()};
    struct barrier_outcome verdict;
    struct barrier_place place;

    (void)ctx;
    for (uint64_t key = 1; key <= 3 * BARRIER_GROUPS_MAX; key++) {
        member.key = key;
        assert_int_equal(barrier_join(&meeting, &member, &place), 0);
        meet(&place, barrier_stage(1, 0), BARRIER_FINISHED, LIMIT_MS, &verdict);
        assert_int_equal(verdict.reason, BARRIER_FINISHED);
        barrier_leave(&meeting, &place);
    }
    for (uint64_t key = 1; key <= BARRIER_GROUPS_MAX; key++) {
        member.key = 1000 + key;
        assert_int_equal(barrier_join(&meeting, &member, &place), 0);
    }
    member.key = 5000;
    assert_int_equal(barrier_join(&meeting, &member, &place), -1);
}

struct pair {
    uint64_t key;
    uint32_t devices[2], rank;
    _Atomic uint64_t *inside; /* a bit a card that is replayed on */
    _Atomic bool *clash;
};

static void *replay_in_pair(void *arg)
{
    const struct pair *pair = arg;
    struct barrier_membership member = {
        pair->key, 2, pair->rank, 0, pair->devices[pair->rank], (uint32_t)getpid()};
    const uint64_t bit = 1ull << member.device;
    struct barrier_place place;
    struct barrier_outcome verdict;

    if (barrier_join(&meeting, &member, &place) < 0)
        abort();
    for (uint32_t n = 1; n <= 100; n++) {
        meet(&place, barrier_stage(n, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
        if (!barrier_is_go(&verdict) || atomic_fetch_or(pair->inside, bit) & bit)
            atomic_store(pair->clash, true);
        meet(&place, barrier_stage(n, 1), BARRIER_RELEASED, LIMIT_MS, &verdict);
        atomic_fetch_and(pair->inside, ~bit);
        meet(&place, barrier_stage(n, 2), BARRIER_FINISHED, LIMIT_MS, &verdict);
        if (!barrier_is_go(&verdict))
            atomic_store(pair->clash, true);
    }
    return NULL;
}

/* Somebody always does, who waits for something else. */
static void *look_for_lost_cards(void *stop)
{
    while (!atomic_load((_Atomic bool *)stop)) {
        meeting_find_lost_cards(meeting.shared);
        sched_yield();
    }
    return NULL;
}

/* Tensor pairs {0,1} {2,3} and data pairs {0,2} {1,3}, all at once, on four cards. */
static void groups_that_share_cards_take_turns_and_never_lock_each_other(void **ctx)
{
    static const uint32_t cards[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}};
    _Atomic uint64_t inside = 0;
    _Atomic bool clash = false, stop = false;
    struct pair pairs[8];
    pthread_t threads[8], looker;

    (void)ctx;
    pthread_create(&looker, NULL, look_for_lost_cards, &stop);
    for (uint32_t i = 0; i < 8; i++) {
        pairs[i] = (struct pair){
            .key = 1 + i / 2, .rank = i % 2, .inside = &inside, .clash = &clash};
        memcpy(pairs[i].devices, cards[i / 2], sizeof(pairs[i].devices));
        pthread_create(&threads[i], NULL, replay_in_pair, &pairs[i]);
    }
    for (uint32_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&stop, true);
    pthread_join(looker, NULL);
    assert_false(clash);
    assert_true(atomic_load(&meeting.shared->busy) == 0);
}

/* Cards of somebody who was killed before it gave them back; but not of somebody who
 * has taken them for the next operation and was not heard of that yet. */
static void only_cards_that_are_lost_are_given_back(void **ctx)
{
    struct barrier_place place = join(KEY, 0, 2);
    struct group *group = &meeting.shared->groups[place.group];

    (void)ctx;
    atomic_store(&group->decided, word_of(barrier_stage(1, 2), BARRIER_FINISHED, 0));
    atomic_store(&group->wants, barrier_stage(2, 0));
    atomic_store(&group->held, 3);
    atomic_store(&meeting.shared->busy, 3);
    meeting_find_lost_cards(meeting.shared);
    assert_true(atomic_load(&meeting.shared->busy) == 3);
    atomic_store(&group->decided, word_of(barrier_stage(2, 0), BARRIER_RELEASED, 0));
    atomic_store(&group->wants, 0);
    meeting_find_lost_cards(meeting.shared);
    assert_true(atomic_load(&meeting.shared->busy) == 3);
    atomic_store(&group->decided, word_of(barrier_stage(2, 1), BARRIER_GONE, 1));
    meeting_find_lost_cards(meeting.shared);
    assert_true(atomic_load(&meeting.shared->busy) == 0);
}

/* Several hosts: the page tells the worker, and waits for its word. */

static void *be_other_hosts(void *arg)
{
    const int *bell = arg;
    static struct barrier_view view;
    uint64_t rung;

    while (read(*bell, &rung, sizeof(rung)) == sizeof(rung)) {
        for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++) {
            if (!barrier_look(&meeting, i, &view) || view.decided || view.count < 2)
                continue;
            assert_int_equal(view.key, KEY);
            assert_int_equal(view.size, 3);
            assert_true(view.complete);
            assert_string_equal(view.seats[0].what, "MatmulAllReduce");
            if (barrier_step(view.stage) == 5) {
                barrier_end(&meeting, BARRIER_ENDED, 1);
                return NULL;
            }
            barrier_set_clock(&meeting, -1000 * (int64_t)view.stage, 7);
            barrier_decide(&meeting, view.key, view.stage, BARRIER_RELEASED,
                           BARRIER_RANK_UNKNOWN, barrier_now_ns() + 5000000);
            barrier_set_clock(&meeting, 1, 1); /* known better, but too late for that */
        }
    }
    return NULL;
}

static void *be_rank_here(void *arg)
{
    struct barrier_outcome *verdict = arg;
    struct barrier_place place = join(KEY, verdict->culprit, 3);
    uint32_t step = 0;

    do
        meet(&place, barrier_stage(1, step++), BARRIER_RELEASED, LIMIT_MS, verdict);
    while (barrier_is_go(verdict) && verdict->released_ns >= verdict->planned_ns &&
           verdict->planned_ns >= verdict->arrived_ns + 5000000 &&
           verdict->root_offset_ns == -1000 * (int64_t)barrier_stage(1, step - 1) &&
           verdict->root_uncertainty_ns == 7);
    return NULL;
}

static void other_hosts_are_waited_for_and_the_release_has_a_time(void **ctx)
{
    int memory = barrier_memory(2, 4, 2), bell = eventfd(0, EFD_CLOEXEC);
    struct barrier_outcome verdicts[2] = {{.culprit = 0}, {.culprit = 1}};
    pthread_t others, ranks[2];

    (void)ctx;
    barrier_unmap(&meeting);
    assert_int_equal(barrier_map(&meeting, memory, bell), 0);
    close(memory);
    pthread_create(&others, NULL, be_other_hosts, &bell);
    for (int i = 0; i < 2; i++)
        pthread_create(&ranks[i], NULL, be_rank_here, &verdicts[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(ranks[i], NULL);
        assert_int_equal(verdicts[i].reason, BARRIER_ENDED);
        assert_int_equal(verdicts[i].culprit, 1);
    }
    pthread_join(others, NULL);
    close(bell);
}

static void without_word_from_other_hosts_the_wait_ends(void **ctx)
{
    int memory = barrier_memory(2, 2, 1);
    struct barrier_outcome verdict;
    struct barrier_place place;

    (void)ctx;
    barrier_unmap(&meeting);
    assert_int_equal(barrier_map(&meeting, memory, -1), 0);
    close(memory);
    place = join(KEY, 1, 2);
    meet(&place, barrier_stage(1, 0), BARRIER_RELEASED, 30, &verdict);
    assert_int_equal(verdict.reason, BARRIER_NO_WORD);
    assert_int_equal(verdict.culprit, BARRIER_RANK_UNKNOWN);
}

/* It was let go on, and then the others' operation ended badly, and they are at another
 * one: the slow rank's own meeting was good all the same, or it would not execute what
 * they have executed. */
static void who_is_slow_finds_what_was_said_of_its_own_stage(void **ctx)
{
    struct group *group = &meeting.shared->groups[join(KEY, 0, 3).group];
    const uint64_t first = barrier_stage(1, 2), end = barrier_stage(1, 4);

    (void)ctx;
    assert_int_equal(group_word(group, first, 2), 0);
    group_decide(meeting.shared, group, first, BARRIER_RELEASED, BARRIER_RANK_UNKNOWN);
    group_decide(meeting.shared, group, end, BARRIER_GONE, 1);
    group_decide(meeting.shared, group, barrier_stage(2, 0), BARRIER_GONE, 1);
    assert_int_equal(word_reason(group_word(group, first, 2)), BARRIER_RELEASED);
    assert_int_equal(word_reason(group_word(group, end, 2)), BARRIER_GONE);
    assert_int_equal(word_culprit(group_word(group, end, 2)), 1);
    assert_int_equal(word_reason(group_word(group, barrier_stage(1, 5), 2)),
                     BARRIER_LATE);
    group_decide(meeting.shared, group, barrier_stage(2 + PAST_WORDS, 3),
                 BARRIER_FINISHED, BARRIER_RANK_UNKNOWN);
    group_decide(meeting.shared, group, barrier_stage(3 + PAST_WORDS, 0),
                 BARRIER_RELEASED, BARRIER_RANK_UNKNOWN);
    assert_int_equal(
        word_reason(group_word(group, barrier_stage(2 + PAST_WORDS, 2), 2)),
        BARRIER_RELEASED);
}

/* What three ranks say of themselves, and whether that is alike. */
static const struct {
    uint64_t likeness[3], took_ns[3];
    uint32_t permille[3];
    bool alike;
} likenesses[] = {
    {{7, 7, 7}, {1000, 1000, 1000}, {50, 50, 50}, true},
    {{7, 7, 7}, {1000, 1050, 1020}, {50, 50, 50}, true},
    {{7, 7, 7}, {1000, 1051, 1020}, {50, 50, 50}, false},
    {{7, 7, 7}, {1000, 1050, 1020}, {50, 49, 50}, false}, /* one wants it nearer */
    {{7, 8, 7}, {1000, 1000, 1000}, {50, 50, 50}, false},
    {{0, 0, 0}, {1000, 1000, 1000}, {50, 50, 50}, false}, /* nothing is compared */
    {{7, 7, 7}, {1000, 0, 1000}, {50, 50, 50}, false},    /* one does not know */
    {{7, 7, 7}, {0, 0, 0}, {50, 50, 50}, false},
    {{7, 7, 7}, {1000, 1000, 1000}, {0, 50, 50}, false}, /* one does not want it */
    {{7, 7, 7}, {UINT64_MAX, 1, 1}, {50, 50, 50}, false},
};

static void ranks_are_alike_when_all_that_matters_is(void **ctx)
{
    (void)ctx;
    for (uint32_t rank = 0; rank < 3; rank++)
        join(KEY, rank, 3);
    for (size_t i = 0; i < sizeof(likenesses) / sizeof(likenesses[0]); i++) {
        struct group *group = &meeting.shared->groups[0];
        const uint64_t stage = barrier_stage(i + 1, 2);

        for (uint32_t rank = 0; rank < 3; rank++) {
            struct barrier_member *seat = &group->seats[rank];

            atomic_store(&seat->likeness, likenesses[i].likeness[rank]);
            atomic_store(&seat->took_ns, likenesses[i].took_ns[rank]);
            atomic_store(&seat->permille, likenesses[i].permille[rank]);
            atomic_store(&seat->stage, stage);
        }
        group_settle(meeting.shared, group, stage);
        assert_int_equal(word_reason(group_word(group, stage, 0)), BARRIER_RELEASED);
        assert_int_equal(atomic_load(&group->alike) == stage, likenesses[i].alike);
    }
}

static void memory_that_is_no_page_is_refused(void **ctx)
{
    int other = memfd_create("other", MFD_CLOEXEC);
    struct rank_barrier mapped;

    (void)ctx;
    assert_int_equal(ftruncate(other, 4096), 0);
    assert_int_equal(barrier_map(&mapped, other, -1), -1);
    assert_int_equal(ftruncate(other, sizeof(struct meeting_shared)), 0);
    assert_int_equal(barrier_map(&mapped, other, -1), -1);
    close(other);
    assert_int_equal(barrier_memory(1, 1, 2), -1);
    barrier_unmap(&mapped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(a_rank_that_writes_anywhere_hangs_nobody),
        TEST(places_are_for_who_fits),
        TEST(groups_that_all_have_left_make_room),
        TEST(groups_that_share_cards_take_turns_and_never_lock_each_other),
        TEST(only_cards_that_are_lost_are_given_back),
        TEST(other_hosts_are_waited_for_and_the_release_has_a_time),
        TEST(without_word_from_other_hosts_the_wait_ends),
        TEST(who_is_slow_finds_what_was_said_of_its_own_stage),
        TEST(ranks_are_alike_when_all_that_matters_is),
        TEST(memory_that_is_no_page_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
