/* moe_distribute_dispatch_setup.c - dispatch in two halves
 *
 * Setup writes a message for each pair, and Teardown moves and sorts the messages
 * (dispatch.h). On a card the messages move between the two; here they move in
 * Teardown. Limits: no quantisation, 2 or 8 ranks, rows of 4096 or 7168. */
#include <aclnnop/aclnn_moe_distribute_dispatch_setup.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_teardown.h>
#include <string.h>

#include "sim/fused/moe/dispatch.h"
#include "sim/fused/moe/halves.h"

enum { Y = DISPATCH_EXPAND_X, INDEX = DISPATCH_ASSIST, COMMANDS = DISPATCH_SENT };

static void write_pair(const struct mc2_tiling *t, uint64_t token, uint64_t k)
{
    const struct mc2_tensor *x = &t->tensor[DISPATCH_X], *y = &t->tensor[Y];
    uint64_t width = (uint64_t)t->number[TOKENS_WIDTH],
             pair = dispatch_pair(t, token, k);
    int32_t *command =
        (int32_t *)(uintptr_t)t->tensor[COMMANDS].address + pair * DISPATCH_SENT_STEP;

    *command = tokens_is_active(t, DISPATCH_MASK, token, k);
    memcpy((char *)(uintptr_t)y->address + number_bytes(y->type, pair * y->dim[1]),
           (const char *)(uintptr_t)x->address + number_bytes(x->type, token * width),
           number_bytes(x->type, width));
}

static void write_messages(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t k = (uint64_t)t->number[TOKENS_K],
             count = (uint64_t)t->number[TOKENS_COUNT];
    int32_t *index = (int32_t *)(uintptr_t)t->tensor[INDEX].address;

    for (uint64_t token = 0; token < count; token++)
        for (uint64_t place = 0; place < k + (uint64_t)t->number[TOKENS_SHARED];
             place++)
            write_pair(t, token, place);
    for (uint64_t pair = 0; pair < count * k; pair++)
        index[pair] = (int32_t)tokens_index(t, DISPATCH_IDS, DISPATCH_MASK, pair);
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tensor *y = &body->tiling->tensor[Y];
    uint64_t bytes = number_bytes(y->type, y->dim[0] * y->dim[1]);

    body_vector_cost(body, y->address, bytes, bytes, out);
}

static const struct fused_steps setup_steps = {.after = write_messages, .cost = cost};

FUSED_KERNELS(MoeDistributeDispatchSetup, setup_steps, 1);
FUSED_KERNELS(MoeDistributeDispatchTeardown, dispatch_steps, 1);

static uint64_t message_elements(uint64_t width)
{
    return (width + 255) / 256 * 256;
}

/* Checks the inputs of a Setup; returns its number of pairs. */
static uint64_t check_setup(struct check *check,
                            const struct tokens_place *place,
                            const aclTensor *x,
                            const aclTensor *ids,
                            const aclTensor *scales,
                            const aclTensor *mask,
                            int64_t quant_mode,
                            int64_t comm_type)
{
    struct mc2_tiling *t = &check->call.tiling;

    check_begin(check, "MoeDistributeDispatchSetup");
    if (!place->group_ep)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_tensor(check, DISPATCH_X, x, CHECK_HALF);
    check_dims2(check, DISPATCH_X, CHECK_ANY, CHECK_ANY);
    check_dense(check, DISPATCH_X);
    tokens_check(check, place, DISPATCH_IDS, ids, t->tensor[DISPATCH_X].dim[1]);
    if (check->status)
        return 0;
    check_that(check, t->tensor[DISPATCH_X].dim[0] == t->tensor[DISPATCH_IDS].dim[0] &&
                          quant_mode == 0 && !scales);
    halves_check(check, comm_type);
    tokens_check_mask(check, DISPATCH_MASK, mask);
    return t->tensor[DISPATCH_X].dim[0] *
           (uint64_t)(t->number[TOKENS_K] + place->shared);
}

/* Returns the numbers of the commands for so many pairs. */
static uint64_t commands_of(const struct check *check, uint64_t pairs)
{
    uint64_t blocks =
        (uint64_t)tokens_experts_of(&check->call.tiling, check->rank) * check->ranks;

    return (pairs + blocks) * DISPATCH_SENT_STEP;
}

