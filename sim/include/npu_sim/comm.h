/* comm.h - the communication context of a rank, as kernels of the simulator see it
 *
 * HcclAllocComResourceByTiling() gives its address. Windows are the HCCL buffers of the
 * ranks: memory that all ranks of a host read and write, in threads or in processes. A
 * window begins as zeros.
 *
 * A kernel that waits for a peer does so with npu_sim_comm_wait(), which comes back
 * when the peer has died, the stream is aborted or HCCL_EXEC_TIMEOUT is over; the
 * kernel returns then, and its stream has the error. */
#ifndef NPU_SIM_COMM_H
#define NPU_SIM_COMM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPU_SIM_COMM_RANKS 64

struct npu_sim_comm_context {
    uint64_t workspace; /* this communicator's own; begins as zeros */
    uint64_t workspace_bytes;
    uint32_t rank, ranks;
    uint64_t window_bytes;                    /* of each */
    uint64_t windows_in[NPU_SIM_COMM_RANKS];  /* 0: of a card of another host */
    uint64_t windows_out[NPU_SIM_COMM_RANKS]; /* same */
    uint64_t comm;                            /* whose context it is */
    /* in the rank's own process */
    void (*set)(uint64_t comm, uint32_t *flag, uint32_t value);
    int (*wait)(uint64_t comm, const uint32_t *flag, uint32_t value);
};

/* Writes a flag, in whose window it may be, after all that was written before. */
static inline void npu_sim_comm_set(const struct npu_sim_comm_context *context,
                                    uint32_t *flag,
                                    uint32_t value)
{
    context->set(context->comm, flag, value);
}

/* 0 when the flag is the value; what was written before it was set can be read. */
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
