/* moe_distribute_combine_setup.c - combine in two halves
 *
 * Setup keeps the numbers of rows for each rank, and Teardown moves the rows and adds
 * them (combine.h). On a card the rows move between the two; here they move in
 * Teardown. Limits: 2 or 8 ranks, 32 experts, rows of 4096 or 7168. */
#include <aclnnop/aclnn_moe_distribute_combine_setup.h>
#include <aclnnop/aclnn_moe_distribute_combine_teardown.h>
#include <string.h>

#include "sim/fused/moe/combine.h"
#include "sim/fused/moe/halves.h"

#define EXPERTS      32
#define COMMAND_STEP 16

enum { COMMANDS = COMBINE_OUT, CODED_X = COMBINE_Y };

static void keep_counts(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;

    memcpy((void *)(uintptr_t)t->tensor[COMMANDS].address,
           (const void *)(uintptr_t)t->tensor[COMBINE_SEND_COUNTS].address,
           (uint64_t)tokens_experts_of(t, body->context->rank) * body->context->ranks *
               sizeof(int32_t));
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tensor *x = &body->tiling->tensor[COMBINE_EXPAND_X];

    body_vector_cost(body, x->address, number_bytes(x->type, x->dim[0] * x->dim[1]), 0,
                     out);
}

static const struct fused_steps setup_steps = {.after = keep_counts, .cost = cost};

FUSED_KERNELS(MoeDistributeCombineSetup, setup_steps, 1);
FUSED_KERNELS(MoeDistributeCombineTeardown, combine_steps, 1);

