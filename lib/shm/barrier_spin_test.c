/* barrier_spin_test.c - when ranks spin, when they sleep, and the time of a release */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/shm/rank_barrier_internal.h"
#include "lib/shm/shm_clock.h"
#include "tests/support/barrier_fixture.h"

enum { MS = 1000000 };

static struct barrier_member *map_ranks(uint32_t ranks)
{
    map_barrier_of(1, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++)
        join(KEY, rank, ranks);
    return barrier.shared->groups[0].members;
}

static void set_cores(struct barrier_member *member, uint64_t mask)
{
    for (int i = 0; i < CORE_WORDS; i++)
        atomic_store(&member->cores[i], i ? 0 : mask);
}

/* Restricts this thread to `count` of its cores. Returns false when it has fewer. */
static bool use_cores(int count)
{
    cpu_set_t all, some;

    CPU_ZERO(&some);
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&some) < count; core++)
        if (CPU_ISSET(core, &all))
            CPU_SET(core, &some);
    return CPU_COUNT(&some) == count && sched_setaffinity(0, sizeof(some), &some) == 0;
}

static bool may_spin_now(struct barrier_member *member)
{
    atomic_store(&member->cores_checked_ns, 0);
    return barrier_may_spin(barrier.shared, member);
}

static void ranks_spin_only_with_a_core_of_their_own(void **ctx)
{
    struct barrier_member *members = map_ranks(2);
    cpu_set_t before;

    (void)ctx;
    sched_getaffinity(0, sizeof(before), &before);
    atomic_store(&members[0].core_quota, UINT32_MAX);
    assert_true(use_cores(1));
    set_cores(&members[1], UINT64_MAX);
    assert_true(may_spin_now(&members[0]));
    for (int i = 0; i < CORE_WORDS; i++)
        atomic_store(&members[1].cores[i], atomic_load(&members[0].cores[i]));
    assert_false(may_spin_now(&members[0])); /* both have only the same core */
    set_cores(&members[1], UINT64_MAX);
    atomic_store(&members[0].core_quota, 1); /* of the control group */
    assert_false(may_spin_now(&members[0]));
    atomic_store(&members[0].core_quota, 2);
    assert_true(may_spin_now(&members[0]));
    barrier.shared->hosts = 2; /* the worker needs a core too */
    assert_false(may_spin_now(&members[0]));
    sched_setaffinity(0, sizeof(before), &before);
    barrier_unmap(&barrier);
}

static void more_ranks_than_cores_never_spin(void **ctx)
{
    struct barrier_member *members = map_ranks(CORE_RANKS_MAX);
    cpu_set_t before;

    (void)ctx;
    sched_getaffinity(0, sizeof(before), &before);
    assert_true(use_cores(1));
    for (int i = 0; i < CORE_RANKS_MAX; i++)
        set_cores(&members[i], UINT64_MAX >> 1);
    assert_false(may_spin_now(&members[5]));
    sched_setaffinity(0, sizeof(before), &before);
    barrier_unmap(&barrier);
}

static void ranks_without_a_group_count_too(void **ctx)
{
    struct barrier_member *members = map_ranks(1);
    cpu_set_t before;

    (void)ctx;
    sched_getaffinity(0, sizeof(before), &before);
    assert_true(use_cores(1));
    assert_true(may_spin_now(&members[0]));
    barrier.shared->ranks_here = 2;
    assert_false(may_spin_now(&members[0]));
    barrier.shared->ranks_here = CORE_RANKS_MAX + 1;
    assert_false(may_spin_now(&members[0]));
    sched_setaffinity(0, sizeof(before), &before);
    barrier_unmap(&barrier);
}

static bool is_always_over(void *arg)
{
    (void)arg;
    return true;
}

/* Stands for another thread that uses the core meanwhile. */
static bool use_core_of_rank(void *arg)
{
    uint64_t end_ns = shm_now_ns() + MS;

    (void)arg;
    while (shm_now_ns() < end_ns)
        ;
    return false;
}

