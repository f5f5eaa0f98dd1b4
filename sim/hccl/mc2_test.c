#include <ascend_hal.h>
#include <hccl/hccl.h>
#include <hccl/hccl_mc2.h>
#include <hccl/hccl_rank_graph.h>
#include <hccl/hcom.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/hccl/server.h"
#include "sim/runtime/stream/outside.h"
#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST
#define PIECE 700 /* elements */
#define TURNS 3

static int tiling; /* its content is not used */

/* A task of the AI CPU stream, like the server half of an operator. */
struct served {
    struct npu_sim_comm_context *context;
    const struct npu_sim_piece *pieces;
    uint32_t count;
    uint64_t ns;
};

static aclError serve(void *data, const struct npu_sim_turn *turn)
{
    struct served *served = data;
    struct npu_sim_server *server;
    aclError error = npu_sim_server_open(&server, served->context);

    (void)turn;
    if (error)
        return error;
    for (uint32_t i = 0; !error && i < served->count; i++) {
        error = npu_sim_server_run(server, &served->pieces[i]);
    }
    npu_sim_server_close(server);
    return error;
}

static void drop(void *data)
{
    (void)data;
}

static aclError
run_pieces(struct rank *me, const struct npu_sim_piece *pieces, uint32_t count)
{
    struct served served = {.pieces = pieces, .count = count};
    struct npu_sim_work work = {serve, drop, &served};
    void *context, *notifies[2];
    aclrtStream stream;

    if (HcclAllocComResourceByTiling(me->comm, me->stream, &tiling, &context) ||
        HcclGetAicpuOpStreamAndNotify(me->comm, &stream, 2, notifies))
        return -1;
    served.context = context;
    /* the order of real operators: the AI CPU starts when the main stream arrives */
    if (aclrtWaitAndResetNotify(notifies[0], stream, 60) ||
        aclrtRecordNotify(notifies[0], me->stream) || npu_sim_stream_add(stream, &work))
        return -1;
    return aclrtSynchronizeStream(stream);
}

/* Both halves and the program's next call are queued before any of them runs: the main
 * stream waits for the server, and a collective follows. */
static int goes_on_at_once(struct rank *me)
{
    const struct npu_sim_piece piece = {.command = NPU_SIM_BARRIER};
    struct served served = {.pieces = &piece, .count = 1};
    struct npu_sim_work work = {serve, drop, &served};
    void *context, *notifies[2];
    aclrtStream stream, third;

    WRONG_UNLESS(
        !HcclAllocComResourceByTiling(me->comm, me->stream, &tiling, &context));
    WRONG_UNLESS(!HcclGetAicpuOpStreamAndNotify(me->comm, &stream, 2, notifies));
    served.context = context;
    WRONG_UNLESS(!aclrtCreateStream(&third));
    WRONG_UNLESS(!aclrtWaitAndResetNotify(notifies[0], stream, 60));
    WRONG_UNLESS(!npu_sim_stream_add(stream, &work));
    WRONG_UNLESS(!aclrtRecordNotify(notifies[1], stream));
    WRONG_UNLESS(!aclrtWaitAndResetNotify(notifies[1], me->stream, 60));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtRecordNotify(notifies[0], third));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(stream));
    return aclrtDestroyStream(third);
}

static int32_t value(uint32_t rank, uint64_t i)
{
    return (int32_t)(rank * 1000 + i);
}

