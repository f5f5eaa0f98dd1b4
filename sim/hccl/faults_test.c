#include <hccl/hccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST
#define INT32 HCCL_DATA_TYPE_INT32
#define COUNT (1u << 18)

static char fleet[] = "/tmp/npu_sim_fleet_XXXXXX";

static void plant(const char *faults)
{
    FILE *file = fopen(fleet, "w");

    assert_non_null(file);
    fprintf(file, "version: 1\nhosts: [{name: a, cards: 4}]\n%s\n", faults);
    assert_int_equal(fclose(file), 0);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Measures an exchange of 1 MiB with each rank by the card's clock, in ns. */
static int measure(struct rank *me, uint64_t *ns)
{
    uint64_t before;
    void *from, *into;

    WRONG_UNLESS(!aclrtMalloc(&from, me->ranks * COUNT * 4ull, FIRST));
    WRONG_UNLESS(!aclrtMalloc(&into, me->ranks * COUNT * 4ull, FIRST));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    before = npu_sim_card_ticks(me->rank);
    WRONG_UNLESS(
        !HcclAlltoAll(from, COUNT, INT32, into, COUNT, INT32, me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    *ns = npu_sim_ticks_to_ns(npu_sim_card_ticks(me->rank) - before);
    return aclrtFree(from) || aclrtFree(into);
}

/* At 28 GB/s one MiB takes 37 us; over a link that is 400 times slower 15 ms. */
static int is_slow(struct rank *me)
{
    uint64_t ns;

    WRONG_UNLESS(!measure(me, &ns));
    WRONG_UNLESS(ns >= 400ull * COUNT * 4 / 28);
    return 0;
}

static void a_slow_link_makes_collectives_slow(void **ctx)
{
    (void)ctx;
    plant("faults: [{fault: slow_link, card: 1, to_card: 2, factor: 400}]");
    assert_int_equal(ranks_run(RANKS_PROCESSES, 4, is_slow), 0);
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

static int one_is_late(struct rank *me)
{
    uint64_t from = now_ms();

    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    WRONG_UNLESS(now_ms() - from >= 300);
    return 0;
}

static void all_ranks_wait_for_a_late_rank(void **ctx)
{
    (void)ctx;
    plant("faults: [{fault: late_rank, rank: 2, seconds: 0.4, launch: 1, kernel: "
          "'Hccl*'}]");
    assert_int_equal(ranks_run(RANKS_THREADS, 3, one_is_late), 0);
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
        cmocka_unit_test(a_slow_link_makes_collectives_slow),
        cmocka_unit_test(a_collective_fails_when_a_fault_kills_a_rank),
        cmocka_unit_test(all_ranks_wait_for_a_late_rank),
        cmocka_unit_test(a_stuck_rank_ends_all_at_the_time_limit),
    };
    int failed;

    close(mkstemp(fleet));
    setenv("NPU_SIM_FLEET", fleet, 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(fleet);
    return failed;
}
