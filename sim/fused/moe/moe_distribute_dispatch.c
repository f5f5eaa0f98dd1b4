/* moe_distribute_dispatch.c - tokens go to the ranks of their experts
 *
 * A rank gets its rows in the order of its experts, then of the ranks, then of the
 * pairs of a rank. On an A2, and in version 1, the operator that returns the tokens
 * finds them by an index among the pairs with the same expert; else by (rank, token,
 * k). Limits: no shared experts in version 1, no elasticInfo, quantMode 0 or 2. */
#include <aclnnop/aclnn_moe_distribute_dispatch.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v2.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v3.h>
#include <aclnnop/aclnn_moe_distribute_dispatch_v4.h>
#include <math.h>
#include <string.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/table.h"
#include "sim/fused/shared/tokens.h"

enum {
    X,
    IDS,
    SCALES,
    MASK,
    EXPERT_SCALES,
    EXPAND_X,
    DYNAMIC_SCALES,
    ASSIST,
    TOKEN_NUMS,
    RECV_COUNTS,
    TP_COUNTS,
    EXPAND_SCALES,
    PERFORMANCE,
};
enum { QUANT_MODE = TOKENS_OWN, COUNTS_ARE_SINGLE };

/* Writes a row as the receiver gets it. scale_row: of `scales`. Returns the factor that
 * gives the value back. */
static float
store_row(const struct mc2_tiling *t, uint64_t token, uint64_t scale_row, char *into)
{
    const struct mc2_tensor *x = &t->tensor[X], *scales = &t->tensor[SCALES];
    uint64_t width = (uint64_t)t->number[TOKENS_WIDTH];
    float most = 0, factor;

    if (t->number[QUANT_MODE] == 0) {
        memcpy(into,
               (const char *)(uintptr_t)x->address +
                   number_bytes(x->type, token * width),
               number_bytes(x->type, width));
        return 1;
    }
    for (int pass = 0; pass < 2; pass++) {
        factor = most > 0 ? 127 / most : 1;
        for (uint64_t i = 0; i < width; i++) {
            float value = number_get(x->type, x->address, token * width + i);

            if (scales->dims)
                value *=
                    number_get(scales->type, scales->address, scale_row * width + i);
            if (pass == 0)
                most = fmaxf(most, fabsf(value));
            else
                ((int8_t *)into)[i] = (int8_t)rintf(value * factor);
        }
    }
    return 1 / factor;
}

static uint64_t row_bytes(const struct mc2_tiling *t)
{
    return number_bytes(t->tensor[EXPAND_X].type, (uint64_t)t->number[TOKENS_WIDTH]);
}

static char *add_row(const struct mc2_tiling *t,
                     uint64_t token,
                     uint64_t k,
                     uint64_t scale_row,
                     char *at)
{
    const struct mc2_tensor *weights = &t->tensor[EXPERT_SCALES];
    struct tokens_row *row = (struct tokens_row *)(void *)at;
    uint64_t count = (uint64_t)t->number[TOKENS_K];

    row->token = (int32_t)token;
    row->k = (int32_t)k;
    row->expert_scale =
        weights->dims && k < count
            ? number_get(weights->type, weights->address, token * count + k)
            : 0;
    row->dynamic_scale = store_row(t, token, scale_row, at + sizeof(*row));
    return at + tokens_entry(row_bytes(t));
}

static char *
pack_expert(const struct mc2_tiling *t, int64_t expert, uint32_t *count, char *at)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K];

    for (uint64_t pair = 0; pair < (uint64_t)t->number[TOKENS_COUNT] * k; pair++) {
        if (tokens_id(t, IDS, pair) != expert ||
            !tokens_is_active(t, MASK, pair / k, pair % k))
            continue;
        at = add_row(t, pair / k, pair % k,
                     (uint64_t)(t->number[TOKENS_SHARED] + expert), at);
        ++*count;
    }
    return at;
}

static char *
pack_shared(const struct mc2_tiling *t, uint32_t rank, uint32_t *count, char *at)
{
    uint64_t copies =
        (uint64_t)(t->number[TOKENS_SHARED_RANKS] / t->number[TOKENS_SHARED]);
    uint64_t k = (uint64_t)t->number[TOKENS_K];

    for (uint64_t token = 0; token < (uint64_t)t->number[TOKENS_COUNT]; token++) {
        if (!tokens_go_to_shared(t, (uint32_t)t->number[TOKENS_RANK], rank) ||
            !tokens_is_active(t, MASK, token, k))
            continue;
        at = add_row(t, token, k + rank / copies, rank / copies, at);
        ++*count;
    }
    return at;
}

