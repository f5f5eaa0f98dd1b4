/* collectives.c - HcclX: sources and destinations of each collective */
#include <hccl/hccl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hccl/element.h"
#include "sim/hccl/exchange.h"
#include "sim/runtime/stream/outside.h"

/* the vendor's numbers of the operations */
enum kind {
    BROADCAST = 1,
    ALL_REDUCE = 2,
    REDUCE = 3,
    ALL_GATHER = 6,
    REDUCE_SCATTER = 7,
    ALL_TO_ALL_V = 8,
    ALL_TO_ALL_VC = 9,
    ALL_TO_ALL = 10,
    SCATTER = 12,
    ALL_GATHER_V = 16,
    REDUCE_SCATTER_V = 17,
    BARRIER = 103,
};

/* Properties of each collective: rounds and links in the model of time; whether a rank
 * sends the same to all; whether results are reduced, and equally on all ranks. */
static const struct way {
    const char *name;
    struct cost_way cost;
    bool same_for_all, reduces, is_shared;
} ways[] = {
    [BROADCAST] = {"HcclBroadcast", {2, true}, true, false, false},
    [ALL_REDUCE] = {"HcclAllReduce", {2, true}, true, true, true},
    [REDUCE] = {"HcclReduce", {2, true}, true, true, false},
    [ALL_GATHER] = {"HcclAllGather", {1, false}, true, false, false},
    [REDUCE_SCATTER] = {"HcclReduceScatter", {1, false}, false, true, false},
    [ALL_TO_ALL_V] = {"HcclAlltoAllV", {1, false}, false, false, false},
    [ALL_TO_ALL_VC] = {"HcclAlltoAllVC", {1, false}, false, false, false},
    [ALL_TO_ALL] = {"HcclAlltoAll", {1, false}, false, false, false},
    [SCATTER] = {"HcclScatter", {1, false}, false, false, false},
    [ALL_GATHER_V] = {"HcclAllGatherV", {1, false}, true, false, false},
    [REDUCE_SCATTER_V] = {"HcclReduceScatterV", {1, false}, false, true, false},
    [BARRIER] = {"HcclBarrier", {1, false}, false, false, false},
};

/* State of one call; an error in `result` skips the remaining steps. */
struct call {
    HcclResult result;
    struct comm *comm;
    struct exchange *exchange;
    aclrtStream stream;
    uint64_t size; /* of an element */
    uint32_t ranks, rank;
};

static void fail(struct call *call, HcclResult result)
{
    if (!call->result)
        call->result = result;
}

static struct call begin(enum kind kind, HcclComm handle, aclrtStream stream)
{
    struct call call = {.stream = stream};
    int32_t device;
    uint32_t card;

    if (!handle || !stream) {
        call.result = HCCL_E_PTR;
        return call;
    }
    call.comm = comm_take(handle);
    if (!call.comm) {
        call.result = HCCL_E_PARA;
        return call;
    }
    if (npu_sim_current_card(&card, &device) || device != comm_place(call.comm)->device)
        call.result = HCCL_E_RUNTIME;
    else
        call.result = group_failure(comm_group(call.comm));
    call.ranks = comm_ranks(call.comm);
    call.rank = comm_rank(call.comm);
    call.exchange = exchange_create(call.ranks);
    if (!call.exchange) {
        fail(&call, HCCL_E_MEMORY);
        return call;
    }
    call.exchange->announced.kind = kind;
    call.exchange->operation.name = ways[kind].name;
    call.exchange->way = ways[kind].cost;
    call.exchange->same_for_all = ways[kind].same_for_all;
    call.exchange->reduces = ways[kind].reduces;
    call.exchange->is_shared = ways[kind].is_shared;
    return call;
}

static void check_type(struct call *call, HcclDataType type)
{
    call->size = element_size(type);
    if (call->size == 0)
        fail(call, HCCL_E_NOT_SUPPORT);
    if (call->exchange)
        call->exchange->announced.type = type;
}

