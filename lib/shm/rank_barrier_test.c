#include "lib/shm/rank_barrier.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/shm/rank_barrier_internal.h"
#include "tests/support/barrier_fixture.h"

/* Orders for a rank, and its results. In shared memory, because some ranks are child
 * processes. Stages count from 1; 0 means never. */
struct rank {
    uint32_t number, size;
    uint64_t stages;            /* number of stages to pass */
    uint32_t limit_ms;          /* for each stage */
    uint64_t short_at;          /* the limit of this stage is short */
    uint64_t mismatch_at;       /* the rank arrives with another operation */
    uint64_t refuses_at;        /* the rank reports that its counters did not start */
    uint64_t dies_at;           /* the rank kills itself before this stage */
    uint64_t stops_at;          /* the rank sends SIGSTOP to itself */
    _Atomic uint64_t completed; /* stages with an outcome */
    struct barrier_outcome outcome; /* of the last stage */
    char text[160];
    pid_t pid;
};

/* Long enough for the other ranks on a busy machine. */
enum { MISSING_MS = 500 };

static struct rank *ranks; /* shared memory */

static int set_up(void **ctx)
{
    (void)ctx;
    map_barrier();
    ranks = mmap(NULL, RANKS_MAX * sizeof(*ranks), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(ranks, MAP_FAILED);
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    munmap(ranks, RANKS_MAX * sizeof(*ranks));
    barrier_unmap(&barrier);
    return 0;
}

/* Eight steps for each operation. */
static uint64_t nth_stage(uint64_t n)
{
    return barrier_stage(1 + n / 8, (uint32_t)(n % 8));
}

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    struct barrier_place place = join(KEY, rank->number, rank->size);

    for (uint64_t i = 0; i < rank->stages; i++) {
        struct barrier_arrival arrival = {
            .stage = nth_stage(i),
            .fingerprint = i + 1 == rank->mismatch_at ? 2 : 1,
            .reason = i + 1 == rank->refuses_at ? BARRIER_NOT_ARMED
                      : i % 8 == 7              ? BARRIER_FINISHED
                                                : BARRIER_RELEASED,
            .what = i + 1 == rank->mismatch_at ? "Add" : "MatmulAllReduce",
        };

        if (i + 1 == rank->dies_at)
            raise(SIGKILL);
        if (i + 1 == rank->stops_at)
            raise(SIGSTOP);
        barrier_wait(&barrier, &place, &arrival,
                     i + 1 == rank->short_at ? MISSING_MS : rank->limit_ms,
                     &rank->outcome);
        barrier_describe(&barrier, &place, arrival.stage, &rank->outcome, rank->text,
                         sizeof(rank->text));
        atomic_store(&rank->completed, i + 1);
        if (!barrier_is_released(&rank->outcome))
            break;
    }
    return NULL;
}

static void prepare(uint32_t size, uint64_t stages, uint32_t limit_ms)
{
    memset(ranks, 0, RANKS_MAX * sizeof(*ranks));
    for (uint32_t i = 0; i < size; i++)
        ranks[i] = (struct rank){
            .number = i, .size = size, .stages = stages, .limit_ms = limit_ms};
}

static void run_threads(uint32_t size)
{
    pthread_t threads[RANKS_MAX];

    for (uint32_t i = 0; i < size; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &ranks[i]), 0);
    for (uint32_t i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
}

static void start_processes(uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run_rank(&ranks[i]);
            _exit(0);
        }
        assert_true(pid > 0);
        ranks[i].pid = pid;
    }
}

static void wait_for(uint32_t rank)
{
    assert_int_equal(waitpid(ranks[rank].pid, NULL, 0), ranks[rank].pid);
}

static void run_processes(uint32_t size)
{
    start_processes(size);
    for (uint32_t i = 0; i < size; i++)
        wait_for(i);
}

static void assert_all_completed(uint32_t size, uint64_t stages)
{
    uint64_t last_arrival = 0;

    for (uint32_t i = 0; i < size; i++) {
        assert_int_equal(ranks[i].completed, stages);
        assert_true(barrier_is_released(&ranks[i].outcome));
        if (ranks[i].outcome.arrived_ns > last_arrival)
            last_arrival = ranks[i].outcome.arrived_ns;
    }
    for (uint32_t i = 0; i < size; i++) {
        assert_true(ranks[i].outcome.planned_ns == ranks[0].outcome.planned_ns);
        assert_true(ranks[i].outcome.planned_ns >= last_arrival);
        assert_true(ranks[i].outcome.released_ns >= ranks[i].outcome.planned_ns);
    }
}

static void set_size(uint32_t size)
{
    barrier_unmap(&barrier);
    map_barrier_of(1, size);
}

