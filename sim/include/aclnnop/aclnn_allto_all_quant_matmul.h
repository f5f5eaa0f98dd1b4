/* aclnn_allto_all_quant_matmul.h - aclnnAlltoAllMatmul with a quantised x2 */
#ifndef ACLNN_ALLTO_ALL_QUANT_MATMUL_H
#define ACLNN_ALLTO_ALL_QUANT_MATMUL_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnAlltoAllQuantMatmulGetWorkspaceSize(const aclTensor *x1,
                                         const aclTensor *x2,
                                         const aclTensor *biasOptional,
                                         const aclTensor *x1ScaleOptional,
                                         const aclTensor *x2Scale,
                                         const aclTensor *commScaleOptional,
                                         const aclTensor *x1OffsetOptional,
                                         const aclTensor *x2OffsetOptional,
                                         const char *group,
                                         const aclIntArray *alltoAllAxesOptional,
                                         int64_t x1QuantMode,
                                         int64_t x2QuantMode,
                                         int64_t commQuantMode,
                                         int64_t commQuantDtype,
                                         int64_t x1QuantDtype,
                                         int64_t groupSize,
                                         bool transposeX1,
                                         bool transposeX2,
                                         const aclTensor *output,
                                         const aclTensor *alltoAllOutOptional,
                                         uint64_t *workspaceSize,
                                         aclOpExecutor **executor);
aclnnStatus aclnnAlltoAllQuantMatmul(void *workspace,
                                     uint64_t workspaceSize,
                                     aclOpExecutor *executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
