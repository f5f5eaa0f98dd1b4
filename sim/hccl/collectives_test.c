#include <hccl/hccl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/ranks.h"
#include "tests/support/unit.h"

#define N_MAX 8

static const HcclDataType types[] = {
    HCCL_DATA_TYPE_INT8,   HCCL_DATA_TYPE_INT16, HCCL_DATA_TYPE_INT32,
    HCCL_DATA_TYPE_FP16,   HCCL_DATA_TYPE_FP32,  HCCL_DATA_TYPE_INT64,
    HCCL_DATA_TYPE_UINT64, HCCL_DATA_TYPE_UINT8, HCCL_DATA_TYPE_UINT16,
    HCCL_DATA_TYPE_UINT32, HCCL_DATA_TYPE_FP64,  HCCL_DATA_TYPE_BFP16,
};
#define TYPES (sizeof(types) / sizeof(types[0]))

/* Small enough that no type rounds them, whatever is done to those of 8 ranks. */
static int64_t value(uint32_t rank, uint64_t i)
{
    return (int64_t)((rank * 7 + i * 3 + i / 5) % 2) + 1;
}

static uint32_t size_of(HcclDataType type)
{
    static const uint8_t sizes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2};

    return sizes[type];
}

/* Floats of two bytes by a way of their own: only powers and small numbers occur. */
static uint64_t short_float(int64_t number, int fraction_bits, int bias)
{
    int exponent = 63 - __builtin_clzll((uint64_t)number);
    uint64_t rest = (uint64_t)number - (1ull << exponent);

    return ((uint64_t)(exponent + bias) << fraction_bits) |
           (exponent <= fraction_bits ? rest << (fraction_bits - exponent)
                                      : rest >> (exponent - fraction_bits));
}

static void put(void *buffer, HcclDataType type, uint64_t i, int64_t number)
{
    uint64_t bits = (uint64_t)number;
    float single = (float)number;
    double wide = (double)number;

    if (type == HCCL_DATA_TYPE_FP16)
        bits = short_float(number, 10, 15);
    else if (type == HCCL_DATA_TYPE_BFP16)
        bits = short_float(number, 7, 127);
    else if (type == HCCL_DATA_TYPE_FP32)
        memcpy(&bits, &single, 4);
    else if (type == HCCL_DATA_TYPE_FP64)
        memcpy(&bits, &wide, 8);
    memcpy((char *)buffer + i * size_of(type), &bits, size_of(type));
}

static int64_t reduced(HcclReduceOp op, uint32_t ranks, uint64_t i)
{
    int64_t result = value(0, i);

    for (uint32_t rank = 1; rank < ranks; rank++) {
        int64_t next = value(rank, i);

        result = op == HCCL_REDUCE_SUM    ? result + next
                 : op == HCCL_REDUCE_PROD ? result * next
                 : op == HCCL_REDUCE_MAX  ? (next > result ? next : result)
                                          : (next < result ? next : result);
    }
    return result;
}

/* Buffers on the card and their pictures on the host. */
struct desk {
    HcclDataType type;
    uint64_t bytes;
    void *send, *receive;
    char *host, *wanted;
};

static bool desk_open(struct desk *desk, HcclDataType type, uint64_t elements)
{
    desk->type = type;
    desk->bytes = elements * size_of(type);
    desk->host = calloc(1, desk->bytes);
    desk->wanted = calloc(1, desk->bytes);
    return !aclrtMalloc(&desk->send, desk->bytes, ACL_MEM_MALLOC_HUGE_FIRST) &&
           !aclrtMalloc(&desk->receive, desk->bytes, ACL_MEM_MALLOC_HUGE_FIRST) &&
           !aclrtMemset(desk->receive, desk->bytes, 0, desk->bytes);
}

static void desk_fill(struct desk *desk, uint32_t rank)
{
    for (uint64_t i = 0; i < desk->bytes / size_of(desk->type); i++)
        put(desk->host, desk->type, i, value(rank, i));
    memset(desk->wanted, 0, desk->bytes);
    aclrtMemset(desk->receive, desk->bytes, 0, desk->bytes);
    aclrtMemcpy(desk->send, desk->bytes, desk->host, desk->bytes,
                ACL_MEMCPY_HOST_TO_DEVICE);
}

static void want(struct desk *desk, uint64_t i, int64_t number)
{
    put(desk->wanted, desk->type, i, number);
}

static bool desk_is(struct desk *desk, aclrtStream stream, const void *buffer)
{
    return !aclrtSynchronizeStream(stream) &&
           !aclrtMemcpy(desk->host, desk->bytes, buffer, desk->bytes,
                        ACL_MEMCPY_DEVICE_TO_HOST) &&
           !memcmp(desk->host, desk->wanted, desk->bytes);
}

static void desk_close(struct desk *desk)
{
    aclrtFree(desk->send);
    aclrtFree(desk->receive);
    free(desk->host);
    free(desk->wanted);
}

