/* aclnn_matmul_allto_all.h - columns of x1 x x2 go to the ranks */
#ifndef ACLNN_MATMUL_ALLTO_ALL_H
#define ACLNN_MATMUL_ALLTO_ALL_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnMatmulAlltoAllGetWorkspaceSize(const aclTensor *x1,
                                                const aclTensor *x2,
                                                const aclTensor *biasOptional,
                                                const aclIntArray *alltoAllAxesOptional,
                                                const char *group,
                                                bool transposeX1,
                                                bool transposeX2,
                                                const aclTensor *output,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor);
aclnnStatus aclnnMatmulAlltoAll(void *workspace,
                                uint64_t workspaceSize,
                                aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