static void pack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t ranks = body->context->ranks;
    uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS];
    struct tokens_message *messages = tokens_messages(body);
    char *at = (char *)(messages + ranks);

    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint32_t e = tokens_experts_of(t, rank), *counts = (uint32_t *)(void *)at;
        char *row = at + tokens_head(t, rank);

        memset(at, 0, tokens_head(t, rank));
        for (uint32_t j = 0; j < e; j++)
            row = rank < shared ? pack_shared(t, rank, &counts[j], row)
                                : pack_expert(t, (int64_t)(rank - shared) * e + j,
                                              &counts[j], row);
        messages[rank] = (struct tokens_message){(uintptr_t)at, (uint64_t)(row - at)};
        at = row;
    }
}

static void put_int(const struct mc2_tensor *tensor, uint64_t at, int64_t value)
{
    if (tensor->type == ACL_INT64)
        ((int64_t *)(uintptr_t)tensor->address)[at] = value;
    else
        ((int32_t *)(uintptr_t)tensor->address)[at] = (int32_t)value;
}

static void
unpack_row(const struct mc2_tiling *t, uint32_t source, const char *entry, uint64_t at)
{
    const struct tokens_row *row = (const struct tokens_row *)(const void *)entry;
    const struct mc2_tensor *tensor = t->tensor;
    uint64_t bytes = row_bytes(t);

    memcpy((char *)(uintptr_t)tensor[EXPAND_X].address + at * bytes,
           entry + sizeof(*row), bytes);
    if (t->number[QUANT_MODE])
        number_put(ACL_FLOAT, tensor[DYNAMIC_SCALES].address, at, row->dynamic_scale);
    if (tensor[EXPERT_SCALES].dims && tensor[EXPAND_SCALES].address)
        number_put(ACL_FLOAT, tensor[EXPAND_SCALES].address, at, row->expert_scale);
    if (!t->number[TOKENS_IS_INDEXED]) {
        put_int(&tensor[ASSIST], 3 * at, source);
        put_int(&tensor[ASSIST], 3 * at + 1, row->token);
        put_int(&tensor[ASSIST], 3 * at + 2, row->k);
    }
}

static void unpack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t own = body->context->rank, ranks = body->context->ranks;
    uint64_t at = 0, entry = tokens_entry(row_bytes(t));
    const char *next[NPU_SIM_COMM_RANKS];

    for (uint32_t source = 0; source < ranks; source++)
        next[source] = tokens_received(body, source) + tokens_head(t, own);
    for (uint32_t j = 0; j < tokens_experts_of(t, own); j++) {
        uint64_t first = at;

        for (uint32_t source = 0; source < ranks; source++) {
            const uint32_t *counts =
                (const uint32_t *)(const void *)tokens_received(body, source);

            for (uint32_t i = 0; i < counts[j] && at < t->tensor[EXPAND_X].dim[0];
                 i++) {
                unpack_row(t, source, next[source], at++);
                next[source] += entry;
            }
            put_int(&t->tensor[RECV_COUNTS], j * ranks + source, (int64_t)at);
        }
        put_int(&t->tensor[TOKEN_NUMS], j,
                (int64_t)(t->number[COUNTS_ARE_SINGLE] ? at - first : at));
    }
    for (uint64_t pair = 0;
         t->number[TOKENS_IS_INDEXED] &&
         pair < (uint64_t)(t->number[TOKENS_COUNT] * t->number[TOKENS_K]);
         pair++)
        put_int(&t->tensor[ASSIST], pair, (int64_t)tokens_index(t, IDS, MASK, pair));
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t rows = (uint64_t)(t->number[TOKENS_COUNT] *
                               (t->number[TOKENS_K] + t->number[TOKENS_SHARED]));

    body_vector_cost(body, t->tensor[X].address, rows * row_bytes(t),
                     rows * row_bytes(t), out);
}

static const struct fused_steps steps = {
    .before = pack,
    .parts = tokens_parts,
    .is_packed = true,
    .after = unpack,
    .cost = cost,
};

FUSED_KERNELS(MoeDistributeDispatch, steps, 1);
FUSED_KERNELS(MoeDistributeDispatchV2, steps, 1);
FUSED_KERNELS(MoeDistributeDispatchV3, steps, 1);

