/* pair.c - messages between two ranks; each is a task that ends when both ranks have
 * executed it
 *
 * A message passes letter by letter through the mailbox of its pair and direction. The
 * items of a batch run side by side; those with the same mailbox run in order. */
#include <hccl/hccl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/fleet/noise.h"
#include "sim/hccl/element.h"
#include "sim/hccl/operation.h"
#include "sim/hccl/times/cost.h"
#include "sim/runtime/stream/outside.h"

#define COUNT_MAX     0x7FFFFFFFFull
#define ITEMS_MAX     4096
#define MESSAGE_NOISE 0.02 /* most that a message takes longer */

struct item {
    bool sends;
    bool begun, done;
    uint32_t remote, type;
    char *buffer;
    uint64_t bytes, at;
    struct arrival peer;
    uint64_t number; /* of the message's first letter in its mailbox */
};

struct batch {
    struct operation operation;
    struct arrival arrival; /* of this rank */
    uint32_t count;
    struct item items[];
};

enum step {
    STEP_NONE,
    STEP_MADE,
    STEP_WRONG,  /* the two ranks describe different messages */
    STEP_FAILED, /* the group has failed */
};

/* The arrival of a peer on another host is not sent: it counts as equal to the own one.
 */
static enum step send_letter(const struct batch *batch,
                             struct item *item,
                             struct group *group,
                             const struct wait_limits *limits)
{
    struct mailbox *box = group_mailbox(group, group->rank, item->remote);
    uint64_t bytes = item->bytes - item->at;
    uint64_t put = box->put;

    if (__atomic_load_n(&box->got, __ATOMIC_SEQ_CST) != put)
        return STEP_NONE;
    if (item->begun && bytes == 0) {
        item->done = true; /* the peer has taken the last letter */
        item->peer =
            group_is_here(group, item->remote) ? box->receiver : batch->arrival;
        return STEP_MADE;
    }
    if (!item->begun) {
        box->total = item->bytes;
        box->type = item->type;
        box->sender = batch->arrival;
        item->number = put;
        item->begun = true;
    }
    if (bytes > GROUP_LETTER)
        bytes = GROUP_LETTER;
    memcpy(box->letter, item->buffer + item->at, bytes);
    item->at += bytes;
    __atomic_store_n(&box->put, put + 1, __ATOMIC_SEQ_CST);
    return group_has_put(group, item->remote, bytes, limits) ? STEP_FAILED : STEP_MADE;
}

static enum step receive_letter(const struct batch *batch,
                                struct item *item,
                                struct group *group,
                                const struct wait_limits *limits)
{
    struct mailbox *box = group_mailbox(group, item->remote, group->rank);
    uint64_t bytes = item->bytes - item->at;
    uint64_t got = box->got;

    if (__atomic_load_n(&box->put, __ATOMIC_SEQ_CST) == got)
        return STEP_NONE;
    if (!item->begun && (box->total != item->bytes || box->type != item->type))
        return STEP_WRONG;
    if (!item->begun) {
        item->peer = group_is_here(group, item->remote) ? box->sender : batch->arrival;
        item->number = got;
        box->receiver = batch->arrival;
    }
    item->begun = true;
    if (bytes > GROUP_LETTER)
        bytes = GROUP_LETTER;
    memcpy(item->buffer + item->at, box->letter, bytes);
    item->at += bytes;
    item->done = item->at == item->bytes;
    __atomic_store_n(&box->got, got + 1, __ATOMIC_SEQ_CST);
    return group_has_taken(group, item->remote, limits) ? STEP_FAILED : STEP_MADE;
}

/* One round over all items; *open counts those that are not done. */
static enum step step_all(struct batch *batch,
                          struct group *group,
                          const struct wait_limits *limits,
                          uint32_t *open)
{
    uint64_t busy[2] = {0, 0}; /* mailboxes that earlier items use */
    enum step made = STEP_NONE;

    *open = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct item *item = &batch->items[i];
        uint64_t bit = 1ull << item->remote;
        enum step step = STEP_NONE;

        if (item->done)
            continue;
        if (!(busy[item->sends] & bit))
            step = item->sends ? send_letter(batch, item, group, limits)
                               : receive_letter(batch, item, group, limits);
        if (step == STEP_WRONG || step == STEP_FAILED)
            return step;
        if (step == STEP_MADE)
            made = step;
        if (!item->done) {
            busy[item->sends] |= bit;
            ++*open;
        }
    }
    return made;
}

/* Returns how much later than this rank the peer of a message arrives, in ns. */
static uint64_t lateness(const struct batch *batch, const struct item *item)
{
    const struct arrival both[2] = {batch->arrival, item->peer};
    uint64_t start_ns[2];

    arrivals_align(both, 2, 0, npu_sim_rank_step_ns(), start_ns);
    return start_ns[1] > start_ns[0] ? start_ns[1] - start_ns[0] : 0;
}

/* Both ranks compute the same noise. */
static uint64_t noisy(const struct batch *batch, const struct item *item, uint64_t ns)
{
    uint64_t seed = item->sends ? batch->arrival.seed : item->peer.seed;

    seed = npu_sim_noise_mix(seed, item->number);
    return ns + (uint64_t)((double)ns * npu_sim_noise_of(MESSAGE_NOISE, seed));
}