static void a_rank_on_a_shared_core_pauses_longer_each_time(void **ctx)
{
    struct barrier_member member = {.has_core = 1};
    uint64_t before_ns, pause_ns = MS;

    (void)ctx;
    for (int i = 0; i < 10; i++) {
        before_ns = shm_now_ns();
        assert_false(
            barrier_spin(&member, before_ns + 1000 * MS, use_core_of_rank, NULL));
        assert_true(atomic_load(&member.pause_ns) == pause_ns);
        assert_true(atomic_load(&member.sleep_until_ns) > before_ns + pause_ns);
        pause_ns = pause_ns * 2 > 128 * MS ? 128 * MS : pause_ns * 2;
    }
    for (int i = 0; i < 3; i++)
        assert_true(barrier_spin(&member, UINT64_MAX, is_always_over, NULL));
    assert_true(atomic_load(&member.pause_ns) == 16 * MS);
}

static void a_pause_ends_by_its_time(void **ctx)
{
    struct barrier_member *members = map_ranks(1);

    (void)ctx;
    atomic_store(&members[0].core_quota, UINT32_MAX);
    assert_true(may_spin_now(&members[0]));
    atomic_store(&members[0].sleep_until_ns, shm_now_ns() + 60000ull * MS);
    assert_false(barrier_may_spin(barrier.shared, &members[0]));
    atomic_store(&members[0].sleep_until_ns, shm_now_ns());
    assert_true(barrier_may_spin(barrier.shared, &members[0]));
    barrier_unmap(&barrier);
}

static void a_spin_lasts_until_its_time(void **ctx)
{
    struct barrier_member member = {0};
    uint64_t until_ns = shm_now_ns() + MS;

    (void)ctx;
    /* A gap ends a spin early; on a busy machine several tries are needed. */
    while (barrier_spin(&member, until_ns, NULL, NULL), shm_now_ns() < until_ns)
        assert_true(atomic_load(&member.pause_ns) >= MS);
}

/* The ranks 0 and 1 arrived at the stage, the first one `ago_ns` ago. */
static uint64_t release_delay(struct barrier_member *members,
                              uint64_t ago_ns,
                              enum barrier_reason reason)
{
    uint64_t stage = barrier_stage(1, 3), now_ns = shm_now_ns(), at_ns;

    atomic_store(&members[0].arrived_ns, now_ns - ago_ns);
    atomic_store(&members[1].arrived_ns, now_ns);
    for (int i = 0; i < 2; i++)
        atomic_store(&members[i].stage, stage);
    at_ns = barrier_release_time(&barrier.shared->groups[0], stage, reason);
    assert_true(at_ns >= now_ns);
    return shm_now_ns() >= at_ns ? 0 : BARRIER_WAKE_NS;
}

static void ranks_that_sleep_get_time_to_wake(void **ctx)
{
    struct barrier_member *members = map_ranks(2);

    (void)ctx;
    assert_int_equal(release_delay(members, 10 * MS, BARRIER_RELEASED), 0);
    atomic_store(&members[0].has_core, 1);
    assert_int_equal(release_delay(members, 10 * MS, BARRIER_RELEASED), 0);
    atomic_store(&members[1].has_core, 1);
    while (release_delay(members, 10 * MS, BARRIER_RELEASED) != BARRIER_WAKE_NS)
        ; /* another thread used the core between two readings of the clock */
    assert_int_equal(release_delay(members, 10 * MS, BARRIER_FINISHED), 0);
    barrier_unmap(&barrier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_spin_only_with_a_core_of_their_own),
        cmocka_unit_test(more_ranks_than_cores_never_spin),
        cmocka_unit_test(ranks_without_a_group_count_too),
        cmocka_unit_test(a_rank_on_a_shared_core_pauses_longer_each_time),
        cmocka_unit_test(a_pause_ends_by_its_time),
        cmocka_unit_test(a_spin_lasts_until_its_time),
        cmocka_unit_test(ranks_that_sleep_get_time_to_wake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