struct call {
    struct tokens_place place;
    const aclTensor *x, *ids, *scales, *mask, *expert_scales, *elastic, *performance;
    int64_t quant_mode, token_nums_type, zero, copy, constant;
    const aclTensor *expand_x, *dynamic_scales, *assist, *token_nums, *recv_counts;
    const aclTensor *tp_counts, *expand_scales;
    bool is_first; /* version 1 */
};

static void check_inputs(struct check *check, const struct call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t experts = (uint64_t)(call->place.experts + call->place.shared);

    check_optional(check, EXPERT_SCALES, call->expert_scales, CHECK_TYPE(ACL_FLOAT));
    check_count(check, EXPERT_SCALES, check_elements(check, IDS));
    tokens_check_mask(check, MASK, call->mask);
    if (check_optional(check, SCALES, call->scales, CHECK_TYPE(ACL_FLOAT)))
        check_dims2(check, SCALES, experts, (uint64_t)t->number[TOKENS_WIDTH]);
    check_that(check, call->quant_mode == 0 || call->quant_mode == 2);
    check_that(check, call->quant_mode == 2 || !call->scales);
    check_that(check, call->zero >= 0 && call->copy >= 0 && call->constant >= 0);
    check_that(check, call->token_nums_type == 0 || call->token_nums_type == 1);
    check_absent(check, call->elastic);
    check_that(check, !call->is_first || call->place.shared_ranks == 0);
    if (check_optional(check, PERFORMANCE, call->performance, CHECK_TYPE(ACL_INT64)))
        check_count(check, PERFORMANCE, check->ranks);
}

/* Returns the number of rows that the rank may receive. */
static uint64_t rows_of(const struct check *check, uint64_t most)
{
    const struct mc2_tiling *t = &check->call.tiling;
    uint64_t k = (uint64_t)t->number[TOKENS_K], e = tokens_experts_of(t, check->rank);

    if (check->rank < t->number[TOKENS_SHARED_RANKS])
        return most * check->ranks * (uint64_t)t->number[TOKENS_SHARED] /
               (uint64_t)t->number[TOKENS_SHARED_RANKS];
    return most * check->ranks * (e < k ? e : k);
}

static void check_outputs(struct check *check, const struct call *call, uint64_t rows)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t e = tokens_experts_of(t, check->rank), pairs = check_elements(check, IDS);
    uint64_t assist = t->number[TOKENS_IS_INDEXED] ? pairs : 3 * rows;

    check_tensor(check, EXPAND_X, call->expand_x,
                 call->quant_mode ? CHECK_TYPE(ACL_INT8) : CHECK_HALF);
    if (!call->quant_mode)
        check_type(check, EXPAND_X, t->tensor[X].type);
    check_dims2(check, EXPAND_X, CHECK_ANY, (uint64_t)t->number[TOKENS_WIDTH]);
    check_dense(check, EXPAND_X);
    check_tensor(check, DYNAMIC_SCALES, call->dynamic_scales, CHECK_TYPE(ACL_FLOAT));
    check_tensor(check, ASSIST, call->assist, CHECK_TYPE(ACL_INT32));
    check_tensor(check, TOKEN_NUMS, call->token_nums, CHECK_TYPE(ACL_INT64));
    check_tensor(check, RECV_COUNTS, call->recv_counts, CHECK_TYPE(ACL_INT32));
    check_tensor(check, TP_COUNTS, call->tp_counts, CHECK_TYPE(ACL_INT32));
    check_tensor(check, EXPAND_SCALES, call->expand_scales, CHECK_TYPE(ACL_FLOAT));
    if (check->status)
        return;
    check_that(check, t->tensor[EXPAND_X].dim[0] >= rows &&
                          check_elements(check, ASSIST) >= assist &&
                          check_elements(check, TOKEN_NUMS) >= e &&
                          check_elements(check, RECV_COUNTS) >= e * check->ranks);
    check_that(check,
               !call->quant_mode || check_elements(check, DYNAMIC_SCALES) >= rows);
    if (check_elements(check, EXPAND_SCALES) < rows)
        t->tensor[EXPAND_SCALES].address = 0;
}

