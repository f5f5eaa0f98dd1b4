/* aclnn_quant_reduce_scatter.h - output = this rank's rows of the sum over all ranks
 * of x with its scales */
#ifndef ACLNN_QUANT_REDUCE_SCATTER_H
#define ACLNN_QUANT_REDUCE_SCATTER_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnQuantReduceScatterGetWorkspaceSize(const aclTensor *x,
                                                    const aclTensor *scales,
                                                    const char *group,
                                                    const char *reduceOp,
                                                    aclTensor *output,
                                                    uint64_t *workspaceSize,
                                                    aclOpExecutor **executor);
aclnnStatus aclnnQuantReduceScatter(void *workspace,
                                    uint64_t workspaceSize,
                                    aclOpExecutor *executor,
                                    const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
