/* call.h - the description of one call of a fused operator */
#ifndef SIM_NN_CALL_H
#define SIM_NN_CALL_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/nn/mc2.h"

#define NN_TENSORS_MAX 5
#define NN_NAME_MAX    64

/* Selects what moves the data between the ranks. */
enum nn_server {
    NN_SERVER_AICPU = 0,
    NN_SERVER_MTE = 1, /* the AI Core half */
};

struct nn_call {
    const char
        *op; /* operator type: name of the kernel file, prefix of the kernel names */
    enum nn_server server;
    char group[COMM_NAME_MAX_LENGTH];
    uint64_t inputs[NN_TENSORS_MAX], outputs[NN_TENSORS_MAX];
    uint32_t input_count, output_count;
    uint64_t workspace_bytes;
    uint64_t key; /* selects the kernel within the file */
    uint32_t blocks;
    struct mc2_tiling tiling;
};

#endif