static int reduce_all_ways(struct rank *me, struct desk *desk, uint64_t count)
{
    for (int op = HCCL_REDUCE_SUM; op <= HCCL_REDUCE_MIN; op++) {
        uint32_t root = (uint32_t)op % me->ranks;

        desk_fill(desk, me->rank);
        for (uint64_t i = 0; i < count; i++)
            want(desk, i, reduced((HcclReduceOp)op, me->ranks, i));
        WRONG_UNLESS(!HcclAllReduce(desk->send, desk->receive, count, desk->type,
                                    (HcclReduceOp)op, me->comm, me->stream));
        WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));

        desk_fill(desk, me->rank);
        for (uint64_t i = 0; i < count && me->rank == root; i++)
            want(desk, i, reduced((HcclReduceOp)op, me->ranks, i));
        WRONG_UNLESS(!HcclReduce(desk->send, desk->receive, count, desk->type,
                                 (HcclReduceOp)op, root, me->comm, me->stream));
        WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));

        desk_fill(desk, me->rank);
        for (uint64_t i = 0; i < count; i++)
            want(desk, i, reduced((HcclReduceOp)op, me->ranks, me->rank * count + i));
        WRONG_UNLESS(!HcclReduceScatter(desk->send, desk->receive, count, desk->type,
                                        (HcclReduceOp)op, me->comm, me->stream));
        WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));
    }
    return 0;
}

static int move_all_ways(struct rank *me, struct desk *desk, uint64_t count)
{
    uint32_t root = me->ranks - 1;

    desk_fill(desk, me->rank);
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint64_t i = 0; i < count; i++)
            want(desk, from * count + i, value(from, i));
    WRONG_UNLESS(!HcclAllGather(desk->send, desk->receive, count, desk->type, me->comm,
                                me->stream));
    WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));

    desk_fill(desk, me->rank);
    for (uint64_t i = 0; i < count; i++)
        want(desk, i, value(root, me->rank * count + i));
    WRONG_UNLESS(!HcclScatter(desk->send, desk->receive, count, desk->type, root,
                              me->comm, me->stream));
    WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));

    desk_fill(desk, me->rank);
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint64_t i = 0; i < count; i++)
            want(desk, from * count + i, value(from, me->rank * count + i));
    WRONG_UNLESS(!HcclAlltoAll(desk->send, count, desk->type, desk->receive, count,
                               desk->type, me->comm, me->stream));
    WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));

    desk_fill(desk, me->rank);
    for (uint64_t i = 0; i < desk->bytes / size_of(desk->type); i++)
        want(desk, i, value(i < count ? root : me->rank, i));
    WRONG_UNLESS(
        !HcclBroadcast(desk->send, count, desk->type, root, me->comm, me->stream));
    WRONG_UNLESS(desk_is(desk, me->stream, desk->send));
    return 0;
}

static int uneven_ways(struct rank *me, struct desk *desk, uint64_t count)
{
    uint64_t send[N_MAX], send_at[N_MAX], take[N_MAX], take_at[N_MAX];
    uint64_t matrix[N_MAX * N_MAX], sum = 0;

    /* rank r has (r + to) % 3 times count elements for rank `to` */
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint32_t to = 0; to < me->ranks; to++)
            matrix[from * me->ranks + to] = (from + to) % 3 * (count / 2);
    for (uint32_t peer = 0, at = 0, behind = 0; peer < me->ranks; peer++) {
        send[peer] = matrix[me->rank * me->ranks + peer];
        take[peer] = matrix[peer * me->ranks + me->rank];
        send_at[peer] = at;
        take_at[peer] = behind;
        at += (uint32_t)send[peer];
        behind += (uint32_t)take[peer];
    }
    for (int way = 0; way < 2; way++) {
        desk_fill(desk, me->rank);
        for (uint32_t from = 0; from < me->ranks; from++) {
            uint64_t at = 0;

            for (uint32_t to = 0; to < me->rank; to++)
                at += matrix[from * me->ranks + to];
            for (uint64_t i = 0; i < take[from]; i++)
                want(desk, take_at[from] + i, value(from, at + i));
        }
        WRONG_UNLESS(
            !(way ? HcclAlltoAllV(desk->send, send, send_at, desk->type, desk->receive,
                                  take, take_at, desk->type, me->comm, me->stream)
                  : HcclAlltoAllVC(desk->send, matrix, desk->type, desk->receive,
                                   desk->type, me->comm, me->stream)));
        WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));
    }
    for (uint32_t peer = 0; peer < me->ranks; peer++) {
        take[peer] = peer % 2 ? count : count / 2;
        take_at[peer] = sum;
        sum += take[peer];
    }
    desk_fill(desk, me->rank);
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint64_t i = 0; i < take[from]; i++)
            want(desk, take_at[from] + i, value(from, i));
    WRONG_UNLESS(!HcclAllGatherV(desk->send, take[me->rank], desk->receive, take,
                                 take_at, desk->type, me->comm, me->stream));
    WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));
    desk_fill(desk, me->rank);
    for (uint64_t i = 0; i < take[me->rank]; i++)
        want(desk, i, reduced(HCCL_REDUCE_SUM, me->ranks, take_at[me->rank] + i));
    WRONG_UNLESS(!HcclReduceScatterV(desk->send, take, take_at, desk->receive,
                                     take[me->rank], desk->type, HCCL_REDUCE_SUM,
                                     me->comm, me->stream));
    WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));
    return 0;
}