/* Processes a matrix row by row, one row per piece, with distant parts. */
static int serves(struct rank *me)
{
    const uint64_t row = PIECE * sizeof(int32_t), far = PIECE * TURNS;
    uint64_t bytes = row * TURNS * me->ranks;
    struct npu_sim_piece pieces[3 * TURNS + 1];
    int32_t *from, *sum, *all, *part;
    uint32_t n = 0;

    WRONG_UNLESS(!aclrtMalloc((void **)&from, bytes, FIRST));
    WRONG_UNLESS(!aclrtMalloc((void **)&sum, bytes, FIRST));
    WRONG_UNLESS(!aclrtMalloc((void **)&all, bytes, FIRST));
    WRONG_UNLESS(!aclrtMalloc((void **)&part, bytes, FIRST));
    for (uint64_t i = 0; i < bytes / sizeof(*from); i++)
        from[i] = value(me->rank, i);
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        uint64_t at = turn * PIECE;

        pieces[n++] = (struct npu_sim_piece){NPU_SIM_ALL_REDUCE,
                                             HCCL_DATA_TYPE_INT32,
                                             HCCL_REDUCE_SUM,
                                             from + at,
                                             sum + at,
                                             PIECE,
                                             0,
                                             NULL,
                                             false};
        pieces[n++] = (struct npu_sim_piece){NPU_SIM_ALL_GATHER,
                                             HCCL_DATA_TYPE_INT32,
                                             HCCL_REDUCE_SUM,
                                             from + at,
                                             all + at,
                                             PIECE,
                                             far,
                                             NULL,
                                             false};
        pieces[n++] = (struct npu_sim_piece){NPU_SIM_REDUCE_SCATTER,
                                             HCCL_DATA_TYPE_INT32,
                                             HCCL_REDUCE_SUM,
                                             from + at,
                                             part + at,
                                             PIECE,
                                             far,
                                             NULL,
                                             false};
    }
    pieces[n++] = (struct npu_sim_piece){.command = NPU_SIM_BARRIER};
    WRONG_UNLESS(!run_pieces(me, pieces, n));
    for (uint64_t i = 0; i < far; i++) {
        int32_t wanted_sum = 0, wanted_part = 0;

        for (uint32_t rank = 0; rank < me->ranks; rank++) {
            wanted_sum += value(rank, i);
            wanted_part += value(rank, me->rank * far + i);
            WRONG_UNLESS(all[rank * far + i] == value(rank, i));
        }
        WRONG_UNLESS(sum[i] == wanted_sum && part[i] == wanted_part);
    }
    WRONG_UNLESS(!aclrtFree(from) && !aclrtFree(sum) && !aclrtFree(all));
    return aclrtFree(part);
}

static void an_ai_cpu_task_runs_collectives_piece_by_piece(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 4, serves), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 3, serves), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 1, serves), 0);
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, serves), 0);
}

static void a_server_runs_before_later_calls(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, goes_on_at_once), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 3, goes_on_at_once), 0);
}

static int differ(struct rank *me)
{
    struct npu_sim_piece piece = {.command = NPU_SIM_BARRIER};
    struct npu_sim_piece none = {.command = (enum npu_sim_command)99};

    WRONG_UNLESS(!run_pieces(me, &piece, 1));
    WRONG_UNLESS(run_pieces(me, me->rank ? &none : &piece, 1));
    WRONG_UNLESS(HcclBarrier(me->comm, me->stream) == HCCL_E_PARA);
    return 0;
}

static void servers_with_different_pieces_fail(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, differ), 0);
}

static int last_one_dies(struct rank *me)
{
    struct npu_sim_piece piece = {.command = NPU_SIM_BARRIER};

    WRONG_UNLESS(!run_pieces(me, &piece, 1));
    if (me->rank == me->ranks - 1)
        kill(getpid(), SIGKILL);
    WRONG_UNLESS(run_pieces(me, &piece, 1) == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    return 0;
}

static void a_server_fails_when_a_peer_dies(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, last_one_dies), -1);
}

