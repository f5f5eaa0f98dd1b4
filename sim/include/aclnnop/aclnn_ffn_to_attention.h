/* aclnn_ffn_to_attention.h - sends rows from FFN ranks back into the windows of
 * attention ranks */
#ifndef ACLNN_FFN_TO_ATTENTION_H
#define ACLNN_FFN_TO_ATTENTION_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

aclnnStatus aclnnFFNToAttentionGetWorkspaceSize(const aclTensor *x,
                                                const aclTensor *sessionIds,
                                                const aclTensor *microBatchIds,
                                                const aclTensor *tokenIds,
                                                const aclTensor *expertOffsets,
                                                const aclTensor *actualTokenNum,
                                                const aclTensor *attnRankTable,
                                                const char *group,
                                                int64_t worldSize,
                                                const aclIntArray *tokenInfoTableShape,
                                                const aclIntArray *tokenDataShape,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor);
aclnnStatus aclnnFFNToAttention(void *workspace,
                                uint64_t workspaceSize,
                                aclOpExecutor *executor,
                                aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
