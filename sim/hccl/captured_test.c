#include <hccl/hccl.h>
#include <stdlib.h>

#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST
#define INT32 HCCL_DATA_TYPE_INT32
#define RUNS  3

/* Sums in place, then sends each rank's sum to the next rank. Nothing moves during the
 * capture; every run executes all of it. */
static int run_model_repeatedly(struct rank *me)
{
    uint32_t next = (me->rank + 1) % me->ranks;
    uint32_t before = (me->rank + me->ranks - 1) % me->ranks;
    HcclSendRecvItem items[2];
    int32_t *sum, *from_before, wanted = 1;
    aclmdlRI model;

    WRONG_UNLESS(!aclrtMalloc((void **)&sum, 4, FIRST));
    WRONG_UNLESS(!aclrtMalloc((void **)&from_before, 4, FIRST));
    *sum = 1;
    *from_before = 0;
    items[0] = (HcclSendRecvItem){HCCL_SEND, sum, 1, INT32, next};
    items[1] = (HcclSendRecvItem){HCCL_RECV, from_before, 1, INT32, before};
    WRONG_UNLESS(
        !aclmdlRICaptureBegin(me->stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    WRONG_UNLESS(
        !HcclAllReduce(sum, sum, 1, INT32, HCCL_REDUCE_SUM, me->comm, me->stream));
    WRONG_UNLESS(!HcclBatchSendRecv(items, 2, me->comm, me->stream));
    WRONG_UNLESS(!aclmdlRICaptureEnd(me->stream, &model));
    WRONG_UNLESS(*sum == 1 && *from_before == 0);
    for (int run = 0; run < RUNS; run++) {
        WRONG_UNLESS(!aclmdlRIExecuteAsync(model, me->stream));
        WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
        wanted *= (int32_t)me->ranks;
        WRONG_UNLESS(*sum == wanted && *from_before == wanted);
    }
    /* several queued runs, with calls outside the model between them */
    WRONG_UNLESS(!aclmdlRIExecuteAsync(model, me->stream));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclmdlRIExecuteAsync(model, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    WRONG_UNLESS(*sum == wanted * (int32_t)(me->ranks * me->ranks));
    WRONG_UNLESS(!aclmdlRIDestroy(model));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    WRONG_UNLESS(!aclrtFree(sum) && !aclrtFree(from_before));
    return 0;
}

static void a_captured_collective_runs_with_its_model(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, run_model_repeatedly), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 4, run_model_repeatedly), 0);
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, run_model_repeatedly), 0);
}

/* Destroys a model that was never run. */
static int is_never_run(struct rank *me)
{
    HcclResult error;
    aclmdlRI model;

    WRONG_UNLESS(
        !aclmdlRICaptureBegin(me->stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclmdlRICaptureEnd(me->stream, &model));
    WRONG_UNLESS(!aclmdlRIDestroy(model));
    WRONG_UNLESS(!HcclGetCommAsyncError(me->comm, &error) && error == HCCL_SUCCESS);
    return 0;
}

static void a_model_can_be_destroyed_without_a_run(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_THREADS, 2, is_never_run), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_captured_collective_runs_with_its_model),
        cmocka_unit_test(a_model_can_be_destroyed_without_a_run),
    };

    setenv("NPU_SIM_CARDS", "8", 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
