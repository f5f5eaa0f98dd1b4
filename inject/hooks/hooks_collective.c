/* hooks_collective.c - collective and point-to-point functions of HCCL
 *
 * The launches that HCCL makes inside these functions are at depth 1 and pass through.
 */
#include "inject/hooks/hook_frame.h"
#include "inject/launch/launch.h"
#include "inject/program/collective.h"

/* `about` fills a struct collective_call from the parameters. */
#define COLLECTIVE(called, about, ...)                                                 \
    struct called##_call {                                                             \
        int (*real)(ARGS_TYPES(__VA_ARGS__));                                          \
        ARGS_FIELDS(__VA_ARGS__)                                                       \
    };                                                                                 \
    static int called##_run(const void *arg)                                           \
    {                                                                                  \
        const struct called##_call *call = arg;                                        \
                                                                                       \
        return call->real(ARGS_FROM(__VA_ARGS__));                                     \
    }                                                                                  \
    HOOK_FRONT(called, __VA_ARGS__)                                                    \
    static int called##_slow(ARGS_DECLARED(__VA_ARGS__))                               \
    {                                                                                  \
        int saved = errno, result;                                                     \
        HOOK_HEAD(called, lifecycle_connect(), __VA_ARGS__)                            \
        struct called##_call call = {real, ARGS_NAMES(__VA_ARGS__)};                   \
        struct collective_call collective = {                                          \
            .name = #called,                                                           \
            .comm = comm,                                                              \
            .stream = stream,                                                          \
            .data_type = UINT32_MAX,                                                   \
            .reduce_op = UINT32_MAX,                                                   \
            .root = UINT32_MAX,                                                        \
            .run = called##_run,                                                       \
            .call = &call,                                                             \
        };                                                                             \
        about;                                                                         \
        errno = saved;                                                                 \
        result = collective_launch(&collective);                                       \
        hook_leave();                                                                  \
        return result;                                                                 \
    }

#define MOVES(source, target, elements, type)                                          \
    collective.from = (source);                                                        \
    collective.to = (target);                                                          \
    collective.count = (elements);                                                     \
    collective.data_type = (uint32_t)(type)
#define OF_ALL       collective.whole_group = true
#define OF_ALL_SAME  collective.whole_group = collective.same_count = true
#define REDUCES      collective.reduce_op = (uint32_t)op
#define ROOTED(rank) collective.root = (rank)

COLLECTIVE(HcclAllReduce, MOVES(from, to, count, type); REDUCES; OF_ALL_SAME,
                                                                 (void *, from),
                                                                 (void *, to),
                                                                 (uint64_t, count),
                                                                 (int, type),
                                                                 (int, op),
                                                                 (void *, comm),
                                                                 (void *, stream))
COLLECTIVE(HcclBroadcast, MOVES(buffer, buffer, count, type); ROOTED(root);
           OF_ALL_SAME,
           (void *, buffer),
           (uint64_t, count),
           (int, type),
           (uint32_t, root),
           (void *, comm),
           (void *, stream))
COLLECTIVE(HcclReduceScatter, MOVES(from, to, count, type); REDUCES; OF_ALL_SAME,
                                                                     (void *, from),
                                                                     (void *, to),
                                                                     (uint64_t, count),
                                                                     (int, type),
                                                                     (int, op),
                                                                     (void *, comm),
                                                                     (void *, stream))
COLLECTIVE(HcclReduceScatterV, MOVES(from, to, count, type); REDUCES;
           OF_ALL,
           (void *, from),
           (const void *, counts),
           (const void *, places),
           (void *, to),
           (uint64_t, count),
           (int, type),
           (int, op),
           (void *, comm),
           (void *, stream))
COLLECTIVE(HcclScatter, MOVES(from, to, count, type); ROOTED(root); OF_ALL_SAME,
                                                                    (void *, from),
                                                                    (void *, to),
                                                                    (uint64_t, count),
                                                                    (int, type),
                                                                    (uint32_t, root),
                                                                    (void *, comm),
                                                                    (void *, stream))
COLLECTIVE(HcclAllGather, MOVES(from, to, count, type); OF_ALL_SAME,
                                                        (void *, from),
                                                        (void *, to),
                                                        (uint64_t, count),
                                                        (int, type),
                                                        (void *, comm),
                                                        (void *, stream))
COLLECTIVE(HcclAllGatherV, MOVES(from, to, count, type); OF_ALL,
                                                         (void *, from),
                                                         (uint64_t, count),
                                                         (void *, to),
                                                         (const void *, counts),
                                                         (const void *, places),
                                                         (int, type),
                                                         (void *, comm),
                                                         (void *, stream))
COLLECTIVE(HcclAlltoAll, MOVES(from, (void *)to, count, type); OF_ALL_SAME,
                                                               (const void *, from),
                                                               (uint64_t, count),
                                                               (int, type),
                                                               (const void *, to),
                                                               (uint64_t, to_count),
                                                               (int, to_type),
                                                               (void *, comm),
                                                               (void *, stream))
COLLECTIVE(HcclAlltoAllV, MOVES(from, (void *)to, 0, type); OF_ALL,
                                                            (const void *, from),
                                                            (const void *, counts),
                                                            (const void *, places),
                                                            (int, type),
                                                            (const void *, to),
                                                            (const void *, to_counts),
                                                            (const void *, to_places),
                                                            (int, to_type),
                                                            (void *, comm),
                                                            (void *, stream))
COLLECTIVE(HcclAlltoAllVC, MOVES(from, (void *)to, 0, type); OF_ALL,
                                                             (const void *, from),
                                                             (const void *, counts),
                                                             (int, type),
                                                             (const void *, to),
                                                             (int, to_type),
                                                             (void *, comm),
                                                             (void *, stream))
COLLECTIVE(HcclReduce, MOVES(from, to, count, type); REDUCES; ROOTED(root);
           OF_ALL_SAME,
           (void *, from),
           (void *, to),
           (uint64_t, count),
           (int, type),
           (int, op),
           (uint32_t, root),
           (void *, comm),
           (void *, stream))
COLLECTIVE(HcclBarrier, OF_ALL_SAME, (void *, comm), (void *, stream))

/* Not all ranks of the communicator call these functions, so they are not replayed
 * (launch_message.h). */
COLLECTIVE(HcclSend, MOVES(from, NULL, count, type); ROOTED(peer),
                                                     (void *, from),
                                                     (uint64_t, count),
                                                     (int, type),
                                                     (uint32_t, peer),
                                                     (void *, comm),
                                                     (void *, stream))
COLLECTIVE(HcclRecv, MOVES(NULL, to, count, type); ROOTED(peer),
                                                   (void *, to),
                                                   (uint64_t, count),
                                                   (int, type),
                                                   (uint32_t, peer),
                                                   (void *, comm),
                                                   (void *, stream))
COLLECTIVE(HcclBatchSendRecv,
           collective.count = count,
           (void *, items),
           (uint32_t, count),
           (void *, comm),
           (void *, stream))
