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

/* Values so small that no type rounds them in reductions over 8 ranks. */
static int64_t value(uint32_t rank, uint64_t i)
{
    return (int64_t)((rank * 7 + i * 3 + i / 5) % 2) + 1;
}

static uint32_t size_of(HcclDataType type)
{
    static const uint8_t sizes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2};

    return sizes[type];
}

/* Converts two-byte floats independently of the library; only powers of two and small
 * numbers occur. */
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

/* Buffers on the card, and their copies and expected contents on the host. */
struct buffers {
    HcclDataType type;
    uint64_t bytes;
    void *send, *receive;
    char *host, *wanted;
};

static bool buffers_open(struct buffers *buffers, HcclDataType type, uint64_t elements)
{
    buffers->type = type;
    buffers->bytes = elements * size_of(type);
    buffers->host = calloc(1, buffers->bytes);
    buffers->wanted = calloc(1, buffers->bytes);
    return !aclrtMalloc(&buffers->send, buffers->bytes, ACL_MEM_MALLOC_HUGE_FIRST) &&
           !aclrtMalloc(&buffers->receive, buffers->bytes, ACL_MEM_MALLOC_HUGE_FIRST) &&
           !aclrtMemset(buffers->receive, buffers->bytes, 0, buffers->bytes);
}

static void buffers_fill(struct buffers *buffers, uint32_t rank)
{
    for (uint64_t i = 0; i < buffers->bytes / size_of(buffers->type); i++)
        put(buffers->host, buffers->type, i, value(rank, i));
    memset(buffers->wanted, 0, buffers->bytes);
    aclrtMemset(buffers->receive, buffers->bytes, 0, buffers->bytes);
    aclrtMemcpy(buffers->send, buffers->bytes, buffers->host, buffers->bytes,
                ACL_MEMCPY_HOST_TO_DEVICE);
}

static void want(struct buffers *buffers, uint64_t i, int64_t number)
{
    put(buffers->wanted, buffers->type, i, number);
}

static bool buffers_is(struct buffers *buffers, aclrtStream stream, const void *buffer)
{
    return !aclrtSynchronizeStream(stream) &&
           !aclrtMemcpy(buffers->host, buffers->bytes, buffer, buffers->bytes,
                        ACL_MEMCPY_DEVICE_TO_HOST) &&
           !memcmp(buffers->host, buffers->wanted, buffers->bytes);
}

static void buffers_close(struct buffers *buffers)
{
    aclrtFree(buffers->send);
    aclrtFree(buffers->receive);
    free(buffers->host);
    free(buffers->wanted);
}

static int reduce_all_ways(struct rank *me, struct buffers *buffers, uint64_t count)
{
    for (int op = HCCL_REDUCE_SUM; op <= HCCL_REDUCE_MIN; op++) {
        uint32_t root = (uint32_t)op % me->ranks;

        buffers_fill(buffers, me->rank);
        for (uint64_t i = 0; i < count; i++)
            want(buffers, i, reduced((HcclReduceOp)op, me->ranks, i));
        WRONG_UNLESS(!HcclAllReduce(buffers->send, buffers->receive, count,
                                    buffers->type, (HcclReduceOp)op, me->comm,
                                    me->stream));
        WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));

        buffers_fill(buffers, me->rank);
        for (uint64_t i = 0; i < count && me->rank == root; i++)
            want(buffers, i, reduced((HcclReduceOp)op, me->ranks, i));
        WRONG_UNLESS(!HcclReduce(buffers->send, buffers->receive, count, buffers->type,
                                 (HcclReduceOp)op, root, me->comm, me->stream));
        WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));

        buffers_fill(buffers, me->rank);
        for (uint64_t i = 0; i < count; i++)
            want(buffers, i,
                 reduced((HcclReduceOp)op, me->ranks, me->rank * count + i));
        WRONG_UNLESS(!HcclReduceScatter(buffers->send, buffers->receive, count,
                                        buffers->type, (HcclReduceOp)op, me->comm,
                                        me->stream));
        WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));
    }
    return 0;
}