static int waits_in_vain(struct rank *me)
{
    struct npu_sim_piece piece = {.command = NPU_SIM_BARRIER};

    if (me->rank == 0)
        WRONG_UNLESS(run_pieces(me, &piece, 1) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    return 0;
}

static void a_server_waits_until_the_time_limit(void **ctx)
{
    (void)ctx;
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    assert_int_equal(ranks_run(RANKS_THREADS, 2, waits_in_vain), 0);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
}

/* Like a kernel without an AI CPU half: reads and writes the windows of its peers. */
static aclError touch_windows(void *data, const struct npu_sim_turn *turn)
{
    const struct npu_sim_comm_context *context = data;
    uint32_t flags = 1024; /* index of the flags behind the data */

    (void)turn;
    for (uint32_t round = 1; round <= 5; round++) {
        uint32_t flip = round % 2 + 1;

        for (uint32_t peer = 0; peer < context->ranks; peer++) {
            uint32_t *window = (uint32_t *)(uintptr_t)context->windows_in[peer];

            window[context->rank] = round * 100 + context->rank;
            npu_sim_comm_set(context, &window[flags + context->rank], flip);
        }
        for (uint32_t peer = 0; peer < context->ranks; peer++) {
            uint32_t *own = (uint32_t *)(uintptr_t)context->windows_in[context->rank];

            if (npu_sim_comm_wait(context, &own[flags + peer], flip))
                return 0;
            if (own[peer] != round * 100 + peer)
                return ACL_ERROR_RT_AICORE_EXCEPTION;
        }
        /* a second flag in the other direction keeps ranks from running a round ahead
         */
        for (uint32_t peer = 0; peer < context->ranks; peer++) {
            uint32_t *out = (uint32_t *)(uintptr_t)context->windows_out[peer];

            npu_sim_comm_set(context, &out[context->rank], flip);
        }
        for (uint32_t peer = 0; peer < context->ranks; peer++) {
            uint32_t *own = (uint32_t *)(uintptr_t)context->windows_out[context->rank];

            if (npu_sim_comm_wait(context, &own[peer], flip))
                return 0;
        }
    }
    return 0;
}

static int reaches_peers(struct rank *me)
{
    struct npu_sim_comm_context *context, *again;
    struct npu_sim_work work = {touch_windows, drop, NULL};
    uint64_t bytes, total, before, after;
    char *buffer, *same;

    WRONG_UNLESS(!aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    WRONG_UNLESS(!HcclGetHcclBuffer(me->comm, (void **)&buffer, &bytes));
    WRONG_UNLESS(bytes == 2 * (3ull << 20));
    WRONG_UNLESS(!aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    WRONG_UNLESS(before - after == bytes);
    WRONG_UNLESS(!HcclGetHcclBuffer(me->comm, (void **)&same, &bytes) &&
                 same == buffer);
    WRONG_UNLESS(buffer[bytes / 2 - 1] == 0 && buffer[bytes - 1] == 0);
    WRONG_UNLESS(!HcclAllocComResourceByTiling(me->comm, me->stream, &tiling,
                                               (void **)&context));
    WRONG_UNLESS(
        !HcclAllocComResourceByTiling(me->comm, me->stream, &tiling, (void **)&again));
    WRONG_UNLESS(context == again &&
                 npu_sim_is_device_memory(context, sizeof(*context)));
    WRONG_UNLESS(context->rank == me->rank && context->ranks == me->ranks);
    WRONG_UNLESS(context->windows_in[me->rank] == (uintptr_t)buffer);
    WRONG_UNLESS(context->windows_out[me->rank] == (uintptr_t)buffer + bytes / 2);
    for (uint32_t peer = 0; peer < me->ranks; peer++) {
        aclrtPtrAttributes attributes;
        void *window = (void *)(uintptr_t)context->windows_in[peer];

        WRONG_UNLESS(!aclrtPointerGetAttributes(window, &attributes));
        WRONG_UNLESS(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
        WRONG_UNLESS(attributes.location.id == peer);
    }
    work.data = context;
    WRONG_UNLESS(!npu_sim_stream_add(me->stream, &work));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    return 0;
}

static void kernels_access_the_windows_of_their_peers(void **ctx)
{
    (void)ctx;
    setenv("HCCL_BUFFSIZE", "3", 1);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 4, reaches_peers), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 4, reaches_peers), 0);
    unsetenv("HCCL_BUFFSIZE");
}

static int one_kernel_dies(struct rank *me)
{
    struct npu_sim_work work = {touch_windows, drop, NULL};
    void *context;

    WRONG_UNLESS(
        !HcclAllocComResourceByTiling(me->comm, me->stream, &tiling, &context));
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    if (me->rank == 1)
        kill(getpid(), SIGKILL);
    work.data = context;
    WRONG_UNLESS(!npu_sim_stream_add(me->stream, &work));
    WRONG_UNLESS(aclrtSynchronizeStream(me->stream) ==
                 ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    return 0;
}

static void a_kernel_fails_when_a_peer_dies(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, one_kernel_dies), -1);
}

