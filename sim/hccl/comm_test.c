#include <ascend_hal.h>
#include <hccl/hccl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST
#define SUM   HCCL_REDUCE_SUM
#define INT32 HCCL_DATA_TYPE_INT32

/* Runs an all-reduce of one number; returns 0 when the result is right. */
static int sum_over(HcclComm comm, aclrtStream stream, int32_t own, int32_t wanted)
{
    int32_t answer = 0;
    void *memory;

    WRONG_UNLESS(!aclrtMalloc(&memory, 4, FIRST));
    WRONG_UNLESS(!aclrtMemcpy(memory, 4, &own, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    WRONG_UNLESS(!HcclAllReduce(memory, memory, 1, INT32, SUM, comm, stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(stream));
    WRONG_UNLESS(!aclrtMemcpy(&answer, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST));
    WRONG_UNLESS(!aclrtFree(memory));
    WRONG_UNLESS(answer == wanted);
    return 0;
}

static int check_queries(struct rank *me)
{
    char name[128];
    uint32_t number;
    HcclComm found;
    HcclResult error;

    WRONG_UNLESS(!HcclGetRankId(me->comm, &number) && number == me->rank);
    WRONG_UNLESS(!HcclGetRankSize(me->comm, &number) && number == me->ranks);
    WRONG_UNLESS(!HcclGetCommName(me->comm, name) && name[0]);
    WRONG_UNLESS(!HcclCommGetHandleWithName(name, &found) && found == me->comm);
    WRONG_UNLESS(HcclCommGetHandleWithName("nobody", &found) == HCCL_E_NOT_FOUND);
    WRONG_UNLESS(!HcclGetCommAsyncError(me->comm, &error) && error == HCCL_SUCCESS);
    WRONG_UNLESS(HcclGetRankId(me->comm, NULL) == HCCL_E_PTR);
    WRONG_UNLESS(HcclGetRankSize(NULL, &number) == HCCL_E_PTR);
    WRONG_UNLESS(HcclGetCommName(&number, name) == HCCL_E_PARA);
    return 0;
}

static void a_communicator_returns_its_rank_size_and_name(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, check_queries), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 3, check_queries), 0);
}