static void ranks_continue_when_all_arrived(void **ctx)
{
    (void)ctx;
    for (uint32_t size = 1; size <= 8; size *= 2) {
        set_size(size); /* ranks with a core of their own spin */
        prepare(size, 200, LIMIT_MS);
        run_processes(size);
        assert_all_completed(size, 200);
        set_size(size);
        prepare(size, 200, LIMIT_MS);
        run_threads(size);
        assert_all_completed(size, 200);
    }
}

static void sixty_four_ranks_pass_the_barrier_on_few_cores(void **ctx)
{
    (void)ctx;
    prepare(RANKS_MAX, 40, LIMIT_MS);
    run_threads(RANKS_MAX);
    assert_all_completed(RANKS_MAX, 40);
}

static void assert_all_aborted(uint32_t size,
                               uint32_t except,
                               enum barrier_reason reason,
                               uint32_t culprit)
{
    for (uint32_t i = 0; i < size; i++) {
        if (i == except)
            continue;
        assert_int_equal(ranks[i].outcome.reason, reason);
        assert_int_equal(ranks[i].outcome.culprit, culprit);
        assert_true(ranks[i].completed == ranks[except == 0].completed);
    }
}

static void a_missing_rank_is_named_after_the_time_limit(void **ctx)
{
    (void)ctx;
    prepare(8, 20, LIMIT_MS);
    for (uint32_t i = 0; i < 8; i++)
        ranks[i].short_at = 13;
    ranks[5].stages = 12;
    run_processes(8);
    /* The process of rank 5 ended. The reason is LATE, or GONE when the end was
     * noticed. */
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(ranks[i].completed, i == 5 ? 12 : 13);
        if (i == 5)
            continue;
        assert_int_equal(ranks[i].outcome.culprit, 5);
        assert_true(ranks[i].outcome.reason == BARRIER_LATE ||
                    ranks[i].outcome.reason == BARRIER_GONE);
        assert_int_equal(ranks[i].outcome.reason, ranks[0].outcome.reason);
    }
}