aclnnStatus
aclnnMoeDistributeDispatchSetupGetWorkspaceSize(const aclTensor *x,
                                                const aclTensor *expertIds,
                                                const aclTensor *scalesOptional,
                                                const aclTensor *xActiveMaskOptional,
                                                const char *groupEp,
                                                int64_t epWorldSize,
                                                int64_t epRankId,
                                                int64_t moeExpertNum,
                                                int64_t expertShardType,
                                                int64_t sharedExpertNum,
                                                int64_t sharedExpertRankNum,
                                                int64_t quantMode,
                                                int64_t globalBs,
                                                int64_t commType,
                                                const char *commAlg,
                                                aclTensor *yOut,
                                                aclTensor *expandIdxOut,
                                                aclTensor *commCmdInfoOut,
                                                uint64_t *workspaceSize,
                                                aclOpExecutor **executor)
{
    const struct tokens_place place = HALVES_PLACE;
    struct check check;
    uint64_t pairs = check_setup(&check, &place, x, expertIds, scalesOptional,
                                 xActiveMaskOptional, quantMode, commType);
    struct mc2_tiling *t = &check.call.tiling;

    check_tensor(&check, Y, yOut, CHECK_TYPE(t->tensor[DISPATCH_X].type));
    check_dims2(&check, Y, pairs, message_elements(t->tensor[DISPATCH_X].dim[1]));
    check_dense(&check, Y);
    check_tensor(&check, INDEX, expandIdxOut, CHECK_TYPE(ACL_INT32));
    check_tensor(&check, COMMANDS, commCmdInfoOut, CHECK_TYPE(ACL_INT32));
    if (check.status)
        return check.status;
    check_that(&check,
               check_elements(&check, INDEX) >= check_elements(&check, DISPATCH_IDS) &&
                   check_elements(&check, COMMANDS) >= commands_of(&check, pairs));
    check.call.key = t->tensor[DISPATCH_X].type == ACL_BF16;
    check_turns(&check, 1, pairs);
    return check_end(&check, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeDispatchTeardownGetWorkspaceSize(const aclTensor *x,
                                                   const aclTensor *y,
                                                   const aclTensor *expertIds,
                                                   const aclTensor *commCmdInfo,
                                                   const char *groupEp,
                                                   int64_t epWorldSize,
                                                   int64_t epRankId,
                                                   int64_t moeExpertNum,
                                                   int64_t expertShardType,
                                                   int64_t sharedExpertNum,
                                                   int64_t sharedExpertRankNum,
                                                   int64_t quantMode,
                                                   int64_t globalBs,
                                                   int64_t expertTokenNumsType,
                                                   int64_t commType,
                                                   char *commAlg,
                                                   aclTensor *expandXOut,
                                                   aclTensor *dynamicScalesOut,
                                                   aclTensor *assistInfoForCombineOut,
                                                   aclTensor *expertTokenNumsOut,
                                                   uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    const struct dispatch_call call = {.place = HALVES_PLACE,
                                       .x = x,
                                       .ids = expertIds,
                                       .prepared = y,
                                       .sent = commCmdInfo,
                                       .quant_mode = quantMode,
                                       .token_nums_type = expertTokenNumsType,
                                       .expand_x = expandXOut,
                                       .dynamic_scales = dynamicScalesOut,
                                       .recv_counts = assistInfoForCombineOut,
                                       .token_nums = expertTokenNumsOut};

    if (!y || !commCmdInfo)
        return ACLNN_ERR_PARAM_NULLPTR;
    if (commType != HALVES_COMM_TYPE || quantMode != 0)
        return ACLNN_ERR_PARAM_INVALID;
    return dispatch_prepare("MoeDistributeDispatchTeardown", &call, workspaceSize,
                            executor);
}

aclnnStatus aclnnMoeDistributeDispatchSetupTeardownCalcOutputSize(
    const aclTensor *x,
    const aclTensor *expertIds,
    const aclTensor *scalesOptional,
    const aclTensor *xActiveMaskOptional,
    const char *groupEp,
    int64_t epWorldSize,
    int64_t epRankId,
    int64_t moeExpertNum,
    int64_t expertShardType,
    int64_t sharedExpertNum,
    int64_t sharedExpertRankNum,
    int64_t quantMode,
    int64_t globalBs,
    int64_t expertTokenNumsType,
    int64_t commType,
    const char *commAlg,
    uint64_t *tokenMsgSize,
    uint64_t *expandIdxOutSize,
    uint64_t *assistInfoForCombineOutSize,
    uint64_t *commCmdInfoOutSize)
{
    const struct tokens_place place = HALVES_PLACE;
    struct check check;
    uint64_t pairs = check_setup(&check, &place, x, expertIds, scalesOptional,
                                 xActiveMaskOptional, quantMode, commType);
    const struct mc2_tiling *t = &check.call.tiling;

    check_that(&check, expertTokenNumsType == 0 || expertTokenNumsType == 1);
    if (!tokenMsgSize || !expandIdxOutSize || !assistInfoForCombineOutSize ||
        !commCmdInfoOutSize)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    if (check.status)
        return check.status;
    *tokenMsgSize = message_elements(t->tensor[DISPATCH_X].dim[1]);
    *expandIdxOutSize = check_elements(&check, DISPATCH_IDS);
    *assistInfoForCombineOutSize =
        (uint64_t)tokens_experts_of(t, check.rank) * check.ranks;
    *commCmdInfoOutSize = commands_of(&check, pairs);
    return ACLNN_SUCCESS;
}

FUSED_RUN(aclnnMoeDistributeDispatchSetup);
FUSED_RUN(aclnnMoeDistributeDispatchTeardown);
