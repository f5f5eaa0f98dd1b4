#include <aclnnop/aclnn_distribute_barrier.h>

#include "sim/nn/check.h"

aclnnStatus aclnnDistributeBarrierGetWorkspaceSize(const aclTensor *xRef,
                                                   const char *group,
                                                   int64_t worldSize,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    struct check check = {
        .call = {.op = "DistributeBarrier", .server = NN_SERVER_MTE, .blocks = 1}};

    check_group(&check, group, NULL, 0, 1);
    if (!xRef)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    else if (!npu_sim_tensor_of(xRef) || !xRef->data)
        check_fail(&check, ACLNN_ERR_PARAM_INVALID);
    if (worldSize <= 0 || check_ranks(&check) != (uint64_t)worldSize)
        check_fail(&check, ACLNN_ERR_PARAM_INVALID);
    if (!check.status)
        check_input(&check, xRef);
    check.call.tiling.magic = MC2_TILING_MAGIC;
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnDistributeBarrier(void *workspace,
                                   uint64_t workspaceSize,
                                   aclOpExecutor *executor,
                                   aclrtStream stream)
{
    return npu_sim_nn_run(workspace, workspaceSize, executor, stream);
}