static uint64_t aligned(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

/* Returns the bytes of a row with its scales. */
static uint64_t message_bytes(uint64_t width)
{
    return aligned(aligned(width, 32) + aligned(width, 8) / 8 * 4, 512);
}

static void check_setup(struct check *check,
                        const struct tokens_place *place,
                        const aclTensor *expand_x,
                        const aclTensor *ids,
                        const aclTensor *counts,
                        int64_t quant_mode,
                        int64_t comm_type)
{
    struct mc2_tiling *t = &check->call.tiling;

    check_begin(check, "MoeDistributeCombineSetup");
    if (!place->group_ep)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_tensor(check, COMBINE_EXPAND_X, expand_x, CHECK_HALF);
    check_dims2(check, COMBINE_EXPAND_X, CHECK_ANY, CHECK_ANY);
    check_dense(check, COMBINE_EXPAND_X);
    tokens_check(check, place, COMBINE_IDS, ids, t->tensor[COMBINE_EXPAND_X].dim[1]);
    check_tensor(check, COMBINE_SEND_COUNTS, counts, CHECK_TYPE(ACL_INT32));
    if (check->status)
        return;
    check_that(check,
               place->experts == EXPERTS && place->shared_ranks == 0 &&
                   quant_mode == 0 &&
                   check_elements(check, COMBINE_SEND_COUNTS) >=
                       (uint64_t)tokens_experts_of(t, check->rank) * check->ranks);
    halves_check(check, comm_type);
}

static uint64_t commands_of(const struct check *check)
{
    return (check_at(check, COMBINE_EXPAND_X)->dim[0] + check->ranks) * COMMAND_STEP;
}

aclnnStatus
aclnnMoeDistributeCombineSetupGetWorkspaceSize(const aclTensor *expandX,
                                               const aclTensor *expertIds,
                                               const aclTensor *assistInfoForCombine,
                                               const char *groupEp,
                                               int64_t epWorldSize,
                                               int64_t epRankId,
                                               int64_t moeExpertNum,
                                               int64_t expertShardType,
                                               int64_t sharedExpertNum,
                                               int64_t sharedExpertRankNum,
                                               int64_t globalBs,
                                               int64_t commQuantMode,
                                               int64_t commType,
                                               const char *commAlg,
                                               aclTensor *quantExpandXOut,
                                               aclTensor *commCmdInfoOut,
                                               uint64_t *workspaceSize,
                                               aclOpExecutor **executor)
{
    const struct tokens_place place = HALVES_PLACE;
    struct check check;
    struct mc2_tiling *t = &check.call.tiling;

    check_setup(&check, &place, expandX, expertIds, assistInfoForCombine, commQuantMode,
                commType);
    check_tensor(&check, CODED_X, quantExpandXOut, CHECK_TYPE(ACL_INT8));
    check_dims2(&check, CODED_X, t->tensor[COMBINE_EXPAND_X].dim[0],
                message_bytes(t->tensor[COMBINE_EXPAND_X].dim[1]));
    check_tensor(&check, COMMANDS, commCmdInfoOut, CHECK_TYPE(ACL_INT32));
    if (check.status)
        return check.status;
    check_that(&check, check_elements(&check, COMMANDS) >= commands_of(&check));
    check.call.key = t->tensor[COMBINE_EXPAND_X].type == ACL_BF16;
    check_turns(&check, 1, t->tensor[COMBINE_EXPAND_X].dim[0]);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus aclnnMoeDistributeCombineTeardownGetWorkspaceSize(
    const aclTensor *expandX,
    const aclTensor *quantExpandX,
    const aclTensor *expertIds,
    const aclTensor *expandIdx,
    const aclTensor *expertScales,
    const aclTensor *commCmdInfo,
    const aclTensor *xActiveMaskOptional,
    const aclTensor *sharedExpertXOptional,
    const char *groupEp,
    int64_t epWorldSize,
    int64_t epRankId,
    int64_t moeExpertNum,
    int64_t expertShardType,
    int64_t sharedExpertNum,
    int64_t sharedExpertRankNum,
    int64_t globalBs,
    int64_t commQuantMode,
    int64_t commType,
    const char *commAlg,
    aclTensor *xOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    const struct combine_call call = {.place = HALVES_PLACE,
                                      .expand_x = expandX,
                                      .ids = expertIds,
                                      .assist = expandIdx,
                                      .send_counts = commCmdInfo,
                                      .expert_scales = expertScales,
                                      .mask = xActiveMaskOptional,
                                      .shared_x = sharedExpertXOptional,
                                      .out = xOut,
                                      .is_first = true};

    if (!quantExpandX)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (commType != HALVES_COMM_TYPE || commQuantMode != 0 || moeExpertNum != EXPERTS)
        return ACLNN_ERR_PARAM_INVALID;
    return combine_prepare("MoeDistributeCombineTeardown", &call, workspaceSize,
                           executor);
}

aclnnStatus aclnnMoeDistributeCombineSetupTeardownCalcOutputSize(
    const aclTensor *expandX,
    const aclTensor *expertIds,
    const aclTensor *assistInfoForCombine,
    const char *groupEp,
    int64_t epWorldSize,
    int64_t epRankId,
    int64_t moeExpertNum,
    int64_t expertShardType,
    int64_t sharedExpertNum,
    int64_t sharedExpertRankNum,
    int64_t globalBs,
    int64_t commQuantMode,
    int64_t commType,
    const char *commAlg,
    uint64_t *tokenMsgSize,
    uint64_t *commCmdInfoOutSize)
{
    const struct tokens_place place = HALVES_PLACE;
    struct check check;

    check_setup(&check, &place, expandX, expertIds, assistInfoForCombine, commQuantMode,
                commType);
    if (!tokenMsgSize || !commCmdInfoOutSize)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    if (check.status)
        return check.status;
    *tokenMsgSize = message_bytes(check_at(&check, COMBINE_EXPAND_X)->dim[1]);
    *commCmdInfoOutSize = commands_of(&check);
    return ACLNN_SUCCESS;
}

FUSED_RUN(aclnnMoeDistributeCombineSetup);
FUSED_RUN(aclnnMoeDistributeCombineTeardown);
