#include <aclnnop/aclnn_all_gather_matmul.h>

#include "sim/nn/check.h"

aclnnStatus aclnnAllGatherMatmulGetWorkspaceSize(const aclTensor *x1,
                                                 const aclTensor *x2,
                                                 const aclTensor *bias,
                                                 const char *group,
                                                 int64_t gatherIndex,
                                                 int64_t commTurn,
                                                 int64_t streamMode,
                                                 const aclTensor *output,
                                                 const aclTensor *gatherOut,
                                                 uint64_t *workspaceSize,
                                                 aclOpExecutor **executor)
{
    struct check check = {.call = {.op = "AllGatherMatmul"}};
    const struct mc2_tiling *t = &check.call.tiling;
    uint64_t ranks;

    check_group(&check, group, NULL, commTurn, streamMode);
    check_product(&check, x1, x2, bias);
    check_dense(&check, x1, t->m, t->k);
    ranks = check_ranks(&check);
    check_dense(&check, output, t->m * ranks, t->n);
    check_dense(&check, gatherOut, t->m * ranks, t->k);
    if (gatherIndex != 0)
        check_fail(&check, ACLNN_ERR_PARAM_INVALID);
    check_output(&check, output);
    check_output(&check, gatherOut);
    check_cut(&check, t->m, t->k * 2);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnAllGatherMatmul(void *workspace,
                                 uint64_t workspaceSize,
                                 aclOpExecutor *executor,
                                 const aclrtStream stream)
{
    return npu_sim_nn_run(workspace, workspaceSize, executor, stream);
}
