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

#include "tests/support/meeting_ground.h"

/* What the ranks of a test do and find; shared with those that are processes. */
struct rank {
    uint32_t number, size;
    uint64_t stages;       /* meets so often, one sequence, one step each */
    uint32_t limit_ms;     /* for each */
    uint64_t odd_at;       /* at this stage it is at another operation */
    uint64_t refuses_at;   /* there it has no counters */
    uint64_t dies_at;      /* before it comes there */
    uint64_t stops_at;     /* there it stops itself, until somebody continues it */
    _Atomic uint64_t came; /* stages that it has left with a word */
    struct barrier_outcome verdict; /* of the last stage */
    char told[160];
    pid_t pid;
};

static struct rank *ranks; /* shared memory */

static int set_up(void **ctx)
{
    (void)ctx;
    meeting_up();
    ranks = mmap(NULL, RANKS_MAX * sizeof(*ranks), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(ranks, MAP_FAILED);
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    munmap(ranks, RANKS_MAX * sizeof(*ranks));
    barrier_unmap(&meeting);
    return 0;
}

/* Steps of one operation, or operations of one step each. */
static uint64_t nth_stage(uint64_t n)
{
    return barrier_stage(1 + n / 8, (uint32_t)(n % 8));
}

static void *be_rank(void *arg)
{
    struct rank *rank = arg;
    struct barrier_place place = join(KEY, rank->number, rank->size);

    for (uint64_t i = 0; i < rank->stages; i++) {
        struct barrier_arrival arrival = {
            .stage = nth_stage(i),
            .fingerprint = i + 1 == rank->odd_at ? 2 : 1,
            .reason = i + 1 == rank->refuses_at ? BARRIER_NOT_ARMED
                      : i % 8 == 7              ? BARRIER_FINISHED
                                                : BARRIER_RELEASED,
            .what = i + 1 == rank->odd_at ? "Add" : "MatmulAllReduce",
        };

        if (i + 1 == rank->dies_at)
            raise(SIGKILL);
        if (i + 1 == rank->stops_at)
            raise(SIGSTOP);
        barrier_meet(&meeting, &place, &arrival, rank->limit_ms, &rank->verdict);
        barrier_tell(&meeting, &place, arrival.stage, &rank->verdict, rank->told,
                     sizeof(rank->told));
        atomic_store(&rank->came, i + 1);
        if (!barrier_is_go(&rank->verdict))
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
        assert_int_equal(pthread_create(&threads[i], NULL, be_rank, &ranks[i]), 0);
    for (uint32_t i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
}

static void start_processes(uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            be_rank(&ranks[i]);
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

static void assert_all_came_through(uint32_t size, uint64_t stages)
{
    uint64_t last_arrival = 0;

    for (uint32_t i = 0; i < size; i++) {
        assert_int_equal(ranks[i].came, stages);
        assert_true(barrier_is_go(&ranks[i].verdict));
        if (ranks[i].verdict.arrived_ns > last_arrival)
            last_arrival = ranks[i].verdict.arrived_ns;
    }
    for (uint32_t i = 0; i < size; i++) {
        assert_true(ranks[i].verdict.planned_ns == ranks[0].verdict.planned_ns);
        assert_true(ranks[i].verdict.planned_ns >= last_arrival);
        assert_true(ranks[i].verdict.released_ns >= ranks[i].verdict.planned_ns);
    }
}

static void all_who_come_go_on(void **ctx)
{
    (void)ctx;
    for (uint32_t size = 1; size <= 8; size *= 2) {
        prepare(size, 200, LIMIT_MS);
        run_processes(size);
        assert_all_came_through(size, 200);
        tear_down(ctx);
        set_up(ctx);
        prepare(size, 200, LIMIT_MS);
        run_threads(size);
        assert_all_came_through(size, 200);
        tear_down(ctx);
        set_up(ctx);
    }
}

static void many_more_ranks_than_cores_go_on(void **ctx)
{
    (void)ctx;
    prepare(RANKS_MAX, 40, LIMIT_MS);
    run_threads(RANKS_MAX);
    assert_all_came_through(RANKS_MAX, 40);
}

static void assert_all_say(uint32_t size,
                           uint32_t but,
                           enum barrier_reason reason,
                           uint32_t culprit)
{
    for (uint32_t i = 0; i < size; i++) {
        if (i == but)
            continue;
        assert_int_equal(ranks[i].verdict.reason, reason);
        assert_int_equal(ranks[i].verdict.culprit, culprit);
        assert_true(ranks[i].came == ranks[but == 0].came);
    }
}

static void who_does_not_come_is_named_when_the_time_is_over(void **ctx)
{
    (void)ctx;
    prepare(8, 20, SHORT_MS);
    ranks[5].stages = 12;
    run_processes(8);
    /* it has left; its seat knows no more: late, or dead as soon as that is seen */
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(ranks[i].came, i == 5 ? 12 : 13);
        if (i == 5)
            continue;
        assert_int_equal(ranks[i].verdict.culprit, 5);
        assert_true(ranks[i].verdict.reason == BARRIER_LATE ||
                    ranks[i].verdict.reason == BARRIER_GONE);
        assert_int_equal(ranks[i].verdict.reason, ranks[0].verdict.reason);
    }
}

static void who_comes_late_finds_the_answer_and_is_welcome_again(void **ctx)
{
    struct barrier_place one, two;
    struct barrier_outcome verdict;
    char told[160];

    (void)ctx;
    one = join(KEY, 0, 2);
    two = join(KEY, 1, 2);
    meet(&one, barrier_stage(1, 0), BARRIER_RELEASED, 20, &verdict);
    assert_int_equal(verdict.reason, BARRIER_LATE);
    assert_int_equal(verdict.culprit, 1);
    barrier_tell(&meeting, &one, barrier_stage(1, 0), &verdict, told, sizeof(told));
    assert_string_equal(told, "rank 1 did not come in time");

    /* while it is missing nobody waits for it a second time */
    meet(&one, barrier_stage(2, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_LATE);

    meet(&two, barrier_stage(1, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_LATE);
    assert_int_equal(verdict.culprit, 1);
    meet(&two, barrier_stage(2, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_LATE);

    meet(&two, barrier_stage(3, 0), BARRIER_NOT_WANTED, LIMIT_MS, &verdict);
    meet(&one, barrier_stage(3, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_NOT_WANTED);
    assert_int_equal(verdict.culprit, 1);
}

static void a_stopped_rank_is_late_and_the_others_leave(void **ctx)
{
    int status;

    (void)ctx;
    prepare(4, 20, SHORT_MS);
    ranks[2].stops_at = 10;
    start_processes(4);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2)
            wait_for(i);
    assert_all_say(4, 2, BARRIER_LATE, 2);
    assert_int_equal(waitpid(ranks[2].pid, &status, WUNTRACED), ranks[2].pid);
    assert_true(WIFSTOPPED(status));
    kill(ranks[2].pid, SIGCONT);
    wait_for(2);
    assert_int_equal(ranks[2].verdict.reason, BARRIER_LATE);
    assert_int_equal(ranks[2].verdict.culprit, 2);
    assert_true(ranks[2].came == ranks[0].came);
}

/* Nobody tells the page: the others see it for themselves. */
static void a_killed_rank_is_found_by_who_waits(void **ctx)
{
    (void)ctx;
    prepare(4, 20, LIMIT_MS);
    ranks[1].dies_at = 9;
    start_processes(4);
    wait_for(1);
    for (uint32_t i = 0; i < 4; i++)
        if (i != 1)
            wait_for(i);
    assert_all_say(4, 1, BARRIER_GONE, 1);
    assert_int_equal(ranks[0].came, 9);
    assert_string_equal(ranks[0].told, "rank 1 has died");
}

static void *kill_later(void *arg)
{
    struct rank *rank = arg;
    int status;

    waitpid(rank->pid, &status, 0);
    barrier_mark_gone(&meeting, (uint32_t)rank->pid);
    return NULL;
}

/* Wherever it stands: nobody hangs, and all the others leave at the same stage. */
static void ranks_killed_anywhere_stop_all_others_together(void **ctx)
{
    (void)ctx;
    for (unsigned round = 0; round < 30; round++) {
        uint32_t victim = round % 4;
        pthread_t keeper;

        tear_down(ctx);
        set_up(ctx);
        prepare(4, 1 << 20, LIMIT_MS);
        start_processes(4);
        while (atomic_load(&ranks[victim].came) < 5 + round * 7)
            sched_yield();
        kill(ranks[victim].pid, SIGKILL);
        assert_int_equal(pthread_create(&keeper, NULL, kill_later, &ranks[victim]), 0);
        pthread_join(keeper, NULL);
        for (uint32_t i = 0; i < 4; i++)
            if (i != victim)
                wait_for(i);
        assert_all_say(4, victim, BARRIER_GONE, victim);
    }
}

static void who_stands_elsewhere_is_told_apart(void **ctx)
{
    (void)ctx;
    prepare(4, 20, LIMIT_MS);
    ranks[3].odd_at = 9; /* the first step of the second operation */
    run_threads(4);
    assert_all_say(4, RANKS_MAX, BARRIER_MISMATCH, 3);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(ranks[i].told, "rank 3 is at Add (launch 2), "
                                           "ranks 0-2 at MatmulAllReduce (launch 2)");
}

static void who_cannot_go_on_releases_all_at_once(void **ctx)
{
    (void)ctx;
    prepare(8, 20, LIMIT_MS);
    ranks[6].refuses_at = 11;
    run_processes(8);
    assert_all_say(8, RANKS_MAX, BARRIER_NOT_ARMED, 6);
    assert_int_equal(ranks[0].came, 11);
}

/* The others go on, and more than once, before a slow one has read its word. */
static void an_answer_stays_for_who_is_slow(void **ctx)
{
    struct barrier_place one = join(KEY, 0, 2), two = join(KEY, 1, 2);
    struct group *group = &meeting.shared->groups[one.group];
    struct barrier_outcome verdict;

    (void)ctx;
    atomic_store(&group->seats[two.seat].stage, barrier_stage(1, 0));
    atomic_store(&group->seats[two.seat].fingerprint, 1);
    atomic_store(&group->arrived, barrier_stage(1, 0) << 16 | 1);
    meet(&one, barrier_stage(1, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_RELEASED);
    meet(&one, barrier_stage(1, 1), BARRIER_NOT_RESTORED, LIMIT_MS, &verdict);
    meet(&two, barrier_stage(1, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_RELEASED);

    atomic_store(&group->seats[two.seat].stage, barrier_stage(2, 0));
    atomic_store(&group->seats[two.seat].reason, BARRIER_FINISHED);
    atomic_store(&group->arrived, barrier_stage(2, 0) << 16 | 1);
    meet(&one, barrier_stage(2, 0), BARRIER_FINISHED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_FINISHED);
    for (uint64_t n = 3; n < 1000; n++)
        meet(&one, barrier_stage(n, 0), BARRIER_NOT_WANTED, LIMIT_MS, &verdict);
    meet(&two, barrier_stage(2, 0), BARRIER_FINISHED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_FINISHED);
    meet(&two, barrier_stage(999, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_NOT_WANTED);
    meet(&two, barrier_stage(998, 0), BARRIER_RELEASED, LIMIT_MS, &verdict);
    assert_int_equal(verdict.reason, BARRIER_NOT_WANTED);
    assert_int_equal(verdict.culprit, 0);
}

static void *wake_for_nothing(void *arg)
{
    _Atomic bool *stop = arg;

    while (!atomic_load(stop))
        for (int i = 0; i < 4; i++)
            syscall(SYS_futex, &meeting.shared->groups[i].bell, 1, INT32_MAX, NULL,
                    NULL, 0);
    return NULL;
}

static void wakes_without_a_reason_release_nobody(void **ctx)
{
    _Atomic bool stop = false;
    pthread_t nuisance;

    (void)ctx;
    prepare(4, 400, LIMIT_MS);
    pthread_create(&nuisance, NULL, wake_for_nothing, &stop);
    run_threads(4);
    atomic_store(&stop, true);
    pthread_join(nuisance, NULL);
    assert_all_came_through(4, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(all_who_come_go_on),
        TEST(many_more_ranks_than_cores_go_on),
        TEST(who_does_not_come_is_named_when_the_time_is_over),
        TEST(who_comes_late_finds_the_answer_and_is_welcome_again),
        TEST(a_stopped_rank_is_late_and_the_others_leave),
        TEST(a_killed_rank_is_found_by_who_waits),
        TEST(ranks_killed_anywhere_stop_all_others_together),
        TEST(who_stands_elsewhere_is_told_apart),
        TEST(who_cannot_go_on_releases_all_at_once),
        TEST(an_answer_stays_for_who_is_slow),
        TEST(wakes_without_a_reason_release_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