static aclnnStatus prepare(const char *op,
                           const struct call *call,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    struct mc2_tiling *t;
    struct check check;
    uint64_t most, sent;

    check_begin(&check, op);
    t = &check.call.tiling;
    if (!call->place.group_ep)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    check_tensor(&check, X, call->x, CHECK_HALF);
    check_dims2(&check, X, CHECK_ANY, CHECK_ANY);
    check_dense(&check, X);
    most = tokens_check(&check, &call->place, IDS, call->ids, t->tensor[X].dim[1]);
    if (check.status)
        return check.status;
    check_that(&check, t->tensor[X].dim[0] == t->tensor[IDS].dim[0]);
    t->number[TOKENS_IS_INDEXED] = call->is_first || t->way == MC2_SERVER;
    t->number[QUANT_MODE] = call->quant_mode;
    t->number[COUNTS_ARE_SINGLE] = call->token_nums_type;
    check_inputs(&check, call);
    check_outputs(&check, call, rows_of(&check, most));
    if (check.status)
        return check.status;
    check.call.key = t->tensor[X].type == ACL_BF16;
    sent = t->tensor[X].dim[0] * (uint64_t)(t->number[TOKENS_K] + call->place.shared);
    check_turns(&check, 1, sent);
    tokens_workspace(&check, row_bytes(t), sent, t->tensor[EXPAND_X].dim[0]);
    return check_end(&check, size, executor);
}

#define PLACE                                                                          \
    {                                                                                  \
        .group_ep = groupEp, .group_tp = groupTp, .ep_size = epWorldSize,              \
        .ep_rank = epRankId, .experts = moeExpertNum, .tp_size = tpWorldSize,          \
        .tp_rank = tpRankId, .shard = expertShardType,                                 \
        .shared = shared_of(sharedExpertNum, sharedExpertRankNum),                     \
        .shared_ranks = sharedExpertRankNum, .global_tokens = globalBs, ALGORITHM      \
    }

/* Programs pass one shared expert without a rank for it. */
static int64_t shared_of(int64_t experts, int64_t ranks)
{
    return ranks == 0 && experts == 1 ? 0 : experts;
}

#define ALGORITHM .algorithm = NULL
aclnnStatus aclnnMoeDistributeDispatchGetWorkspaceSize(const aclTensor *x,
                                                       const aclTensor *expertIds,
                                                       const aclTensor *scales,
                                                       const aclTensor *xActiveMask,
                                                       const aclTensor *expertScales,
                                                       const char *groupEp,
                                                       int64_t epWorldSize,
                                                       int64_t epRankId,
                                                       int64_t moeExpertNum,
                                                       const char *groupTp,
                                                       int64_t tpWorldSize,
                                                       int64_t tpRankId,
                                                       int64_t expertShardType,
                                                       int64_t sharedExpertNum,
                                                       int64_t sharedExpertRankNum,
                                                       int64_t quantMode,
                                                       int64_t globalBs,
                                                       int64_t expertTokenNumsType,
                                                       aclTensor *expandX,
                                                       aclTensor *dynamicScales,
                                                       aclTensor *expandIdx,
                                                       aclTensor *expertTokenNums,
                                                       aclTensor *epRecvCounts,
                                                       aclTensor *tpRecvCounts,
                                                       aclTensor *expandScales,
                                                       uint64_t *workspaceSize,
                                                       aclOpExecutor **executor)
{
    const struct call call = {.place = PLACE,
                              .x = x,
                              .ids = expertIds,
                              .scales = scales,
                              .mask = xActiveMask,
                              .expert_scales = expertScales,
                              .quant_mode = quantMode,
                              .token_nums_type = expertTokenNumsType,
                              .expand_x = expandX,
                              .dynamic_scales = dynamicScales,
                              .assist = expandIdx,
                              .token_nums = expertTokenNums,
                              .recv_counts = epRecvCounts,
                              .tp_counts = tpRecvCounts,
                              .expand_scales = expandScales,
                              .is_first = true};

    return prepare("MoeDistributeDispatch", &call, workspaceSize, executor);
}
#undef ALGORITHM
#define ALGORITHM .algorithm = commAlg
#define LATER                                                                          \
    .place = PLACE, .x = x, .ids = expertIds, .scales = scalesOptional,                \
    .mask = xActiveMaskOptional, .expert_scales = expertScalesOptional,                \
    .quant_mode = quantMode, .token_nums_type = expertTokenNumsType,                   \
    .expand_x = expandXOut, .dynamic_scales = dynamicScalesOut,                        \
    .assist = assistInfoForCombineOut, .token_nums = expertTokenNumsOut,               \
    .recv_counts = epRecvCountsOut, .tp_counts = tpRecvCountsOut,                      \
    .expand_scales = expandScalesOut

static const char *later_type(void)
{
    return table_type("MoeDistributeDispatchV2", "MoeDistributeDispatchV3");
}

