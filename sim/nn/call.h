/* call.h - the description of one call of a fused operator */
#ifndef SIM_NN_CALL_H
#define SIM_NN_CALL_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/nn/mc2.h"

#define NN_NAME_MAX 64

struct nn_call {
    const char
        *op; /* operator type: name of the kernel file, prefix of the kernel names */
    char group[MC2_GROUPS_MAX][COMM_NAME_MAX_LENGTH];
    uint32_t groups;
    uint64_t workspace_bytes;
    uint64_t key; /* selects the kernel within the file */
    uint32_t blocks;
    bool is_empty;                /* there is nothing to do */
    bool skips_without_workspace; /* without a workspace the run does nothing */
    struct mc2_tiling tiling;
};

#endif
