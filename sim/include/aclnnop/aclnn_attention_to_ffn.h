/* aclnn_attention_to_ffn.h - sends tokens from attention ranks into the windows of FFN
 * ranks */
#ifndef ACLNN_ATTENTION_TO_FFN_H
#define ACLNN_ATTENTION_TO_FFN_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus
aclnnAttentionToFFNGetWorkspaceSize(const aclTensor *x,
                                    const aclTensor *sessionId,
                                    const aclTensor *microBatchId,
                                    const aclTensor *layerId,
                                    const aclTensor *expertIds,
                                    const aclTensor *expertRankTable,
                                    const aclTensor *scales,
                                    const aclTensor *activeMask,
                                    const char *group,
                                    int64_t worldSize,
                                    const aclIntArray *ffnTokenInfoTableShape,
                                    const aclIntArray *ffnTokenDataShape,
                                    const aclIntArray *attnTokenInfoTableShape,
                                    int64_t moeExpertNum,
                                    int64_t quantMode,
                                    int64_t syncFlag,
                                    int64_t ffnStartRankId,
                                    uint64_t *workspaceSize,
                                    aclOpExecutor **executor);
aclnnStatus aclnnAttentionToFFN(void *workspace,
                                uint64_t workspaceSize,
                                aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