static int move_all_ways(struct rank *me, struct buffers *buffers, uint64_t count)
{
    uint32_t root = me->ranks - 1;

    buffers_fill(buffers, me->rank);
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint64_t i = 0; i < count; i++)
            want(buffers, from * count + i, value(from, i));
    WRONG_UNLESS(!HcclAllGather(buffers->send, buffers->receive, count, buffers->type,
                                me->comm, me->stream));
    WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));

    buffers_fill(buffers, me->rank);
    for (uint64_t i = 0; i < count; i++)
        want(buffers, i, value(root, me->rank * count + i));
    WRONG_UNLESS(!HcclScatter(buffers->send, buffers->receive, count, buffers->type,
                              root, me->comm, me->stream));
    WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));

    buffers_fill(buffers, me->rank);
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint64_t i = 0; i < count; i++)
            want(buffers, from * count + i, value(from, me->rank * count + i));
    WRONG_UNLESS(!HcclAlltoAll(buffers->send, count, buffers->type, buffers->receive,
                               count, buffers->type, me->comm, me->stream));
    WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));

    buffers_fill(buffers, me->rank);
    for (uint64_t i = 0; i < buffers->bytes / size_of(buffers->type); i++)
        want(buffers, i, value(i < count ? root : me->rank, i));
    WRONG_UNLESS(!HcclBroadcast(buffers->send, count, buffers->type, root, me->comm,
                                me->stream));
    WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->send));
    return 0;
}

static int uneven_ways(struct rank *me, struct buffers *buffers, uint64_t count)
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
        buffers_fill(buffers, me->rank);
        for (uint32_t from = 0; from < me->ranks; from++) {
            uint64_t at = 0;

            for (uint32_t to = 0; to < me->rank; to++)
                at += matrix[from * me->ranks + to];
            for (uint64_t i = 0; i < take[from]; i++)
                want(buffers, take_at[from] + i, value(from, at + i));
        }
        WRONG_UNLESS(!(way ? HcclAlltoAllV(buffers->send, send, send_at, buffers->type,
                                           buffers->receive, take, take_at,
                                           buffers->type, me->comm, me->stream)
                           : HcclAlltoAllVC(buffers->send, matrix, buffers->type,
                                            buffers->receive, buffers->type, me->comm,
                                            me->stream)));
        WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));
    }
    for (uint32_t peer = 0; peer < me->ranks; peer++) {
        take[peer] = peer % 2 ? count : count / 2;
        take_at[peer] = sum;
        sum += take[peer];
    }
    buffers_fill(buffers, me->rank);
    for (uint32_t from = 0; from < me->ranks; from++)
        for (uint64_t i = 0; i < take[from]; i++)
            want(buffers, take_at[from] + i, value(from, i));
    WRONG_UNLESS(!HcclAllGatherV(buffers->send, take[me->rank], buffers->receive, take,
                                 take_at, buffers->type, me->comm, me->stream));
    WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));
    buffers_fill(buffers, me->rank);
    for (uint64_t i = 0; i < take[me->rank]; i++)
        want(buffers, i, reduced(HCCL_REDUCE_SUM, me->ranks, take_at[me->rank] + i));
    WRONG_UNLESS(!HcclReduceScatterV(buffers->send, take, take_at, buffers->receive,
                                     take[me->rank], buffers->type, HCCL_REDUCE_SUM,
                                     me->comm, me->stream));
    WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));
    return 0;
}

