/* distribute_barrier.c - no rank ends before all ranks have begun: AI Core only, no AI
 * CPU half */
#include <aclnnop/aclnn_distribute_barrier.h>
#include <aclnnop/aclnn_distribute_barrier_v2.h>

#include "sim/fused/shared/area.h"
#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"

enum { REFERENCE, TIME_LIMIT, ELASTIC };

static void wait_for_all(uint32_t block, const void *args)
{
    if (block == 0)
        area_flip(*(const struct npu_sim_comm_context *const *)args);
}

npu_sim_body_fn DistributeBarrier_0;

void DistributeBarrier_0(uint32_t block, uint32_t blocks, void *args, size_t size)
{
    (void)blocks;
    (void)size;
    wait_for_all(block, args);
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *args,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct npu_sim_comm_context *context =
        *(const struct npu_sim_comm_context *const *)args;

    (void)blocks;
    (void)size;
    if (block > 0)
        return;
    out->vector[0].scalar_instructions = 40 * context->ranks;
    out->vector[0].access_count = 1;
    out->vector[0].access[0] = (struct npu_sim_access){
        (const void *)(uintptr_t)context->windows_in[context->rank],
        2 * NPU_SIM_COMM_RANKS * sizeof(uint32_t), 1, NPU_SIM_GM_TO_UB};
}

extern const struct npu_sim_kernel DistributeBarrier_0_sim;
const struct npu_sim_kernel DistributeBarrier_0_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
};

static void prepare(struct check *check,
                    const aclTensor *reference,
                    const char *group,
                    int64_t ranks)
{
    check_begin(check, "DistributeBarrier");
    check->call.key = 0;
    check_group(check, group, NULL, 0, 1);
    check_tensor(check, REFERENCE, reference, UINT64_MAX);
    check_that(check, ranks > 0 && check_ranks(check) == (uint64_t)ranks);
    check->call.blocks = 1;
}

aclnnStatus aclnnDistributeBarrierGetWorkspaceSize(aclTensor *xRef,
                                                   const char *group,
                                                   int64_t worldSize,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    struct check check;

    prepare(&check, xRef, group, worldSize);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnDistributeBarrierV2GetWorkspaceSize(const aclTensor *xRef,
                                                     const aclTensor *timeOut,
                                                     const aclTensor *elasticInfo,
                                                     const char *group,
                                                     int64_t worldSize,
                                                     uint64_t *workspaceSize,
                                                     aclOpExecutor **executor)
{
    struct check check;

    prepare(&check, xRef, group, worldSize);
    if (check_optional(&check, TIME_LIMIT, timeOut, CHECK_TYPE(ACL_INT32)))
        check_count(&check, TIME_LIMIT, 1);
    check_optional(&check, ELASTIC, elasticInfo, CHECK_TYPE(ACL_INT32));
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnDistributeBarrier);
FUSED_RUN(aclnnDistributeBarrierV2);
