/* aclnn_matmul_allto_all_v2.h - aclnnMatmulAlltoAll with a choice of what moves the
 * data */
#ifndef ACLNN_MATMUL_ALLTO_ALL_V2_H
#define ACLNN_MATMUL_ALLTO_ALL_V2_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnMatmulAlltoAllV2GetWorkspaceSize(const aclTensor *x1,
                                      const aclTensor *x2,
                                      const aclTensor *biasOptional,
                                      const aclIntArray *alltoAllAxesOptional,
                                      const char *group,
                                      const char *commMode,
                                      bool transposeX1,
                                      bool transposeX2,
                                      const aclTensor *output,
                                      uint64_t *workspaceSize,
                                      aclOpExecutor **executor);
aclnnStatus aclnnMatmulAlltoAllV2(void *workspace,
                                  uint64_t workspaceSize,
                                  aclOpExecutor *executor,
                                  aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
