/* executor.h - one call of an aclnn operator between its two steps
 *
 * libopapi.so knows the operators: it checks their arguments and fills a description.
 * libnnopbase.so knows how they are launched. */
#ifndef SIM_NN_EXECUTOR_H
#define SIM_NN_EXECUTOR_H

#include <aclnn/aclnn_base.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/nn/mc2.h"

#define NN_TENSORS_MAX 5
#define NN_NAME_MAX    64

/* who moves the data between the ranks */
enum nn_server {
    NN_SERVER_AICPU = 0,
    NN_SERVER_MTE = 1, /* the AI Core half itself */
};

struct nn_call {
    const char *op; /* its type: the kernel's file, and the front of its names */
    enum nn_server server;
    char group[COMM_NAME_MAX_LENGTH];
    uint64_t inputs[NN_TENSORS_MAX], outputs[NN_TENSORS_MAX];
    uint32_t input_count, output_count;
    uint64_t workspace_bytes;
    uint64_t key; /* which kernel of the file */
    uint32_t blocks;
    struct mc2_tiling tiling;
};

aclnnStatus npu_sim_nn_prepare(const struct nn_call *call,
                               uint64_t *workspace_bytes,
                               aclOpExecutor **executor);
aclnnStatus npu_sim_nn_run(void *workspace,
                           uint64_t workspace_bytes,
                           aclOpExecutor *executor,
                           aclrtStream stream);
/* Of the group on the current device; 0: there is none. */
uint32_t npu_sim_nn_ranks(const char *group);

#endif
