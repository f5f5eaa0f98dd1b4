#include <aclnnop/aclnn_matmul_all_reduce.h>

#include "sim/nn/check.h"

aclnnStatus aclnnMatmulAllReduceGetWorkspaceSize(const aclTensor *x1,
                                                 const aclTensor *x2,
                                                 const aclTensor *bias,
                                                 const char *group,
                                                 const char *reduceOp,
                                                 int64_t commTurn,
                                                 int64_t streamMode,
                                                 const aclTensor *output,
                                                 uint64_t *workspaceSize,
                                                 aclOpExecutor **executor)
{
    struct check check = {.call = {.op = "MatmulAllReduce"}};
    const struct mc2_tiling *t = &check.call.tiling;

    check_group(&check, group, reduceOp ? reduceOp : "", commTurn, streamMode);
    check_product(&check, x1, x2, bias);
    check_dense(&check, output, t->m, t->n);
    check_output(&check, output);
    check_cut(&check, t->m, t->n * 2);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnMatmulAllReduce(void *workspace,
                                 uint64_t workspaceSize,
                                 aclOpExecutor *executor,
                                 const aclrtStream stream)
{
    return npu_sim_nn_run(workspace, workspaceSize, executor, stream);
}
