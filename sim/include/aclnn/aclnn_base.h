/* aclnn_base.h - types that all aclnn operators share
 *
 * An operator is used in two steps: aclnnXGetWorkspaceSize() checks the arguments and
 * makes an executor, aclnnX() runs it on a stream and takes it, unless it was made
 * repeatable. */
#ifndef ACLNN_BASE_H
#define ACLNN_BASE_H

#include "acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACLNN_SUCCESS           0
#define ACLNN_ERR_PARAM_NULLPTR 161001
#define ACLNN_ERR_PARAM_INVALID 161002
#define ACLNN_ERR_RUNTIME_ERROR 361001
#define ACLNN_ERR_INNER         561000
#define ACLNN_ERR_INNER_NULLPTR 561103

aclnnStatus aclnnInit(const char *configPath);
aclnnStatus aclnnFinalize(void);

/* A repeatable executor is the program's to destroy. */
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor);
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor);

#ifdef __cplusplus
}
#endif

#endif
