/* aclnn_allto_all_matmul.h - rows of x1 go to the ranks, which multiply the gathered
 * columns with x2 */
#ifndef ACLNN_ALLTO_ALL_MATMUL_H
#define ACLNN_ALLTO_ALL_MATMUL_H

#include <stdbool.h>

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnAlltoAllMatmulGetWorkspaceSize(const aclTensor *x1,
                                                const aclTensor *x2,
                                                const aclTensor *biasOptional,
                                                const aclIntArray *alltoAllAxesOptional,
                                                const char *group,
                                                bool transposeX1,
                                                bool transposeX2,
                                                const aclTensor *output,
                                                const aclTensor *alltoAllOutOptional,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor);
aclnnStatus aclnnAlltoAllMatmul(void *workspace,
                                uint64_t workspaceSize,
                                aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
