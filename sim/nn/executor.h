/* executor.h - the two steps of an aclnn operator: prepare and run
 *
 * libopapi.so checks the arguments of an operator and fills a struct nn_call.
 * libnnopbase.so keeps the call in an aclOpExecutor between the steps and launches it.
 */
#ifndef SIM_NN_EXECUTOR_H
#define SIM_NN_EXECUTOR_H

#include <aclnn/aclnn_base.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/nn/call.h"

aclnnStatus npu_sim_nn_prepare(const struct nn_call *call,
                               uint64_t *workspace_bytes,
                               aclOpExecutor **executor);
aclnnStatus npu_sim_nn_run(void *workspace,
                           uint64_t workspace_bytes,
                           aclOpExecutor *executor,
                           aclrtStream stream);

struct npu_sim_nn_place {
    uint32_t ranks, rank;
};
/* Finds the group on the current device. Returns false when there is no such group. */
bool npu_sim_nn_place(const char *group, struct npu_sim_nn_place *out);

#endif