aclnnStatus
aclnnMoeDistributeDispatchV2GetWorkspaceSize(const aclTensor *x,
                                             const aclTensor *expertIds,
                                             const aclTensor *scalesOptional,
                                             const aclTensor *xActiveMaskOptional,
                                             const aclTensor *expertScalesOptional,
                                             const char *groupEp,
                                             int64_t epWorldSize,
                                             int64_t epRankId,
                                             int64_t moeExpertNum,
                                             const char *groupTp,
                                             int64_t tpWorldSize,
                                             int64_t tpRankId,
                                             int64_t expertShardType,
                                             int64_t sharedExpertNum,
                                             int64_t sharedExpertRankNum,
                                             int64_t quantMode,
                                             int64_t globalBs,
                                             int64_t expertTokenNumsType,
                                             const char *commAlg,
                                             aclTensor *expandXOut,
                                             aclTensor *dynamicScalesOut,
                                             aclTensor *assistInfoForCombineOut,
                                             aclTensor *expertTokenNumsOut,
                                             aclTensor *epRecvCountsOut,
                                             aclTensor *tpRecvCountsOut,
                                             aclTensor *expandScalesOut,
                                             uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const struct call call = {LATER};

    return prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeDispatchV3GetWorkspaceSize(const aclTensor *x,
                                             const aclTensor *expertIds,
                                             const aclTensor *scalesOptional,
                                             const aclTensor *xActiveMaskOptional,
                                             const aclTensor *expertScalesOptional,
                                             const aclTensor *elasticInfoOptional,
                                             const char *groupEp,
                                             int64_t epWorldSize,
                                             int64_t epRankId,
                                             int64_t moeExpertNum,
                                             const char *groupTp,
                                             int64_t tpWorldSize,
                                             int64_t tpRankId,
                                             int64_t expertShardType,
                                             int64_t sharedExpertNum,
                                             int64_t sharedExpertRankNum,
                                             int64_t quantMode,
                                             int64_t globalBs,
                                             int64_t expertTokenNumsType,
                                             const char *commAlg,
                                             int64_t zeroExpertNum,
                                             int64_t copyExpertNum,
                                             int64_t constExpertNum,
                                             aclTensor *expandXOut,
                                             aclTensor *dynamicScalesOut,
                                             aclTensor *assistInfoForCombineOut,
                                             aclTensor *expertTokenNumsOut,
                                             aclTensor *epRecvCountsOut,
                                             aclTensor *tpRecvCountsOut,
                                             aclTensor *expandScalesOut,
                                             uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const struct call call = {LATER, .elastic = elasticInfoOptional,
                              .zero = zeroExpertNum, .copy = copyExpertNum,
                              .constant = constExpertNum};

    return prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeDispatchV4GetWorkspaceSize(const aclTensor *x,
                                             const aclTensor *expertIds,
                                             const aclTensor *scalesOptional,
                                             const aclTensor *xActiveMaskOptional,
                                             const aclTensor *expertScalesOptional,
                                             const aclTensor *elasticInfoOptional,
                                             const aclTensor *performanceInfoOptional,
                                             const char *groupEp,
                                             int64_t epWorldSize,
                                             int64_t epRankId,
                                             int64_t moeExpertNum,
                                             const char *groupTp,
                                             int64_t tpWorldSize,
                                             int64_t tpRankId,
                                             int64_t expertShardType,
                                             int64_t sharedExpertNum,
                                             int64_t sharedExpertRankNum,
                                             int64_t quantMode,
                                             int64_t globalBs,
                                             int64_t expertTokenNumsType,
                                             const char *commAlg,
                                             int64_t zeroExpertNum,
                                             int64_t copyExpertNum,
                                             int64_t constExpertNum,
                                             aclTensor *expandXOut,
                                             aclTensor *dynamicScalesOut,
                                             aclTensor *assistInfoForCombineOut,
                                             aclTensor *expertTokenNumsOut,
                                             aclTensor *epRecvCountsOut,
                                             aclTensor *tpRecvCountsOut,
                                             aclTensor *expandScalesOut,
                                             uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const struct call call = {LATER,
                              .elastic = elasticInfoOptional,
                              .performance = performanceInfoOptional,
                              .zero = zeroExpertNum,
                              .copy = copyExpertNum,
                              .constant = constExpertNum};

    return prepare(later_type(), &call, workspaceSize, executor);
}

FUSED_RUN(aclnnMoeDistributeDispatch);
FUSED_RUN(aclnnMoeDistributeDispatchV2);
FUSED_RUN(aclnnMoeDistributeDispatchV3);
FUSED_RUN(aclnnMoeDistributeDispatchV4);
