#include <aclnnop/aclnn_inplace_matmul_all_reduce_add_rms_norm.h>

#include "sim/nn/check.h"

aclnnStatus
aclnnInplaceMatmulAllReduceAddRmsNormGetWorkspaceSize(const aclTensor *x1,
                                                      const aclTensor *x2,
                                                      const aclTensor *bias,
                                                      const aclTensor *residual,
                                                      const aclTensor *gamma,
                                                      double epsilon,
                                                      const char *group,
                                                      const char *reduceOp,
                                                      int64_t commTurn,
                                                      int64_t streamMode,
                                                      const aclTensor *normOut,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    struct check check = {.call = {.op = "InplaceMatmulAllReduceAddRmsNorm"}};
    struct mc2_tiling *t = &check.call.tiling;

    check_group(&check, group, reduceOp ? reduceOp : "", commTurn, streamMode);
    check_product(&check, x1, x2, bias);
    check_vector(&check, gamma, t->n);
    check_dense(&check, residual, t->m, t->n);
    check_dense(&check, normOut, t->m, t->n);
    check_input(&check, gamma);
    check_output(&check, residual);
    check_output(&check, normOut);
    check_cut(&check, t->m, t->n * 2);
    t->epsilon = (float)epsilon;
    check.call.workspace_bytes = t->m * t->n * 2;
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnInplaceMatmulAllReduceAddRmsNorm(void *workspace,
                                                  uint64_t workspaceSize,
                                                  aclOpExecutor *executor,
                                                  const aclrtStream stream)
{
    return npu_sim_nn_run(workspace, workspaceSize, executor, stream);
}