/* Sends around a ring: even ranks send first; then all at once with a batch. */
static int pair_ways(struct rank *me, struct buffers *buffers, uint64_t count)
{
    uint32_t right = (me->rank + 1) % me->ranks;
    uint32_t left = (me->rank + me->ranks - 1) % me->ranks;
    HcclSendRecvItem items[] = {
        {HCCL_RECV, buffers->receive, count, buffers->type, left},
        {HCCL_SEND, buffers->send, count, buffers->type, right},
    };

    for (int way = 0; way < 2; way++) {
        buffers_fill(buffers, me->rank);
        for (uint64_t i = 0; i < count; i++)
            want(buffers, i, value(left, i));
        if (way) {
            WRONG_UNLESS(!HcclBatchSendRecv(items, 2, me->comm, me->stream));
        } else {
            aclrtStream other;

            WRONG_UNLESS(!aclrtCreateStream(&other));
            WRONG_UNLESS(
                !HcclSend(buffers->send, count, buffers->type, right, me->comm, other));
            WRONG_UNLESS(!HcclRecv(buffers->receive, count, buffers->type, left,
                                   me->comm, me->stream));
            WRONG_UNLESS(!aclrtSynchronizeStream(other));
            WRONG_UNLESS(!aclrtDestroyStream(other));
        }
        WRONG_UNLESS(buffers_is(buffers, me->stream, buffers->receive));
    }
    return 0;
}

static int everything(struct rank *me)
{
    static const uint64_t counts[] = {1, 100};

    for (size_t t = 0; t < TYPES; t++)
        for (size_t c = 0; c < 2; c++) {
            struct buffers buffers;
            int wrong;

            WRONG_UNLESS(buffers_open(&buffers, types[t], counts[c] * 2 * me->ranks));
            wrong = reduce_all_ways(me, &buffers, counts[c]);
            if (!wrong)
                wrong = move_all_ways(me, &buffers, counts[c]);
            if (!wrong)
                wrong = uneven_ways(me, &buffers, counts[c]);
            if (!wrong)
                wrong = pair_ways(me, &buffers, counts[c]);
            buffers_close(&buffers);
            if (wrong)
                return wrong;
        }
    WRONG_UNLESS(!HcclBarrier(me->comm, me->stream));
    WRONG_UNLESS(!aclrtSynchronizeStream(me->stream));
    return 0;
}

/* More elements than the windows hold, and no round number. */
static int large_pieces(struct rank *me)
{
    uint64_t count = 150001;
    struct buffers buffers;
    int wrong;

    WRONG_UNLESS(buffers_open(&buffers, HCCL_DATA_TYPE_FP32, count * 2 * me->ranks));
    wrong = reduce_all_ways(me, &buffers, count);
    if (!wrong)
        wrong = move_all_ways(me, &buffers, count);
    if (!wrong)
        wrong = uneven_ways(me, &buffers, count);
    if (!wrong)
        wrong = pair_ways(me, &buffers, count);
    buffers_close(&buffers);
    return wrong;
}

static int in_place(struct rank *me)
{
    struct buffers buffers;

    WRONG_UNLESS(buffers_open(&buffers, HCCL_DATA_TYPE_INT32, 300000));
    buffers_fill(&buffers, me->rank);
    for (uint64_t i = 0; i < 300000; i++)
        want(&buffers, i, reduced(HCCL_REDUCE_SUM, me->ranks, i));
    WRONG_UNLESS(!HcclAllReduce(buffers.send, buffers.send, 300000, buffers.type,
                                HCCL_REDUCE_SUM, me->comm, me->stream));
    WRONG_UNLESS(buffers_is(&buffers, me->stream, buffers.send));
    buffers_close(&buffers);
    return 0;
}

static void processes_compute_the_right_results(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_PROCESSES, 2, everything), 0);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 5, everything), 0);
    assert_int_equal(ranks_run(RANKS_PROCESSES, 3, large_pieces), 0);
}

static void threads_compute_the_right_results(void **ctx)
{
    (void)ctx;
    assert_int_equal(ranks_run(RANKS_THREADS, 2, everything), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 8, everything), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 2, large_pieces), 0);
    assert_int_equal(ranks_run(RANKS_THREADS, 4, in_place), 0);
}

static void two_hosts_compute_the_right_results(void **ctx)
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
        cmocka_unit_test(processes_compute_the_right_results),
        cmocka_unit_test(threads_compute_the_right_results),
        cmocka_unit_test(two_hosts_compute_the_right_results),
    };

    setenv("NPU_SIM_CARDS", "8", 1);
    setenv("HCCL_CONNECT_TIMEOUT", "60", 1);
    setenv("HCCL_EXEC_TIMEOUT", "60", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
