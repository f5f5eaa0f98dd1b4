/* aclnn_all_gather_matmul.h - gatherOut = the rows of all ranks of x1, output =
 * gatherOut x x2 */
#ifndef ACLNN_ALL_GATHER_MATMUL_H
#define ACLNN_ALL_GATHER_MATMUL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

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
                                                 aclOpExecutor **executor);
aclnnStatus aclnnAllGatherMatmul(void *workspace,
                                 uint64_t workspaceSize,
                                 aclOpExecutor *executor,
                                 const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
