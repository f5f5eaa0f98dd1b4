/* aclnn_quant_all_reduce.h - output = the sum over all ranks of x with its scales */
#ifndef ACLNN_QUANT_ALL_REDUCE_H
#define ACLNN_QUANT_ALL_REDUCE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnQuantAllReduceGetWorkspaceSize(const aclTensor *x,
                                                const aclTensor *scales,
                                                const char *group,
                                                const char *reduceOp,
                                                aclTensor *output,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor);
aclnnStatus aclnnQuantAllReduce(void *workspace,
                                uint64_t workspaceSize,
                                aclOpExecutor *executor,
                                const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
