/* aclnn_allto_all_matmul_v2.h - aclnnAlltoAllMatmul with a choice of what moves the
 * data */
#ifndef ACLNN_ALLTO_ALL_MATMUL_V2_H
#define ACLNN_ALLTO_ALL_MATMUL_V2_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnAlltoAllMatmulV2GetWorkspaceSize(const aclTensor *x1,
                                      const aclTensor *x2,
                                      const aclTensor *biasOptional,
                                      const aclIntArray *alltoAllAxesOptional,
                                      const char *group,
                                      const char *commMode,
                                      bool transposeX1,
                                      bool transposeX2,
                                      const aclTensor *output,
                                      const aclTensor *alltoAllOutOptional,
                                      uint64_t *workspaceSize,
                                      aclOpExecutor **executor);
aclnnStatus aclnnAlltoAllMatmulV2(void *workspace,
                                  uint64_t workspaceSize,
                                  aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