static void check_count(struct call *call, uint64_t count)
{
    if (count > EXCHANGE_COUNT_MAX)
        fail(call, HCCL_E_PARA);
    if (call->exchange)
        call->exchange->announced.count = count;
}

static void check_op(struct call *call, HcclDataType type, HcclReduceOp op)
{
    if ((unsigned)op > HCCL_REDUCE_MIN || !element_can_reduce(type))
        fail(call, HCCL_E_NOT_SUPPORT);
    if (call->exchange)
        call->exchange->announced.op = op;
}

static void check_root(struct call *call, uint32_t root)
{
    if (call->comm && root >= call->ranks)
        fail(call, HCCL_E_PARA);
    if (call->exchange)
        call->exchange->announced.root = root;
}

/* Checks that a buffer is device memory up to the end of its parts. */
static void check_reach(struct call *call, const void *buffer, const struct part *parts)
{
    uint64_t reach = exchange_reach(parts, call->ranks);

    if (reach && !buffer)
        fail(call, HCCL_E_PTR);
    else if (reach && !npu_sim_is_device_memory(buffer, reach))
        fail(call, HCCL_E_PARA);
}

static HcclResult end(struct call *call, const void *from, const void *into)
{
    if (!call->result) {
        struct exchange *exchange = call->exchange;

        exchange->from = from;
        exchange->into = (char *)into;
        check_reach(call, from, exchange->send);
        if (!exchange->is_idle)
            check_reach(call, into, exchange->receive);
    }
    if (!call->result) {
        call->result =
            operation_issue(&call->exchange->operation, call->comm, call->stream);
        call->exchange = NULL;
    }
    free(call->exchange);
    if (call->comm)
        comm_put(call->comm);
    return call->result;
}

/* Returns true when all ranks have the same empty work. */
static HcclResult end_empty(struct call *call)
{
    free(call->exchange);
    if (call->comm)
        comm_put(call->comm);
    return call->result;
}

/* Fills parts of equal size, one after the other. */
static void even(struct call *call, struct part *parts, uint64_t bytes)
{
    for (uint32_t rank = 0; rank < call->ranks; rank++)
        parts[rank] = (struct part){rank * bytes, bytes};
}

/* Fills parts at the same offset for every rank. */
static void stacked(struct call *call, struct part *parts, uint64_t bytes)
{
    for (uint32_t rank = 0; rank < call->ranks; rank++)
        parts[rank] = (struct part){0, bytes};
}

/* Converts counts and displacements of elements to bytes; false when one is too large.
 */
static void listed(struct call *call,
                   struct part *parts,
                   const void *counts,
                   const void *displacements)
{
    const uint64_t *count = counts, *at = displacements;

    for (uint32_t rank = 0; rank < call->ranks; rank++) {
        if (count[rank] > EXCHANGE_COUNT_MAX || at[rank] > EXCHANGE_COUNT_MAX) {
            fail(call, HCCL_E_PARA);
            return;
        }
        parts[rank] = (struct part){at[rank] * call->size, count[rank] * call->size};
    }
}