/* Returns the time from the arrival of this rank to the end of its last message. */
static uint64_t time_of(const struct batch *batch, struct group *group)
{
    uint64_t to[GROUP_RANKS_MAX] = {0}, from[GROUP_RANKS_MAX] = {0};
    uint64_t to_ns[GROUP_RANKS_MAX], from_ns[GROUP_RANKS_MAX], longest = 0;

    for (uint32_t i = 0; i < batch->count; i++) {
        const struct item *item = &batch->items[i];

        (item->sends ? to : from)[item->remote] += item->bytes;
    }
    cost_of_messages(group, to, from, to_ns, from_ns);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct item *item = &batch->items[i];
        uint64_t ns = (item->sends ? to_ns : from_ns)[item->remote];

        ns = lateness(batch, item) + noisy(batch, item, ns);
        longest = ns > longest ? ns : longest;
    }
    return longest;
}

static struct operation *copy(const struct operation *operation)
{
    const struct batch *from = (const struct batch *)operation;
    size_t size = sizeof(*from) + from->count * sizeof(from->items[0]);
    struct batch *to = malloc(size);

    if (!to)
        return NULL;
    memcpy(to, from, size);
    return &to->operation;
}

static aclError run(struct operation *operation,
                    const struct wait_limits *limits,
                    struct operation_times *times)
{
    struct batch *batch = (struct batch *)operation;
    struct group *group = comm_group(operation->comm);
    uint32_t open = batch->count;

    batch->arrival = operation_arrival(&times->time);

    while (open > 0) {
        uint32_t wake_count = group_wake_count(group);
        enum step step = step_all(batch, group, limits, &open);

        if (step == STEP_WRONG)
            return group_fail(group, HCCL_E_PARA, ACL_ERROR_RT_AICPU_EXCEPTION);
        if (step == STEP_FAILED)
            return npu_sim_turn_is_aborted(limits->turn) ? ACL_ERROR_RT_STREAM_ABORT
                                                         : group_error(group);
        if (step == STEP_MADE) {
            group_wake_all(group);
        } else if (open > 0) {
            aclError error = group_wait(group, wake_count, limits);

            if (error)
                return error;
        }
    }
    times->time.now += npu_sim_ticks_of_ns(time_of(batch, group));
    return 0;
}

static HcclResult check(const HcclSendRecvItem *given, uint32_t ranks)
{
    uint32_t size = element_size(given->dataType);

    if (!given->buf)
        return HCCL_E_PTR;
    if (size == 0)
        return HCCL_E_NOT_SUPPORT;
    if ((unsigned)given->sendRecvType > HCCL_RECV || given->remoteRank >= ranks ||
        given->count > COUNT_MAX ||
        (given->count && !npu_sim_is_device_memory(given->buf, given->count * size)))
        return HCCL_E_PARA;
    return HCCL_SUCCESS;
}

static void add(struct batch *batch, const HcclSendRecvItem *given)
{
    uint64_t bit = 1ull << given->remoteRank;

    batch->items[batch->count++] = (struct item){
        .sends = given->sendRecvType == HCCL_SEND,
        .remote = given->remoteRank,
        .type = given->dataType,
        .buffer = given->buf,
        .bytes = given->count * element_size(given->dataType),
    };
    if (given->sendRecvType == HCCL_SEND)
        batch->operation.place.sends |= bit;
    else
        batch->operation.place.receives |= bit;
}

static HcclResult issue(const char *name,
                        struct comm *comm,
                        const HcclSendRecvItem *given,
                        uint32_t count,
                        aclrtStream stream)
{
    struct batch *batch;
    int32_t device;
    uint32_t card;

    if (npu_sim_current_card(&card, &device) || device != comm_place(comm)->device)
        return HCCL_E_RUNTIME;
    if (group_failure(comm_group(comm)))
        return group_failure(comm_group(comm));
    for (uint32_t i = 0; i < count; i++) {
        HcclResult result = check(&given[i], comm_ranks(comm));

        if (result)
            return result;
    }
    batch = calloc(1, sizeof(*batch) + count * sizeof(batch->items[0]));
    if (!batch)
        return HCCL_E_MEMORY;
    batch->operation.run = run;
    batch->operation.copy = copy;
    batch->operation.name = name;
    for (uint32_t i = 0; i < count; i++)
        if (given[i].count > 0)
            add(batch, &given[i]);
    return operation_issue(&batch->operation, comm, stream);
}

HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo,
                             uint32_t itemNum,
                             HcclComm handle,
                             aclrtStream stream)
{
    struct comm *comm;
    HcclResult result;

    if (!sendRecvInfo || !handle || !stream)
        return HCCL_E_PTR;
    if (itemNum > ITEMS_MAX)
        return HCCL_E_PARA;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    result = issue(__func__, comm, sendRecvInfo, itemNum, stream);
    comm_put(comm);
    return result;
}

static HcclResult one(HcclSendRecvItem item, HcclComm handle, aclrtStream stream)
{
    struct comm *comm;
    HcclResult result;

    if (!handle || !stream)
        return HCCL_E_PTR;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    /* a single message to the own rank could never end on its stream */
    result = item.remoteRank == comm_rank(comm) ? HCCL_E_PARA
             : item.count == 0
                 ? check(&item, comm_ranks(comm))
                 : issue(item.sendRecvType == HCCL_SEND ? "HcclSend" : "HcclRecv", comm,
                         &item, 1, stream);
    comm_put(comm);
    return result;
}

HcclResult HcclSend(void *sendBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t destRank,
                    HcclComm comm,
                    aclrtStream stream)
{
    return one((HcclSendRecvItem){HCCL_SEND, sendBuf, count, dataType, destRank}, comm,
               stream);
}

HcclResult HcclRecv(void *recvBuf,
                    uint64_t count,
                    HcclDataType dataType,
                    uint32_t srcRank,
                    HcclComm comm,
                    aclrtStream stream)
{
    return one((HcclSendRecvItem){HCCL_RECV, recvBuf, count, dataType, srcRank}, comm,
               stream);
}
