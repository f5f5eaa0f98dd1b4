#include <aclnnop/aclnn_matmul_reduce_scatter.h>

#include "sim/nn/check.h"

aclnnStatus aclnnMatmulReduceScatterGetWorkspaceSize(const aclTensor *x1,
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
    struct check check = {.call = {.op = "MatmulReduceScatter"}};
    const struct mc2_tiling *t = &check.call.tiling;
    uint64_t ranks, rows = 0;

    check_group(&check, group, reduceOp ? reduceOp : "", commTurn, streamMode);
    check_product(&check, x1, x2, bias);
    ranks = check_ranks(&check);
    if (!check.status && t->m % ranks != 0)
        check_fail(&check, ACLNN_ERR_PARAM_INVALID);
    if (!check.status)
        rows = t->m / ranks;
    check_dense(&check, output, rows, t->n);
    check_output(&check, output);
    check_cut(&check, rows, t->n * 2);
    check.call.workspace_bytes = t->m * t->n * 2;
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnMatmulReduceScatter(void *workspace,
                                     uint64_t workspaceSize,
                                     aclOpExecutor *executor,
                                     const aclrtStream stream)
{
    return npu_sim_nn_run(workspace, workspaceSize, executor, stream);
}