HcclResult HcclAllReduce(void *sendBuf,
                         void *recvBuf,
                         uint64_t count,
                         HcclDataType dataType,
                         HcclReduceOp op,
                         HcclComm comm,
                         aclrtStream stream)
{
    struct call call = begin(ALL_REDUCE, comm, stream);

    if (!sendBuf || !recvBuf)
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    check_op(&call, dataType, op);
    check_count(&call, count);
    if (call.result || count == 0)
        return end_empty(&call);
    call.exchange->send[0].bytes = count * call.size;
    stacked(&call, call.exchange->receive, count * call.size);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclReduce(void *sendBuf,
                      void *recvBuf,
                      uint64_t count,
                      HcclDataType dataType,
                      HcclReduceOp op,
                      uint32_t root,
                      HcclComm comm,
                      aclrtStream stream)
{
    struct call call = begin(REDUCE, comm, stream);

    check_root(&call, root);
    if (!sendBuf || (!recvBuf && call.comm && call.rank == root))
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    check_op(&call, dataType, op);
    check_count(&call, count);
    if (call.result || count == 0)
        return end_empty(&call);
    call.exchange->is_idle = call.rank != root;
    call.exchange->send[0].bytes = count * call.size;
    stacked(&call, call.exchange->receive, count * call.size);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclBroadcast(void *buf,
                         uint64_t count,
                         HcclDataType dataType,
                         uint32_t root,
                         HcclComm comm,
                         aclrtStream stream)
{
    struct call call = begin(BROADCAST, comm, stream);

    if (!buf)
        fail(&call, HCCL_E_PTR);
    check_root(&call, root);
    check_type(&call, dataType);
    check_count(&call, count);
    if (call.result || count == 0)
        return end_empty(&call);
    if (call.rank == root)
        call.exchange->send[0].bytes = count * call.size;
    call.exchange->receive[root].bytes = count * call.size;
    return end(&call, buf, buf);
}

HcclResult HcclScatter(void *sendBuf,
                       void *recvBuf,
                       uint64_t recvCount,
                       HcclDataType dataType,
                       uint32_t root,
                       HcclComm comm,
                       aclrtStream stream)
{
    struct call call = begin(SCATTER, comm, stream);

    check_root(&call, root);
    if (!recvBuf || (!sendBuf && call.comm && call.rank == root))
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    check_count(&call, recvCount);
    if (call.result || recvCount == 0)
        return end_empty(&call);
    if (call.rank == root)
        even(&call, call.exchange->send, recvCount * call.size);
    call.exchange->receive[root].bytes = recvCount * call.size;
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclAllGather(void *sendBuf,
                         void *recvBuf,
                         uint64_t sendCount,
                         HcclDataType dataType,
                         HcclComm comm,
                         aclrtStream stream)
{
    struct call call = begin(ALL_GATHER, comm, stream);

    if (!sendBuf || !recvBuf)
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    check_count(&call, sendCount);
    if (call.result || sendCount == 0)
        return end_empty(&call);
    call.exchange->send[0].bytes = sendCount * call.size;
    even(&call, call.exchange->receive, sendCount * call.size);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclAllGatherV(void *sendBuf,
                          uint64_t sendCount,
                          void *recvBuf,
                          const void *recvCounts,
                          const void *recvDispls,
                          HcclDataType dataType,
                          HcclComm comm,
                          aclrtStream stream)
{
    struct call call = begin(ALL_GATHER_V, comm, stream);

    if (!recvCounts || !recvDispls)
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    if (call.result)
        return end_empty(&call);
    listed(&call, call.exchange->receive, recvCounts, recvDispls);
    call.exchange->send[0].bytes = call.exchange->receive[call.rank].bytes;
    if (((const uint64_t *)recvCounts)[call.rank] != sendCount)
        fail(&call, HCCL_E_PARA);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclReduceScatter(void *sendBuf,
                             void *recvBuf,
                             uint64_t recvCount,
                             HcclDataType dataType,
                             HcclReduceOp op,
                             HcclComm comm,
                             aclrtStream stream)
{
    struct call call = begin(REDUCE_SCATTER, comm, stream);

    if (!sendBuf || !recvBuf)
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    check_op(&call, dataType, op);
    check_count(&call, recvCount);
    if (call.result || recvCount == 0)
        return end_empty(&call);
    even(&call, call.exchange->send, recvCount * call.size);
    stacked(&call, call.exchange->receive, recvCount * call.size);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclReduceScatterV(void *sendBuf,
                              const void *sendCounts,
                              const void *sendDispls,
                              void *recvBuf,
                              uint64_t recvCount,
                              HcclDataType dataType,
                              HcclReduceOp op,
                              HcclComm comm,
                              aclrtStream stream)
{
    struct call call = begin(REDUCE_SCATTER_V, comm, stream);

    if (!sendCounts || !sendDispls)
        fail(&call, HCCL_E_PTR);
    check_type(&call, dataType);
    check_op(&call, dataType, op);
    if (call.result)
        return end_empty(&call);
    listed(&call, call.exchange->send, sendCounts, sendDispls);
    if (((const uint64_t *)sendCounts)[call.rank] != recvCount)
        fail(&call, HCCL_E_PARA);
    else
        stacked(&call, call.exchange->receive, recvCount * call.size);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclAlltoAll(const void *sendBuf,
                        uint64_t sendCount,
                        HcclDataType sendType,
                        const void *recvBuf,
                        uint64_t recvCount,
                        HcclDataType recvType,
                        HcclComm comm,
                        aclrtStream stream)
{
    struct call call = begin(ALL_TO_ALL, comm, stream);

    if (!sendBuf || !recvBuf)
        fail(&call, HCCL_E_PTR);
    check_type(&call, recvType);
    check_type(&call, sendType);
    check_count(&call, sendCount);
    if (sendType != recvType || sendCount != recvCount)
        fail(&call, HCCL_E_PARA);
    if (call.result || sendCount == 0)
        return end_empty(&call);
    even(&call, call.exchange->send, sendCount * call.size);
    even(&call, call.exchange->receive, sendCount * call.size);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclAlltoAllV(const void *sendBuf,
                         const void *sendCounts,
                         const void *sdispls,
                         HcclDataType sendType,
                         const void *recvBuf,
                         const void *recvCounts,
                         const void *rdispls,
                         HcclDataType recvType,
                         HcclComm comm,
                         aclrtStream stream)
{
    struct call call = begin(ALL_TO_ALL_V, comm, stream);

    if (!sendCounts || !sdispls || !recvCounts || !rdispls)
        fail(&call, HCCL_E_PTR);
    check_type(&call, recvType);
    check_type(&call, sendType);
    if (sendType != recvType)
        fail(&call, HCCL_E_PARA);
    if (call.result)
        return end_empty(&call);
    listed(&call, call.exchange->send, sendCounts, sdispls);
    listed(&call, call.exchange->receive, recvCounts, rdispls);
    return end(&call, sendBuf, recvBuf);
}

/* The matrix has one row per sender; the parts lie one after the other. */
static void cut_by_matrix(struct call *call, const uint64_t *matrix)
{
    struct part *send = call->exchange->send, *receive = call->exchange->receive;
    uint64_t sent = 0, received = 0;

    for (uint32_t rank = 0; rank < call->ranks; rank++) {
        uint64_t to = matrix[call->rank * call->ranks + rank];
        uint64_t from = matrix[rank * call->ranks + call->rank];

        if (to > EXCHANGE_COUNT_MAX || from > EXCHANGE_COUNT_MAX) {
            fail(call, HCCL_E_PARA);
            return;
        }
        send[rank] = (struct part){sent, to * call->size};
        receive[rank] = (struct part){received, from * call->size};
        sent += to * call->size;
        received += from * call->size;
    }
}

HcclResult HcclAlltoAllVC(const void *sendBuf,
                          const void *sendCountMatrix,
                          HcclDataType sendType,
                          const void *recvBuf,
                          HcclDataType recvType,
                          HcclComm comm,
                          aclrtStream stream)
{
    struct call call = begin(ALL_TO_ALL_VC, comm, stream);

    if (!sendCountMatrix)
        fail(&call, HCCL_E_PTR);
    check_type(&call, recvType);
    check_type(&call, sendType);
    if (sendType != recvType)
        fail(&call, HCCL_E_PARA);
    if (call.result)
        return end_empty(&call);
    cut_by_matrix(&call, sendCountMatrix);
    return end(&call, sendBuf, recvBuf);
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream stream)
{
    struct call call = begin(BARRIER, comm, stream);

    if (call.result)
        return end_empty(&call);
    return end(&call, NULL, NULL);
}
