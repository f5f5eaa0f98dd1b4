/* aclnn_quant_matmul_allto_all.h - aclnnMatmulAlltoAll with quantised factors */
#ifndef ACLNN_QUANT_MATMUL_ALLTO_ALL_H
#define ACLNN_QUANT_MATMUL_ALLTO_ALL_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnQuantMatmulAlltoAllGetWorkspaceSize(const aclTensor *x1,
                                         const aclTensor *x2,
                                         const aclTensor *biasOptional,
                                         const aclTensor *x1Scale,
                                         const aclTensor *x2Scale,
                                         const aclTensor *commScaleOptional,
                                         const aclTensor *x1OffsetOptional,
                                         const aclTensor *x2OffsetOptional,
                                         const aclIntArray *alltoAllAxesOptional,
                                         const char *group,
                                         int64_t x1QuantMode,
                                         int64_t x2QuantMode,
                                         int64_t commQuantMode,
                                         int64_t commQuantDtype,
                                         int64_t groupSize,
                                         bool transposeX1,
                                         bool transposeX2,
                                         const aclTensor *output,
                                         uint64_t *workspaceSize,
                                         aclOpExecutor **executor);
aclnnStatus aclnnQuantMatmulAlltoAll(void *workspace,
                                     uint64_t workspaceSize,
                                     aclOpExecutor *executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