static void a_late_rank_reads_the_outcome_and_takes_part_again(void **ctx)
{
    struct barrier_place one, two;
    struct barrier_outcome outcome;
    char text[160];

    (void)ctx;
    one = join(KEY, 0, 2);
    two = join(KEY, 1, 2);
    wait_at(&one, barrier_stage(1, 0), BARRIER_RELEASED, 20, &outcome);
    assert_int_equal(outcome.reason, BARRIER_LATE);
    assert_int_equal(outcome.culprit, 1);
    barrier_describe(&barrier, &one, barrier_stage(1, 0), &outcome, text, sizeof(text));
    assert_string_equal(text, "rank 1 did not come in time");

    /* No rank waits again for a rank that is marked as late. */
    wait_at(&one, barrier_stage(2, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_LATE);

    wait_at(&two, barrier_stage(1, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_LATE);
    assert_int_equal(outcome.culprit, 1);
    wait_at(&two, barrier_stage(2, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_LATE);

    wait_at(&two, barrier_stage(3, 0), BARRIER_NOT_WANTED, LIMIT_MS, &outcome);
    wait_at(&one, barrier_stage(3, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_NOT_WANTED);
    assert_int_equal(outcome.culprit, 1);
}

static void a_stopped_rank_is_late_and_the_others_continue(void **ctx)
{
    int status;

    (void)ctx;
    prepare(4, 20, LIMIT_MS);
    for (uint32_t i = 0; i < 4; i++)
        ranks[i].short_at = 10;
    ranks[2].stops_at = 10;
    start_processes(4);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2)
            wait_for(i);
    assert_all_aborted(4, 2, BARRIER_LATE, 2);
    assert_int_equal(waitpid(ranks[2].pid, &status, WUNTRACED), ranks[2].pid);
    assert_true(WIFSTOPPED(status));
    kill(ranks[2].pid, SIGCONT);
    wait_for(2);
    assert_int_equal(ranks[2].outcome.reason, BARRIER_LATE);
    assert_int_equal(ranks[2].outcome.culprit, 2);
    assert_true(ranks[2].completed == ranks[0].completed);
}

/* No worker reports the end of the process here. */
static void waiting_ranks_detect_a_killed_rank(void **ctx)
{
    (void)ctx;
    prepare(4, 20, LIMIT_MS);
    ranks[1].dies_at = 9;
    start_processes(4);
    wait_for(1);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 1)
            wait_for(i);
    assert_all_aborted(4, 1, BARRIER_GONE, 1);
    assert_int_equal(ranks[0].completed, 9);
    assert_string_equal(ranks[0].text, "rank 1 has died");
}

static void *report_end(void *arg)
{
    struct rank *rank = arg;
    int status;

    waitpid(rank->pid, &status, 0);
    barrier_mark_process_ended(&barrier, (uint32_t)rank->pid);
    return NULL;
}

static void a_rank_killed_at_any_point_ends_all_others_at_one_stage(void **ctx)
{
    (void)ctx;
    for (unsigned round = 0; round < 30; round++) {
        uint32_t victim = round % 4;
        pthread_t reaper;

        tear_down(ctx);
        set_up(ctx);
        prepare(4, 1 << 20, LIMIT_MS);
        start_processes(4);
        while (atomic_load(&ranks[victim].completed) < 5 + round * 7)
            sched_yield();
        kill(ranks[victim].pid, SIGKILL);
        assert_int_equal(pthread_create(&reaper, NULL, report_end, &ranks[victim]), 0);
        pthread_join(reaper, NULL);
        for (uint32_t i = 0; i < 4; i++)
            if (i != victim)
                wait_for(i);
        assert_all_aborted(4, victim, BARRIER_GONE, victim);
    }
}

static void a_rank_at_another_operation_is_named(void **ctx)
{
    (void)ctx;
    prepare(4, 20, LIMIT_MS);
    ranks[3].mismatch_at = 9; /* the first step of the second operation */
    run_threads(4);
    assert_all_aborted(4, RANKS_MAX, BARRIER_MISMATCH, 3);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(ranks[i].text, "rank 3 is at Add (launch 2), "
                                           "ranks 0-2 at MatmulAllReduce (launch 2)");
}

static void a_rank_without_counters_aborts_the_wait_of_all(void **ctx)
{
    (void)ctx;
    prepare(8, 20, LIMIT_MS);
    ranks[6].refuses_at = 11;
    run_processes(8);
    assert_all_aborted(8, RANKS_MAX, BARRIER_NOT_ARMED, 6);
    assert_int_equal(ranks[0].completed, 11);
}

/* The other rank passes many stages before the slow rank reads its outcome. */
static void a_slow_rank_still_reads_earlier_outcomes(void **ctx)
{
    struct barrier_place one = join(KEY, 0, 2), two = join(KEY, 1, 2);
    struct group *group = &barrier.shared->groups[one.group];
    struct barrier_outcome outcome;

    (void)ctx;
    atomic_store(&group->members[two.member].stage, barrier_stage(1, 0));
    atomic_store(&group->members[two.member].fingerprint, 1);
    atomic_store(&group->arrived, barrier_stage(1, 0) << 16 | 1);
    wait_at(&one, barrier_stage(1, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_RELEASED);
    wait_at(&one, barrier_stage(1, 1), BARRIER_NOT_RESTORED, LIMIT_MS, &outcome);
    wait_at(&two, barrier_stage(1, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_RELEASED);

    atomic_store(&group->members[two.member].stage, barrier_stage(2, 0));
    atomic_store(&group->members[two.member].reason, BARRIER_FINISHED);
    atomic_store(&group->arrived, barrier_stage(2, 0) << 16 | 1);
    wait_at(&one, barrier_stage(2, 0), BARRIER_FINISHED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_FINISHED);
    for (uint64_t n = 3; n < 1000; n++)
        wait_at(&one, barrier_stage(n, 0), BARRIER_NOT_WANTED, LIMIT_MS, &outcome);
    wait_at(&two, barrier_stage(2, 0), BARRIER_FINISHED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_FINISHED);
    wait_at(&two, barrier_stage(999, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_NOT_WANTED);
    wait_at(&two, barrier_stage(998, 0), BARRIER_RELEASED, LIMIT_MS, &outcome);
    assert_int_equal(outcome.reason, BARRIER_NOT_WANTED);
    assert_int_equal(outcome.culprit, 0);
}

static void *wake_without_reason(void *arg)
{
    _Atomic bool *stop = arg;

    while (!atomic_load(stop))
        for (int i = 0; i < 4; i++)
            syscall(SYS_futex, &barrier.shared->groups[i].wakes, 1, INT32_MAX, NULL,
                    NULL, 0);
    return NULL;
}

static void spurious_wakeups_release_no_rank(void **ctx)
{
    _Atomic bool stop = false;
    pthread_t waker;

    (void)ctx;
    prepare(4, 400, LIMIT_MS);
    pthread_create(&waker, NULL, wake_without_reason, &stop);
    run_threads(4);
    atomic_store(&stop, true);
    pthread_join(waker, NULL);
    assert_all_completed(4, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(ranks_continue_when_all_arrived),
        TEST(sixty_four_ranks_pass_the_barrier_on_few_cores),
        TEST(a_missing_rank_is_named_after_the_time_limit),
        TEST(a_late_rank_reads_the_outcome_and_takes_part_again),
        TEST(a_stopped_rank_is_late_and_the_others_continue),
        TEST(waiting_ranks_detect_a_killed_rank),
        TEST(a_rank_killed_at_any_point_ends_all_others_at_one_stage),
        TEST(a_rank_at_another_operation_is_named),
        TEST(a_rank_without_counters_aborts_the_wait_of_all),
        TEST(a_slow_rank_still_reads_earlier_outcomes),
        TEST(spurious_wakeups_release_no_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