/* Around the ring: even ranks send first; then all at once with a batch. */
static int pair_ways(struct rank *me, struct desk *desk, uint64_t count)
{
    uint32_t right = (me->rank + 1) % me->ranks;
    uint32_t left = (me->rank + me->ranks - 1) % me->ranks;
    HcclSendRecvItem items[] = {
        {HCCL_RECV, desk->receive, count, desk->type, left},
        {HCCL_SEND, desk->send, count, desk->type, right},
    };

    for (int way = 0; way < 2; way++) {
        desk_fill(desk, me->rank);
        for (uint64_t i = 0; i < count; i++)
            want(desk, i, value(left, i));
        if (way) {
            WRONG_UNLESS(!HcclBatchSendRecv(items, 2, me->comm, me->stream));
        } else {
            aclrtStream other;

            WRONG_UNLESS(!aclrtCreateStream(&other));
            WRONG_UNLESS(
                !HcclSend(desk->send, count, desk->type, right, me->comm, other));
            WRONG_UNLESS(!HcclRecv(desk->receive, count, desk->type, left, me->comm,
                                   me->stream));
            WRONG_UNLESS(!aclrtSynchronizeStream(other));
            WRONG_UNLESS(!aclrtDestroyStream(other));
        }
        WRONG_UNLESS(desk_is(desk, me->stream, desk->receive));
    }
    return 0;
}

static int everything(struct rank *me)
{
    static const uint64_t counts[] = {1, 100};

    for (size_t t = 0; t < TYPES; t++)
        for (size_t c = 0; c < 2; c++) {
            struct desk desk;
            int wrong;

            WRONG_UNLESS(desk_open(&desk, types[t], counts[c] * 2 * me->ranks));
            wrong = reduce_all_ways(me, &desk, counts[c]);
            if (!wrong)
                wrong = move_all_ways(me, &desk, counts[c]);
            if (!wrong)
                wrong = uneven_ways(me, &desk, counts[c]);
            if (!wrong)
                wrong = pair_ways(me, &desk, counts[c]);
            desk_close(&desk);
            if (wrong)
                return wrong;
        }
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    return 0;
}

/* More than the windows hold, and not a multiple of anything. */
static int large_pieces(struct rank *me)
{
    uint64_t count = 150001;
    struct desk desk;
    int wrong;

    WRONG_UNLESS(desk_open(&desk, HCCL_DATA_TYPE_FP32, count * 2 * me->ranks));
    wrong = reduce_all_ways(me, &desk, count);
    if (!wrong)
        wrong = move_all_ways(me, &desk, count);
    if (!wrong)
        wrong = uneven_ways(me, &desk, count);
    if (!wrong)
        wrong = pair_ways(me, &desk, count);
    desk_close(&desk);
    return wrong;
}

static int in_place(struct rank *me)
{
    struct desk desk;

    WRONG_UNLESS(desk_open(&desk, HCCL_DATA_TYPE_INT32, 300000));
    desk_fill(&desk, me->rank);
    for (uint64_t i = 0; i < 300000; i++)
        want(&desk, i, reduced(HCCL_REDUCE_SUM, me->ranks, i));
    WRONG_UNLESS(!HcclAllReduce(desk.send, desk.send, 300000, desk.type,
                                HCCL_REDUCE_SUM, me->comm, me->stream));
    WRONG_UNLESS(desk_is(&desk, me->stream, desk.send));
    desk_close(&desk);
    return 0;
}

static void processes_compute_what_one_would(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, everything), 0);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 5, everything), 0);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, large_pieces), 0);
}

static void threads_compute_what_one_would(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_THREADS, 2, everything), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 8, everything), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 2, large_pieces), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 4, in_place), 0);
}

static void two_hosts_compute_what_one_would(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_HOSTS, 4, everything), 0);
    assert_int_equal(ranks_run(RANKS_HOSTS, 3, large_pieces), 0);
    assert_int_equal(ranks_run(RANKS_HOST_THREADS, 5, everything), 0);
    assert_int_equal(ranks_run(RANKS_HOST_ROOT, 4, everything), 0);
    assert_int_equal(ranks_run(RANKS_HOST_ROOT, 4, large_pieces), 0);
    assert_int_equal(ranks_run(RANKS_HOSTS, 6, in_place), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_compute_what_one_would),
        cmocka_unit_test(threads_compute_what_one_would),
        cmocka_unit_test(two_hosts_compute_what_one_would),
    };

    setenv("NPU_SIM_CARDS", "8", 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
