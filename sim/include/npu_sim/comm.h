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

#ifdef __cplusplus
}
#endif

#endif
