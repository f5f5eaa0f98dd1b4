#include <hccl/hccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define FIRST          ACL_MEM_MALLOC_HUGE_FIRST
#define INT32          HCCL_DATA_TYPE_INT32
#define COUNT          (1u << 18)
#define NO_HOST_DELAYS "60000000" /* the longest step, in us */

static char fleet[] = "/tmp/npu_sim_fleet_XXXXXX";

static void plant(const char *faults)
{
    FILE *file = fopen(fleet, "w");

    assert_non_null(file);
    fprintf(file, "version: 1\nhosts: [{name: a, cards: 4}]\n%s\n", faults);
    assert_int_equal(fclose(file), 0);
}

/* Starts or ends a measurement on the stream; events have the modelled time. */
static aclError record(struct rank *me, aclrtEvent *event)
{
    aclError error = aclrtCreateEvent(event);

    return error ? error : aclrtRecordEvent(*event, me->stream);
}

static int is_near(aclrtEvent from, aclrtEvent to, double us)
{
    float ms;

    WRONG_UNLESS(!aclrtEventElapsedTime(&ms, from, to));
    if (ms * 1000.0 < us - 0.1 - us * 1e-6 || ms * 1000.0 > us + 0.1 + us * 1e-6) {
        fprintf(stderr, "%f us instead of %f\n", ms * 1000.0, us);
        return __LINE__;
    }
    return aclrtDestroyEvent(from) || aclrtDestroyEvent(to);
}

/* An exchange of 1 MiB with each rank at 28 GB/s takes 37.4 us, over a link that is 400
 * times slower 15 ms; both also 5 us of latency and 5 us of notifies. The operation
 * arrives 1 us after the first event. */
static int only_two_are_slow(struct rank *me)
{
    double us = COUNT * 4.0 / 28e3;
    aclrtEvent before, after;
    void *from, *into;

    WRONG_UNLESS(!aclrtMalloc(&from, me->ranks * COUNT * 4ull, FIRST));
    WRONG_UNLESS(!aclrtMalloc(&into, me->ranks * COUNT * 4ull, FIRST));
    WRONG_UNLESS(!record(me, &before));
    WRONG_UNLESS(
        !HcclAlltoAll(from, COUNT, INT32, into, COUNT, INT32, me->comm, me->stream));
    WRONG_UNLESS(!record(me, &after));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    if (me->rank == 1 || me->rank == 2)
        us *= 400;
    return is_near(before, after, us + 11) || aclrtFree(from) || aclrtFree(into);
}

static void a_slow_link_makes_only_its_two_ranks_slow(void **ctx)
{
    (void)ctx;
    plant("faults: [{fault: slow_link, card: 1, to_card: 2, factor: 400}]");
    assert_int_equal(ranks_run(RANKS_PROCESSES, 4, only_two_are_slow), 0);
}

static int second_one_dies(struct rank *me)
{
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    /* another rank may have noticed the failure before this one calls */
    WRONG_UNLESS(HcclBarrier(me->comm, me->stream) == HCCL_E_REMOTE ||
                 aclrtSynchronizeStream(me->stream) ==
                     ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    return me->rank == 1;
}

static void a_collective_fails_when_a_fault_kills_a_rank(void **ctx)
{
    (void)ctx;
    plant("faults: [{fault: dead_rank, rank: 1, launch: 2, kernel: HcclBarrier}]");
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, second_one_dies), -1);
}

/* A barrier takes 5 us, and all wait 400 ms for one rank. */
static int one_is_late(struct rank *me)
{
    aclrtEvent before, after;

    WRONG_UNLESS(!record(me, &before));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!record(me, &after));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    return is_near(before, after, 400000 + 6);
}

static void all_ranks_wait_for_a_late_rank(void **ctx)
{
    (void)ctx;
    plant("faults: [{fault: late_rank, rank: 2, seconds: 0.4, launch: 1, kernel: "
          "'Hccl*'}]");
    assert_int_equal(ranks_run(RANKS_THREADS, 3, one_is_late), 0);
}

/* Rank 1 sleeps for one step of 400 ms; the host's own delays are shorter than half of
 * it. The barrier takes 5 us, and arrives 1 us after the first event. */
static int one_sleeps(struct rank *me)
{
    struct timespec left = {.tv_nsec = 400000000};
    aclrtEvent before, after;

    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    while (me->rank == 1 && nanosleep(&left, &left) < 0)
        ;
    WRONG_UNLESS(!record(me, &before));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!record(me, &after));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    return is_near(before, after, me->rank == 1 ? 6 : 400006);
}

static void a_rank_whose_program_sleeps_arrives_late(void **ctx)
{
    (void)ctx;
    plant("");
    setenv("NPU_SIM_HOST_STEP_US", "100000", 1); /* ranks: 400 ms */
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, one_sleeps), 0);
    setenv("NPU_SIM_HOST_STEP_US", NO_HOST_DELAYS, 1);
}

static int first_one_hangs(struct rank *me)
{
    aclError error;

    if (HcclBarrier(me->comm, me->stream) == HCCL_E_TIMEOUT)
        return me->rank == 0; /* on a slow machine this rank calls after the failure */
    error = aclrtSynchronizeStream(me->stream);
    WRONG_UNLESS(error == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    return 0;
}

static void a_stuck_rank_ends_all_at_the_time_limit(void **ctx)
{
    (void)ctx;
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    plant("faults: [{fault: stuck_kernel, rank: 0, launch: 1, kernel: HcclBarrier}]");
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, first_one_hangs), 0);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_link_makes_only_its_two_ranks_slow),
        cmocka_unit_test(a_collective_fails_when_a_fault_kills_a_rank),
        cmocka_unit_test(a_rank_whose_program_sleeps_arrives_late),
        cmocka_unit_test(all_ranks_wait_for_a_late_rank),
        cmocka_unit_test(a_stuck_rank_ends_all_at_the_time_limit),
    };
    int failed;

    close(mkstemp(fleet));
    setenv("NPU_SIM_FLEET", fleet, 1);
    setenv("NPU_SIM_NOISE", "0", 1);
    /* without a barrier ranks start at any distance on a loaded machine */
    setenv("NPU_SIM_HOST_STEP_US", NO_HOST_DELAYS, 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(fleet);
    return failed;
}