static int refuses(struct rank *me)
{
    const HcclDataType strange = (HcclDataType)13, moved = HCCL_DATA_TYPE_INT128;
    HcclSendRecvItem item = {HCCL_SEND, NULL, 1, INT32, 1};
    uint64_t counts[2] = {1, 1}, large[2] = {1ull << 40, 1ull << 40};
    aclrtStream s = me->stream;
    HcclComm c = me->comm;
    char host[64];
    void *m;

    WRONG_UNLESS(!aclrtMalloc(&m, 64, FIRST));
    WRONG_UNLESS(HcclAllReduce(NULL, m, 1, INT32, SUM, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAllReduce(m, NULL, 1, INT32, SUM, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, INT32, SUM, NULL, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, INT32, SUM, c, NULL) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, INT32, SUM, host, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, strange, SUM, c, s) == HCCL_E_NOT_SUPPORT);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, moved, SUM, c, s) == HCCL_E_NOT_SUPPORT);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, INT32, (HcclReduceOp)4, c, s) ==
                 HCCL_E_NOT_SUPPORT);
    WRONG_UNLESS(HcclAllReduce(m, m, 1ull << 40, INT32, SUM, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclAllReduce(m, m, 1000, INT32, SUM, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclAllReduce(host, m, 1, INT32, SUM, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclAllReduce(m, m, 0, INT32, SUM, c, s) == HCCL_SUCCESS);
    WRONG_UNLESS(HcclAllReduce(m, m, 1, INT32, SUM, c, m) == HCCL_E_RUNTIME);
    WRONG_UNLESS(HcclBroadcast(m, 1, INT32, 2, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclBroadcast(NULL, 1, INT32, 0, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclReduce(m, m, 1, INT32, SUM, 2, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclScatter(m, m, 1, INT32, 2, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclScatter(m, NULL, 1, INT32, 0, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAllGather(m, m, 1, strange, c, s) == HCCL_E_NOT_SUPPORT);
    WRONG_UNLESS(HcclReduceScatter(m, NULL, 1, INT32, SUM, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAlltoAll(m, 1, INT32, m, 2, INT32, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclAlltoAll(m, 1, INT32, m, 1, HCCL_DATA_TYPE_FP32, c, s) ==
                 HCCL_E_PARA);
    WRONG_UNLESS(HcclAlltoAllV(m, NULL, counts, INT32, m, counts, counts, INT32, c,
                               s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAlltoAllV(m, large, counts, INT32, m, counts, counts, INT32, c,
                               s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclAlltoAllVC(m, NULL, INT32, m, INT32, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclAllGatherV(m, 2, m, counts, counts, INT32, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclReduceScatterV(m, counts, counts, m, 2, INT32, SUM, c, s) ==
                 HCCL_E_PARA);
    WRONG_UNLESS(HcclSend(m, 1, INT32, 2, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclSend(m, 1, INT32, me->rank, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclSend(NULL, 1, INT32, 1 - me->rank, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclRecv(m, 1, strange, 1 - me->rank, c, s) == HCCL_E_NOT_SUPPORT);
    WRONG_UNLESS(HcclRecv(host, 1, INT32, 1 - me->rank, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclBatchSendRecv(NULL, 1, c, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclBatchSendRecv(&item, 1, c, s) == HCCL_E_PTR);
    item = (HcclSendRecvItem){(HcclSendRecvType)2, m, 1, INT32, 1};
    WRONG_UNLESS(HcclBatchSendRecv(&item, 1, c, s) == HCCL_E_PARA);
    WRONG_UNLESS(HcclBarrier(NULL, s) == HCCL_E_PTR);
    WRONG_UNLESS(HcclBarrier(c, NULL) == HCCL_E_PTR);
    WRONG_UNLESS(!aclrtFree(m));
    /* no call had an effect: the ranks are still in step */
    return sum_over(c, s, (int32_t)me->rank + 1, 3);
}

static void wrong_arguments_are_refused_without_effect(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_THREADS, 2, refuses), 0);
}

static void wrong_arguments_of_init_calls_are_refused(void **ctx)
{
    int32_t devices[] = {0, 1, 0, 99};
    HcclCommConfig config;
    HcclRootInfo root, none = {""};
    HcclComm comm, comms[4];

    (void)ctx;
    assert_int_equal(HcclGetRootInfo(&root), HCCL_E_RUNTIME); /* no card yet */
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(HcclGetRootInfo(NULL), HCCL_E_PTR);
    assert_int_equal(HcclGetRootInfo(&root), 0);
    assert_int_equal(HcclCommInitRootInfo(1, NULL, 0, &comm), HCCL_E_PTR);
    assert_int_equal(HcclCommInitRootInfo(1, &root, 0, NULL), HCCL_E_PTR);
    assert_int_equal(HcclCommInitRootInfo(0, &root, 0, &comm), HCCL_E_PARA);
    assert_int_equal(HcclCommInitRootInfo(2, &root, 2, &comm), HCCL_E_PARA);
    assert_int_equal(HcclCommInitRootInfo(1, &none, 0, &comm), HCCL_E_PARA);
    assert_int_equal(HcclCommInitRootInfo(65, &root, 0, &comm), HCCL_E_NOT_SUPPORT);
    assert_int_equal(HcclCommInitRootInfoConfig(1, &root, 0, NULL, &comm), HCCL_E_PTR);
    HcclCommConfigInit(&config);
    config.reserved[8] = 0; /* the magic number */
    assert_int_equal(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm),
                     HCCL_E_PARA);
    HcclCommConfigInit(&config);
    config.hcclBufferSize = 0;
    assert_int_equal(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm),
                     HCCL_E_PARA);
    assert_int_equal(HcclCommInitAll(0, devices, comms), HCCL_E_PARA);
    assert_int_equal(HcclCommInitAll(2, NULL, comms), HCCL_E_PTR);
    assert_int_equal(HcclCommInitAll(3, devices, comms), HCCL_E_PARA);
    assert_int_equal(HcclCommInitAll(1, &devices[3], comms), HCCL_E_PARA);
    assert_int_equal(HcclCommInitClusterInfo(NULL, 0, &comm), HCCL_E_PTR);
    assert_int_equal(HcclCommInitClusterInfo("/nowhere", 0, &comm),
                     HCCL_E_OPEN_FILE_FAILURE);
    assert_int_equal(HcclCommDestroy(NULL), HCCL_E_PTR);
    assert_int_equal(HcclCommDestroy(&config), HCCL_E_PARA);
    setenv("HCCL_CONNECT_TIMEOUT", "soon", 1);
    assert_int_equal(HcclCommInitRootInfo(1, &root, 0, &comm), HCCL_E_PARA);
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    assert_int_equal(HcclCommInitRootInfo(2, &root, 0, &comm), HCCL_E_TIMEOUT);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void one_thread_can_make_all_communicators(void **ctx)
{
    int32_t devices[] = {2, 0};
    uint32_t number = 9;
    HcclComm comms[2];

    (void)ctx;
    assert_int_equal(HcclCommInitAll(2, devices, comms), 0);
    assert_int_equal(HcclGetRankId(comms[1], &number), 0);
    assert_int_equal(number, 1);
    assert_int_equal(HcclCommDestroy(comms[0]), 0);
    assert_int_equal(HcclCommDestroy(comms[0]), HCCL_E_PARA);
    assert_int_equal(HcclCommDestroy(comms[1]), 0);
}

static void a_configured_name_is_unique_per_card(void **ctx)
{
    HcclCommConfig config;
    HcclRootInfo root;
    HcclComm comm, other;
    char name[128];

    (void)ctx;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(HcclGetRootInfo(&root), 0);
    HcclCommConfigInit(&config);
    strcpy(config.hcclCommName, "mine");
    assert_int_equal(HcclCommInitRootInfoConfig(1, &root, 0, &config, &comm), 0);
    assert_int_equal(HcclGetCommName(comm, name), 0);
    assert_string_equal(name, "mine");
    assert_int_equal(HcclCommInitRootInfoConfig(1, &root, 0, &config, &other),
                     HCCL_E_PARA);
    assert_int_equal(HcclCommDestroy(comm), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void settings_are_stored_and_errors_have_texts(void **ctx)
{
    HcclConfigValue value = {1};

    (void)ctx;
    assert_int_equal(HcclSetConfig(HCCL_DETERMINISTIC, value), 0);
    value.value = 0;
    assert_int_equal(HcclGetConfig(HCCL_DETERMINISTIC, &value), 0);
    assert_int_equal(value.value, 1);
    value.value = 3;
    assert_int_equal(HcclSetConfig(HCCL_DETERMINISTIC, value), HCCL_E_PARA);
    assert_int_equal(HcclGetConfig(HCCL_CONFIG_RESERVED, &value), HCCL_E_PARA);
    assert_int_equal(HcclGetConfig(HCCL_DETERMINISTIC, NULL), HCCL_E_PTR);
    assert_int_equal(HcclGetCommConfigCapability(), 12);
    for (int code = 0; code <= HCCL_E_OOM; code++)
        assert_non_null(HcclGetErrorString((HcclResult)code));
    assert_string_equal(HcclGetErrorString(HCCL_E_TIMEOUT), "timeout");
    assert_non_null(HcclGetErrorString((HcclResult)-1));
}

/* Even ranks form a communicator, odd ones do not; then all ranks continue together. */
static int even_ranks_form_a_part(struct rank *me)
{
    uint32_t evens[] = {0, 2}, wrong_order[] = {2, 0}, number;
    char name[128], whole[100], wanted[128];
    HcclComm part, again;
    HcclCommConfig config;

    HcclCommConfigInit(&config);
    if (me->rank % 2) {
        WRONG_UNLESS(!HcclCreateSubCommConfig(&me->comm, 0, NULL, 0xFFFFFFFFu, 0,
                                              &config, &part));
        WRONG_UNLESS(part == NULL);
        return sum_over(me->comm, me->stream, 1, 4);
    }
    WRONG_UNLESS(HcclCreateSubCommConfig(&me->comm, 2, NULL, 5, 0, &config, &part) ==
                 HCCL_E_PTR);
    WRONG_UNLESS(HcclCreateSubCommConfig(&me->comm, 2, wrong_order, 5, me->rank / 2,
                                         &config, &part) == HCCL_E_PARA);
    WRONG_UNLESS(HcclCreateSubCommConfig(&me->comm, 2, evens, 5, 1 - me->rank / 2,
                                         &config, &part) == HCCL_E_PARA);
    WRONG_UNLESS(
        !HcclCreateSubCommConfig(&me->comm, 2, evens, 5, me->rank / 2, &config, &part));
    WRONG_UNLESS(!HcclGetCommName(me->comm, whole) && !HcclGetCommName(part, name));
    snprintf(wanted, sizeof(wanted), "%s_sub_5", whole);
    WRONG_UNLESS(!strcmp(name, wanted));
    WRONG_UNLESS(!HcclGetRankSize(part, &number) && number == 2);
    WRONG_UNLESS(HcclCreateSubCommConfig(&part, 2, evens, 6, 0, &config, &again) ==
                 HCCL_E_NOT_SUPPORT);
    WRONG_UNLESS(!sum_over(part, me->stream, (int32_t)me->rank, 2));
    WRONG_UNLESS(!sum_over(me->comm, me->stream, 1, 4));
    WRONG_UNLESS(!HcclCommDestroy(part));
    return 0;
}

static void a_part_of_the_ranks_can_form_a_communicator(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 4, even_ranks_form_a_part), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 4, even_ranks_form_a_part), 0);
}

/* Uses the rows and columns of four ranks in turn, each on its own stream. */
static int crosswise(struct rank *me)
{
    uint32_t row[2] = {me->rank / 2 * 2, me->rank / 2 * 2 + 1};
    uint32_t column[2] = {me->rank % 2, me->rank % 2 + 2};
    HcclCommConfig config;
    HcclComm rows, columns;
    aclrtStream other;

    HcclCommConfigInit(&config);
    WRONG_UNLESS(!aclrtCreateStream(&other));
    WRONG_UNLESS(!HcclCreateSubCommConfig(&me->comm, 2, row, me->rank / 2, me->rank % 2,
                                          &config, &rows));
    WRONG_UNLESS(!HcclCreateSubCommConfig(&me->comm, 2, column, 10 + me->rank % 2,
                                          me->rank / 2, &config, &columns));
    for (int i = 0; i < 20; i++) {
        WRONG_UNLESS(!HcclBarrier(rows, me->stream) && !HcclBarrier(columns, other));
        WRONG_UNLESS(
            !sum_over(rows, me->stream, (int32_t)me->rank, (int32_t)(row[0] + row[1])));
        WRONG_UNLESS(!sum_over(columns, other, (int32_t)me->rank,
                               (int32_t)(column[0] + column[1])));
    }
    WRONG_UNLESS(!HcclCommDestroy(rows) && !HcclCommDestroy(columns));
    WRONG_UNLESS(!aclrtDestroyStream(other));
    return 0;
}

static void two_communicators_can_share_ranks_crosswise(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 4, crosswise), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 4, crosswise), 0);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Rank 0 calls one barrier more than the others. */
static int one_call_more(struct rank *me)
{
    uint64_t from = now_ms();
    HcclResult error;

    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    if (me->rank > 0)
        return 0;
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(aclrtSynchronizeStreamWithTimeout(me->stream, 100) ==
                 ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    WRONG_UNLESS(aclrtSynchronizeStream(me->stream) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    WRONG_UNLESS(now_ms() - from >= 1000);
    WRONG_UNLESS(!HcclGetCommAsyncError(me->comm, &error) && error == HCCL_E_TIMEOUT);
    WRONG_UNLESS(HcclBarrier(me->comm, me->stream) == HCCL_E_TIMEOUT);
    return 0;
}

static void a_call_without_its_peers_hangs_until_the_time_limit(void **ctx)
{
    (void)ctx;
    setenv("HCCL_EXEC_TIMEOUT", "1", 1);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, one_call_more), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 3, one_call_more), 0);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
}

static int last_one_dies(struct rank *me)
{
    HcclResult error;

    WRONG_UNLESS(!sum_over(me->comm, me->stream, 1, 3));
    if (me->rank == 2)
        kill(getpid(), SIGKILL);
    /* another rank may have noticed the failure before this one calls */
    error = HcclBarrier(me->comm, me->stream);
    WRONG_UNLESS(error == HCCL_E_REMOTE || aclrtSynchronizeStream(me->stream) ==
                                               ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    WRONG_UNLESS(!HcclGetCommAsyncError(me->comm, &error) && error == HCCL_E_REMOTE);
    return 0;
}

static void a_dead_peer_fails_the_communicator(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, last_one_dies), -1);
}

static int disagree(struct rank *me)
{
    aclError error;
    void *memory;

    WRONG_UNLESS(!aclrtMalloc(&memory, 64, FIRST));
    WRONG_UNLESS(
        !HcclAllReduce(memory, memory, 1 + me->rank, INT32, SUM, me->comm, me->stream));
    error = aclrtSynchronizeStream(me->stream);
    WRONG_UNLESS(error == ACL_ERROR_RT_AICPU_EXCEPTION ||
                 error == ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    WRONG_UNLESS(HcclBarrier(me->comm, me->stream) == HCCL_E_PARA);
    WRONG_UNLESS(!aclrtFree(memory));
    return 0;
}

static void calls_that_do_not_match_fail(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_THREADS, 2, disagree), 0);
}

static int is_aborted(struct rank *me)
{
    if (me->rank == 0) {
        WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
        WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
        WRONG_UNLESS(!aclrtStreamAbort(me->stream));
        WRONG_UNLESS(HcclBarrier(me->comm, me->stream) == HCCL_E_REMOTE);
        WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    }
    return 0;
}

static void an_aborted_stream_stops_waiting(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, is_aborted), 0);
}

/* The task log contains the start of the collective's wait and its end. */
static int is_in_the_task_log(struct rank *me)
{
    prof_stars_log_config_t config = {.acsq_task = 1};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};
    uint64_t count = 1 << 20, ticks[2];
    uint8_t records[2][64];
    uint16_t ids[4];
    void *memory;

    WRONG_UNLESS(!aclrtMalloc(&memory, count * 4, FIRST));
    WRONG_UNLESS(!prof_drv_start(me->rank, CHANNEL_STARS_SOC_LOG, &para));
    WRONG_UNLESS(
        !HcclAllReduce(memory, memory, count, INT32, SUM, me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    WRONG_UNLESS(prof_channel_read(me->rank, CHANNEL_STARS_SOC_LOG, (char *)records,
                                   sizeof(records)) == sizeof(records));
    WRONG_UNLESS(!prof_stop(me->rank, CHANNEL_STARS_SOC_LOG));
    WRONG_UNLESS((records[0][0] & 63) == 0 && (records[1][0] & 63) == 1);
    memcpy(ids, &records[0][4], 4);
    memcpy(ids + 2, &records[1][4], 4);
    WRONG_UNLESS(ids[0] == ids[2] && ids[1] == ids[3]); /* stream and task */
    memcpy(&ticks[0], &records[0][8], 8);
    memcpy(&ticks[1], &records[1][8], 8);
    /* 2 rounds of 5 us, and 4 MiB over a link of 28 GB/s; a tick is 20 ns */
    WRONG_UNLESS((ticks[1] - ticks[0]) * 20 >= 10000 + count * 4 / 28);
    WRONG_UNLESS(!aclrtFree(memory));
    return 0;
}

static void the_task_log_contains_the_time_of_a_collective(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, is_in_the_task_log), 0);
}

static const char *table_path;

static int join_by_table(struct rank *me)
{
    HcclComm comm;

    WRONG_UNLESS(HcclCommInitClusterInfo(table_path, 2, &comm) == HCCL_E_PARA);
    WRONG_UNLESS(HcclCommInitClusterInfo(table_path, me->rank, &comm) == HCCL_E_PARA);
    WRONG_UNLESS(!HcclCommInitClusterInfo(table_path, 1 - me->rank, &comm));
    WRONG_UNLESS(!sum_over(comm, me->stream, (int32_t)me->rank + 1, 3));
    WRONG_UNLESS(!HcclCommDestroy(comm));
    return 0;
}

static void ranks_can_join_through_a_rank_table(void **ctx)
{
    /* the ranks are in the reverse order of the cards */
    static const char text[] =
        "{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"1\","
        "\"server_list\":[{\"server_id\":\"node_0\",\"device\":["
        "{\"device_id\":\"1\",\"rank_id\":\"0\"},"
        "{\"device_id\":\"0\",\"rank_id\":\"1\"}]}]}";
    char path[] = "/tmp/npu_sim_table_XXXXXX";
    int fd = mkstemp(path);

    (void)ctx;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    table_path = path;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, join_by_table), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 2, join_by_table), 0);
    unlink(path);
}

int main(void)
{
    /* tests that use a card in this process come last: the process cannot fork after
     * them */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_peer_fails_the_communicator),
        cmocka_unit_test(an_aborted_stream_stops_waiting),
        cmocka_unit_test(a_communicator_returns_its_rank_size_and_name),
        cmocka_unit_test(a_part_of_the_ranks_can_form_a_communicator),
        cmocka_unit_test(two_communicators_can_share_ranks_crosswise),
        cmocka_unit_test(a_call_without_its_peers_hangs_until_the_time_limit),
        cmocka_unit_test(the_task_log_contains_the_time_of_a_collective),
        cmocka_unit_test(ranks_can_join_through_a_rank_table),
        cmocka_unit_test(wrong_arguments_are_refused_without_effect),
        cmocka_unit_test(calls_that_do_not_match_fail),
        cmocka_unit_test(wrong_arguments_of_init_calls_are_refused),
        cmocka_unit_test(one_thread_can_make_all_communicators),
        cmocka_unit_test(a_configured_name_is_unique_per_card),
        cmocka_unit_test(settings_are_stored_and_errors_have_texts),
    };

    setenv("NPU_SIM_CARDS", "8", 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
