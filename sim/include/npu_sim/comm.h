/* comm.h - the communication context of a rank, for kernels of the simulator
 *
 * HcclAllocComResourceByTiling() returns its address. Windows are the HCCL buffers of
 * the ranks: memory that all ranks of a host read and write, from threads or processes.
 * A window initially holds zeros.
 *
 * A kernel waits for a peer with npu_sim_comm_wait(). That call also returns when the
 * peer died, the stream was aborted or HCCL_EXEC_TIMEOUT has passed. The kernel must
 * then return; its stream has the error. */
#ifndef NPU_SIM_COMM_H
#define NPU_SIM_COMM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPU_SIM_COMM_RANKS 64
#define NPU_SIM_COMM_TURNS 192

/* The data that a rank exchanges with one rank in one turn. */
struct npu_sim_part {
    uint64_t from, from_bytes; /* address */
    uint64_t into, into_bytes;
};

/* A piece of the data that a rank receives from another one. */
struct npu_sim_received {
    const void *from; /* in a window: valid during the call */
    uint64_t bytes;
};

/* Functions that write the data of an exchange into the windows and read it there, so
 * that it needs no other memory. The data of a rank for another one may have any
 * length; the part of that rank has its `from_bytes`, and no addresses. All data moves
 * piece by piece; the next piece of a rank begins at the byte behind the last one. */
struct npu_sim_stream {
    /* Writes bytes `at` to before `at + bytes` of the data for a rank. */
    void (*read)(struct npu_sim_stream *stream,
                 uint32_t rank,
                 uint64_t at,
                 uint64_t bytes,
                 void *into);
    /* Takes the bytes from `at` on of the data of all ranks, one piece per rank. */
    void (*take)(struct npu_sim_stream *stream,
                 uint64_t at,
                 const struct npu_sim_received *pieces);
};

/* An exchange that the cores of all ranks run themselves. */
struct npu_sim_exchange {
    struct npu_sim_part *parts; /* of each turn, one per rank */
    uint32_t turns;
    uint32_t computes_first;       /* 1: the cores compute before they send */
    struct npu_sim_stream *stream; /* NULL: the parts have addresses */
};

struct npu_sim_comm_context {
    uint64_t workspace; /* of this communicator only; initially zeros */
    uint64_t workspace_bytes;
    uint32_t rank, ranks;
    uint64_t window_bytes;                    /* size of each window */
    uint64_t windows_in[NPU_SIM_COMM_RANKS];  /* 0: the card is on another host */
    uint64_t windows_out[NPU_SIM_COMM_RANKS]; /* 0: the card is on another host */
    uint64_t comm;                            /* handle of the communicator */
    /* implementations of the functions below, in the rank's process */
    void (*set)(uint64_t comm, uint32_t *flag, uint32_t value);
    int (*wait)(uint64_t comm, const uint32_t *flag, uint32_t value);
    int (*exchange)(const struct npu_sim_comm_context *context,
                    struct npu_sim_exchange *exchange);
    int (*send)(const struct npu_sim_comm_context *context, const uint64_t *bytes);
};

/* Writes a flag in any window. All earlier writes become visible before it. */
static inline void npu_sim_comm_set(const struct npu_sim_comm_context *context,
                                    uint32_t *flag,
                                    uint32_t value)
{
    context->set(context->comm, flag, value);
}

/* Returns 0 when the flag has the value. Writes before npu_sim_comm_set() are visible
 * then. */
static inline int npu_sim_comm_wait(const struct npu_sim_comm_context *context,
                                    const uint32_t *flag,
                                    uint32_t value)
{
    return context->wait(context->comm, flag, value);
}

/* Moves the parts of all ranks, and gives the launch its time: the transfers occupy the
 * links. All ranks must call it. Returns 0, or an error, after which the kernel must
 * return. The kernel needs `waits` in its struct npu_sim_kernel. */
static inline int npu_sim_comm_exchange(const struct npu_sim_comm_context *context,
                                        struct npu_sim_exchange *exchange)
{
    return context->exchange(context, exchange);
}

/* Gives the launch the time of the bytes that its cores wrote into the windows of each
 * rank. No other rank takes part. NULL: the cores failed. Returns 0, or an error, after
 * which the kernel must return. The kernel needs `waits`, as for an exchange. */
static inline int npu_sim_comm_send(const struct npu_sim_comm_context *context,
                                    const uint64_t *bytes)
{
    return context->send(context, bytes);
}

#ifdef __cplusplus
}
#endif

#endif
