#include "sim/nn/executor.h"

#include <stdlib.h>

#include "sim/nn/launch.h"
#include "sim/nn/libraries.h"

#define MAGIC 0x45584531u

struct aclOpExecutor {
    uint32_t magic;
    bool repeatable;
    struct nn_call call;
};

aclnnStatus aclnnInit(const char *configPath)
{
    (void)configPath;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
    return ACLNN_SUCCESS;
}

static bool is_executor(const aclOpExecutor *executor)
{
    return executor && executor->magic == MAGIC;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    if (!executor)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (!is_executor(executor))
        return ACLNN_ERR_PARAM_INVALID;
    executor->repeatable = true;
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    if (!executor)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (!is_executor(executor))
        return ACLNN_ERR_PARAM_INVALID;
    executor->magic = 0;
    free(executor);
    return ACLNN_SUCCESS;
}

aclnnStatus npu_sim_nn_prepare(const struct nn_call *call,
                               uint64_t *workspace_bytes,
                               aclOpExecutor **executor)
{
    aclOpExecutor *made;

    if (!workspace_bytes || !executor)
        return ACLNN_ERR_PARAM_NULLPTR;
    made = malloc(sizeof(*made));
    if (!made)
        return ACLNN_ERR_INNER;
    made->magic = MAGIC;
    made->repeatable = false;
    made->call = *call;
    *workspace_bytes = call->is_empty ? 0 : call->workspace_bytes;
    *executor = made;
    return ACLNN_SUCCESS;
}

aclnnStatus npu_sim_nn_run(void *workspace,
                           uint64_t workspace_bytes,
                           aclOpExecutor *executor,
                           aclrtStream stream)
{
    aclnnStatus status = ACLNN_ERR_PARAM_INVALID;
    const struct nn_call *call;

    if (!executor)
        return ACLNN_ERR_INNER_NULLPTR;
    if (!is_executor(executor))
        return ACLNN_ERR_PARAM_INVALID;
    call = &executor->call;
    if (call->is_empty ||
        (call->skips_without_workspace && (!workspace || workspace_bytes == 0)))
        status = ACLNN_SUCCESS;
    else if (call->workspace_bytes > 0 && !workspace)
        status = ACLNN_ERR_PARAM_NULLPTR;
    else if (workspace_bytes >= call->workspace_bytes)
        status = launch_fused(call, workspace, stream);
    if (!executor->repeatable)
        aclDestroyAclOpExecutor(executor);
    return status;
}

bool npu_sim_nn_place(const char *group, struct npu_sim_nn_place *out)
{
    const struct libraries *libraries = libraries_get();
    HcclComm comm;

    return libraries && !libraries->comm_by_group(group, &comm) &&
           !libraries->rank_size(comm, &out->ranks) &&
           !libraries->rank_id(comm, &out->rank);
}