static int check_group_name(struct rank *me)
{
    uint32_t *layers, number;
    void *notifies[2];
    aclrtStream stream, same;
    HcclComm found;
    char name[128];

    WRONG_UNLESS(!HcclGetCommName(me->comm, name));
    WRONG_UNLESS(!HcomGetCommHandleByGroup(name, &found) && found == me->comm);
    WRONG_UNLESS(HcomGetCommHandleByGroup("nobody", &found) == HCCL_E_NOT_FOUND);
    WRONG_UNLESS(HcomGetCommHandleByGroup(NULL, &found) == HCCL_E_PTR);
    WRONG_UNLESS(!HcclGetAicpuOpStreamAndNotify(me->comm, &stream, 2, notifies));
    WRONG_UNLESS(notifies[0] && notifies[1] && notifies[0] != notifies[1]);
    WRONG_UNLESS(!HcclGetAicpuOpStreamAndNotify(me->comm, &same, 1, notifies));
    WRONG_UNLESS(stream == same && stream != me->stream);
    WRONG_UNLESS(HcclGetAicpuOpStreamAndNotify(me->comm, &same, 3, notifies) ==
                 HCCL_E_PARA);
    WRONG_UNLESS(HcclGetAicpuOpStreamAndNotify(me->comm, NULL, 2, notifies) ==
                 HCCL_E_PTR);
    WRONG_UNLESS(HcclAllocComResourceByTiling(me->comm, me->stream, NULL,
                                              (void **)&layers) == HCCL_E_PTR);
    WRONG_UNLESS(HcclGetHcclBuffer(&number, (void **)&layers, (uint64_t *)name) ==
                 HCCL_E_PARA);
    WRONG_UNLESS(!HcclRankGraphGetLayers(me->comm, &layers, &number));
    WRONG_UNLESS(number == 1 && layers[0] == 0);
    WRONG_UNLESS(!HcclRankGraphGetRankSizeByLayer(me->comm, 0, &number));
    WRONG_UNLESS(number == me->ranks);
    WRONG_UNLESS(!HcclRankGraphGetTopoTypeByLayer(me->comm, 0, &number));
    WRONG_UNLESS(number == COMM_TOPO_1DMESH);
    WRONG_UNLESS(HcclRankGraphGetTopoTypeByLayer(me->comm, 1, &number) == HCCL_E_PARA);
    WRONG_UNLESS(HcclRankGraphGetLayers(NULL, &layers, &number) == HCCL_E_PTR);
    return 0;
}

static void an_operator_finds_its_communicator_by_group_name(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_THREADS, 2, check_group_name), 0);
}

static int is_too_large(struct rank *me)
{
    uint64_t bytes;
    void *buffer;

    WRONG_UNLESS(HcclGetHcclBuffer(me->comm, &buffer, &bytes) == HCCL_E_OOM);
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream)); /* a barrier needs no buffer */
    return aclrtSynchronizeStream(me->stream);
}

static void a_buffer_counts_against_the_card(void **ctx)
{
    (void)ctx;
    setenv("NPU_SIM_MEMORY_MIB", "1024", 1);
    setenv("HCCL_BUFFSIZE", "513", 1);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, is_too_large), 0);
    unsetenv("HCCL_BUFFSIZE");
    unsetenv("NPU_SIM_MEMORY_MIB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_operator_finds_its_communicator_by_group_name),
        cmocka_unit_test(an_ai_cpu_task_runs_collectives_piece_by_piece),
        cmocka_unit_test(a_server_runs_before_later_calls),
        cmocka_unit_test(servers_with_different_pieces_fail),
        cmocka_unit_test(a_server_fails_when_a_peer_dies),
        cmocka_unit_test(a_server_waits_until_the_time_limit),
        cmocka_unit_test(kernels_access_the_windows_of_their_peers),
        cmocka_unit_test(a_kernel_fails_when_a_peer_dies),
        cmocka_unit_test(a_buffer_counts_against_the_card),
    };

    setenv("NPU_SIM_CARDS", "8", 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
