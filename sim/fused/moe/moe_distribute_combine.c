/* moe_distribute_combine.c - the experts return the tokens, each rank adds them with
 * their weights
 *
 * A row goes back with (token, k), or on an A2 and in version 1 with its expert and its
 * index among the rows of that expert. The sums are in float, in the order of k, then
 * shared experts, then sharedExpertX, then copied tokens. AddRmsNorm adds a residual
 * and writes the norm, too. Limits: no shared experts in version 1, no elasticInfo, no
 * constant experts. */
#include <aclnnop/aclnn_moe_distribute_combine.h>
#include <aclnnop/aclnn_moe_distribute_combine_add_rms_norm.h>
#include <aclnnop/aclnn_moe_distribute_combine_add_rms_norm_v2.h>
#include <aclnnop/aclnn_moe_distribute_combine_v2.h>
#include <aclnnop/aclnn_moe_distribute_combine_v3.h>
#include <aclnnop/aclnn_moe_distribute_combine_v4.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/table.h"
#include "sim/fused/shared/tokens.h"

enum {
    EXPAND_X,
    IDS,
    ASSIST,
    SEND_COUNTS,
    EXPERT_SCALES,
    MASK,
    SHARED_X,
    ORIGINAL_X,
    PERFORMANCE,
    RESIDUAL,
    GAMMA,
    OUT,
    Y,
    RSTD,
};
enum { IS_CODED = TOKENS_OWN, ZERO_EXPERTS, COPY_EXPERTS };

#define NEIGHBOURS 8 /* with one scale, in a quantised transfer */

static uint64_t width_of(const struct mc2_tiling *t)
{
    return (uint64_t)t->number[TOKENS_WIDTH];
}

static uint64_t row_bytes(const struct mc2_tiling *t)
{
    uint64_t scales = (width_of(t) + NEIGHBOURS - 1) / NEIGHBOURS;

    return t->number[IS_CODED]
               ? width_of(t) + number_bytes(t->tensor[EXPAND_X].type, scales)
               : number_bytes(t->tensor[EXPAND_X].type, width_of(t));
}

static int32_t int_at(const struct mc2_tensor *tensor, uint64_t at)
{
    return ((const int32_t *)(uintptr_t)tensor->address)[at];
}

/* Writes a row as whole numbers, and behind it the scales of its neighbours. */
static void
encode(const struct mc2_tensor *x, uint64_t first, uint64_t width, char *into)
{
    for (uint64_t i = 0; i < width; i += NEIGHBOURS) {
        uint64_t end = i + NEIGHBOURS < width ? i + NEIGHBOURS : width;
        float most = 0, scale;

        for (uint64_t k = i; k < end; k++)
            most = fmaxf(most, fabsf(number_get(x->type, x->address, first + k)));
        scale = number_round(x->type, most / 127);
        number_put(x->type, (uintptr_t)into + width, i / NEIGHBOURS, scale);
        for (uint64_t k = i; k < end; k++) {
            float value = number_get(x->type, x->address, first + k);

            number_put(ACL_INT8, (uintptr_t)into, k, scale > 0 ? value / scale : 0);
        }
    }
}

/* Reads a returned row. */
static void load_row(const struct mc2_tiling *t, const char *entry, float *out)
{
    uint64_t row = (uintptr_t)entry + sizeof(struct tokens_row), width = width_of(t);
    int32_t type = t->tensor[EXPAND_X].type;

    numbers_get(t->number[IS_CODED] ? ACL_INT8 : type, row, 0, 1, width, out);
    for (uint64_t i = 0; t->number[IS_CODED] && i < width; i++)
        out[i] *= number_get(type, row + width, i / NEIGHBOURS);
}

struct packing {
    const struct mc2_tiling *tiling;
    uint32_t rank, ranks, experts, first_expert;
    char *at;
};

static void add_row(struct packing *packing, uint64_t row, int32_t token, int32_t k)
{
    const struct mc2_tiling *t = packing->tiling;
    const struct mc2_tensor *x = &t->tensor[EXPAND_X];
    struct tokens_row *head = (struct tokens_row *)(void *)packing->at;
    char *into = packing->at + sizeof(*head);

    *head = (struct tokens_row){.token = token, .k = k};
    if (t->number[IS_CODED])
        encode(x, row * width_of(t), width_of(t), into);
    else
        memcpy(into, (const char *)(uintptr_t)x->address + row * row_bytes(t),
               row_bytes(t));
    packing->at += tokens_entry(row_bytes(t));
}

/* Adds the rows of this rank's experts that came from one rank. */
static void pack_rows(struct packing *packing, uint32_t to)
{
    const struct mc2_tiling *t = packing->tiling;
    uint64_t limit = t->tensor[EXPAND_X].dim[0];

    for (uint32_t j = 0; j < packing->experts; j++) {
        uint64_t block = (uint64_t)j * packing->ranks + to;
        int32_t from = block ? int_at(&t->tensor[SEND_COUNTS], block - 1) : 0;
        int32_t end = int_at(&t->tensor[SEND_COUNTS], block);

        for (int32_t row = from < 0 ? 0 : from; row < end && (uint64_t)row < limit;
             row++) {
            if (t->number[TOKENS_IS_INDEXED])
                add_row(packing, (uint64_t)row, (int32_t)(packing->first_expert + j),
                        row - from);
            else
                add_row(packing, (uint64_t)row,
                        int_at(&t->tensor[ASSIST], 3 * (uint64_t)row + 1),
                        int_at(&t->tensor[ASSIST], 3 * (uint64_t)row + 2));
        }
    }
}

static void pack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    uint32_t own = body->context->rank, ranks = body->context->ranks;
    uint32_t shared = (uint32_t)t->number[TOKENS_SHARED_RANKS];
    uint32_t experts = tokens_experts_of(t, own);
    struct tokens_message *messages = tokens_messages(body);
    struct packing packing = {
        .tiling = t,
        .rank = own,
        .ranks = ranks,
        .experts = experts,
        .first_expert = own < shared ? 0 : (own - shared) * experts,
        .at = (char *)(messages + ranks),
    };

    for (uint32_t rank = 0; rank < ranks; rank++) {
        char *first = packing.at;

        pack_rows(&packing, rank);
        messages[rank] =
            (struct tokens_message){(uintptr_t)first, (uint64_t)(packing.at - first)};
    }
}

/* The rows of this rank's tokens: entry [token x (K + S) + k], or NULL. */
struct returned {
    const char **rows;
    uint64_t per_token;
};

static uint64_t find_pair(const struct mc2_tiling *t, int32_t expert, int32_t index)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K];
    uint64_t pairs = (uint64_t)t->number[TOKENS_COUNT] * k;

    for (uint64_t pair = 0; pair < pairs; pair++)
        if (tokens_id(t, IDS, pair) == expert &&
            int_at(&t->tensor[ASSIST], pair) == index &&
            tokens_is_active(t, MASK, pair / k, pair % k))
            return pair;
    return UINT64_MAX;
}

static void sort_rows(const struct body *body, struct returned *returned)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t entry = tokens_entry(row_bytes(t)), k = (uint64_t)t->number[TOKENS_K];

    for (uint32_t rank = 0; rank < body->context->ranks; rank++) {
        const char *at = tokens_received(body, rank);
        const char *end = at + mc2_parts(body->context, 0)[rank].into_bytes;

        for (; at < end; at += entry) {
            const struct tokens_row *row = (const struct tokens_row *)(const void *)at;
            uint64_t token = (uint64_t)row->token, place = (uint64_t)row->k;

            if (t->number[TOKENS_IS_INDEXED]) {
                uint64_t pair = find_pair(t, row->token, row->k);

                token = pair / k;
                place = pair % k;
            }
            if (token < (uint64_t)t->number[TOKENS_COUNT] &&
                place < returned->per_token)
                returned->rows[token * returned->per_token + place] = at;
        }
    }
}

static float weight_at(const struct mc2_tiling *t, uint64_t pair)
{
    const struct mc2_tensor *weights = &t->tensor[EXPERT_SCALES];

    return weights->address ? number_get(weights->type, weights->address, pair) : 1;
}

static void add(float *sums, float factor, const float *row, uint64_t width)
{
    for (uint64_t i = 0; i < width; i++)
        sums[i] += factor * row[i];
}

static void add_token(const struct mc2_tensor *x,
                      uint64_t token,
                      float factor,
                      uint64_t width,
                      float *row,
                      float *sums)
{
    numbers_get(x->type, x->address, token * width, 1, width, row);
    add(sums, factor, row, width);
}

/* row: room for the elements of a row. */
static void sum_token(const struct mc2_tiling *t,
                      const struct returned *returned,
                      uint64_t token,
                      float *row,
                      float *sums)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K], width = width_of(t);
    int64_t first_copy = t->number[TOKENS_EXPERTS] + t->number[ZERO_EXPERTS];

    memset(sums, 0, width * sizeof(*sums));
    for (uint64_t place = 0; place < returned->per_token; place++) {
        const char *entry = returned->rows[token * returned->per_token + place];

        if (!entry)
            continue;
        load_row(t, entry, row);
        add(sums, place < k ? weight_at(t, token * k + place) : 1, row, width);
    }
    if (t->tensor[SHARED_X].dims)
        add_token(&t->tensor[SHARED_X], token, 1, width, row, sums);
    for (uint64_t place = 0; t->number[COPY_EXPERTS] && place < k; place++) {
        int64_t expert = tokens_id(t, IDS, token * k + place);

        if (expert >= first_copy && expert < first_copy + t->number[COPY_EXPERTS] &&
            tokens_is_active(t, MASK, token, place))
            add_token(&t->tensor[ORIGINAL_X], token, weight_at(t, token * k + place),
                      width, row, sums);
    }
}

static void add_and_norm(const struct mc2_tiling *t, uint64_t token, float *row)
{
    const struct mc2_tensor *residual = &t->tensor[RESIDUAL],
                            *gamma = &t->tensor[GAMMA];
    const struct mc2_tensor *y = &t->tensor[Y];
    uint64_t width = width_of(t), first = token * width;
    float squares = 0, scale;

    for (uint64_t i = 0; i < width; i++) {
        row[i] += number_get(residual->type, residual->address, first + i);
        squares += row[i] * row[i];
    }
    scale = 1.0f / sqrtf(squares / (float)width + (float)t->epsilon);
    number_put(ACL_FLOAT, t->tensor[RSTD].address, token, scale);
    for (uint64_t i = 0; i < width; i++)
        number_put(y->type, y->address, first + i,
                   number_round(y->type, row[i] * scale) *
                       number_get(gamma->type, gamma->address, i));
}

static void unpack(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *out = &t->tensor[OUT];
    uint64_t count = (uint64_t)t->number[TOKENS_COUNT], width = width_of(t);
    struct returned returned = {
        .per_token = (uint64_t)(t->number[TOKENS_K] + t->number[TOKENS_SHARED])};
    float *sums = malloc((2 * width + 1) * sizeof(*sums));

    returned.rows = calloc(count * returned.per_token + 1, sizeof(*returned.rows));
    if (sums && returned.rows)
        sort_rows(body, &returned);
    for (uint64_t token = 0; sums && returned.rows && token < count; token++) {
        if (!tokens_is_active(t, MASK, token, (uint64_t)t->number[TOKENS_K]))
            continue;
        sum_token(t, &returned, token, sums + width, sums);
        if (t->tensor[Y].dims)
            add_and_norm(t, token, sums);
        for (uint64_t i = 0; i < width; i++)
            number_put(out->type, out->address, token * width + i, sums[i]);
    }
    free(returned.rows);
    free(sums);
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t rows = (uint64_t)(t->number[TOKENS_COUNT] * t->number[TOKENS_K]);

    body_vector_cost(body, t->tensor[EXPAND_X].address, 2 * rows * row_bytes(t),
                     rows * row_bytes(t), out);
}

static const struct fused_steps steps = {
    .before = pack,
    .parts = tokens_parts,
    .is_packed = true,
    .after = unpack,
    .cost = cost,
};

FUSED_KERNELS(MoeDistributeCombine, steps, 1);
FUSED_KERNELS(MoeDistributeCombineV2, steps, 1);
FUSED_KERNELS(MoeDistributeCombineV3, steps, 1);
FUSED_KERNELS(MoeDistributeCombineAddRmsNorm, steps, 1);

struct call {
    struct tokens_place place;
    const aclTensor *expand_x, *ids, *assist, *send_counts, *expert_scales, *mask;
    const aclTensor *shared_x, *elastic, *original_x, *performance;
    const aclTensor *residual, *gamma, *out, *y, *rstd;
    int64_t out_type, quant_mode, list_type, zero, copy, constant;
    double epsilon;
    bool is_first, has_norm;
};

static void
check_like_tokens(struct check *check, uint32_t slot, const aclTensor *tensor)
{
    const struct mc2_tiling *t = &check->call.tiling;

    check_tensor(check, slot, tensor, CHECK_HALF);
    check_type(check, slot, t->tensor[EXPAND_X].type);
    check_count(check, slot, (uint64_t)t->number[TOKENS_COUNT] * width_of(t));
}

static void check_inputs(struct check *check, const struct call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t blocks = (uint64_t)tokens_experts_of(t, check->rank) * check->ranks;

    check_tensor(check, ASSIST, call->assist, CHECK_TYPE(ACL_INT32));
    check_tensor(check, SEND_COUNTS, call->send_counts, CHECK_TYPE(ACL_INT32));
    check_tensor(check, EXPERT_SCALES, call->expert_scales, CHECK_TYPE(ACL_FLOAT));
    check_that(check, check->status || check_elements(check, SEND_COUNTS) >= blocks);
    check_that(check,
               check->status ||
                   check_elements(check, ASSIST) >=
                       (t->number[TOKENS_IS_INDEXED] ? check_elements(check, IDS) : 3));
    if (!check->status && check_elements(check, EXPERT_SCALES) > 0)
        check_count(check, EXPERT_SCALES, check_elements(check, IDS));
    else
        t->tensor[EXPERT_SCALES].address = 0;
    tokens_check_mask(check, MASK, call->mask);
    if (call->shared_x) {
        check_that(check, call->place.shared_ranks == 0);
        check_like_tokens(check, SHARED_X, call->shared_x);
    }
    if (call->copy > 0)
        check_like_tokens(check, ORIGINAL_X, call->original_x);
    check_that(check,
               call->out_type == 0 && (call->list_type == 0 || call->list_type == 1));
    check_that(check, call->quant_mode == 0 || call->quant_mode == 2);
    check_that(check, call->zero >= 0 && call->copy >= 0 && call->constant == 0);
    check_absent(check, call->elastic);
    check_that(check, !call->is_first || call->place.shared_ranks == 0);
    if (check_optional(check, PERFORMANCE, call->performance, CHECK_TYPE(ACL_INT64)))
        check_count(check, PERFORMANCE, check->ranks);
}

static void check_norm(struct check *check, const struct call *call)
{
    check_type(check, EXPAND_X, ACL_BF16);
    check_like_tokens(check, RESIDUAL, call->residual);
    check_like_tokens(check, Y, call->y);
    check_tensor(check, GAMMA, call->gamma, CHECK_TYPE(ACL_BF16));
    check_count(check, GAMMA, width_of(&check->call.tiling));
    check_tensor(check, RSTD, call->rstd, CHECK_TYPE(ACL_FLOAT));
    check_count(check, RSTD, (uint64_t)check->call.tiling.number[TOKENS_COUNT]);
    check->call.tiling.epsilon = call->epsilon;
}

static aclnnStatus prepare(const char *op,
                           const struct call *call,
                           uint64_t *size,
                           aclOpExecutor **executor)
{
    struct mc2_tiling *t;
    struct check check;
    uint64_t returned;

    check_begin(&check, op);
    t = &check.call.tiling;
    if (!call->place.group_ep)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    check_tensor(&check, EXPAND_X, call->expand_x, CHECK_HALF);
    check_dims2(&check, EXPAND_X, CHECK_ANY, CHECK_ANY);
    check_dense(&check, EXPAND_X);
    tokens_check(&check, &call->place, IDS, call->ids, t->tensor[EXPAND_X].dim[1]);
    if (check.status)
        return check.status;
    t->number[TOKENS_IS_INDEXED] = call->is_first || t->way == MC2_SERVER;
    t->number[IS_CODED] = call->quant_mode == 2;
    t->number[ZERO_EXPERTS] = call->zero;
    t->number[COPY_EXPERTS] = call->copy;
    check_inputs(&check, call);
    check_like_tokens(&check, OUT, call->out);
    if (call->has_norm)
        check_norm(&check, call);
    if (check.status)
        return check.status;
    check.call.key = t->tensor[EXPAND_X].type == ACL_BF16;
    returned = (uint64_t)(t->number[TOKENS_COUNT] *
                          (t->number[TOKENS_K] + t->number[TOKENS_SHARED]));
    check_turns(&check, 1, t->tensor[EXPAND_X].dim[0]);
    tokens_workspace(&check, row_bytes(t), t->tensor[EXPAND_X].dim[0], returned);
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
aclnnStatus aclnnMoeDistributeCombineGetWorkspaceSize(const aclTensor *expandX,
                                                      const aclTensor *expertIds,
                                                      const aclTensor *expandIdx,
                                                      const aclTensor *epSendCounts,
                                                      const aclTensor *expertScales,
                                                      const aclTensor *tpSendCounts,
                                                      const aclTensor *xActiveMask,
                                                      const aclTensor *activationScale,
                                                      const aclTensor *weightScale,
                                                      const aclTensor *groupList,
                                                      const aclTensor *expandScales,
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
                                                      int64_t globalBs,
                                                      int64_t outDtype,
                                                      int64_t commQuantMode,
                                                      int64_t groupListType,
                                                      aclTensor *x,
                                                      uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    const struct call call = {.place = PLACE,
                              .expand_x = expandX,
                              .ids = expertIds,
                              .assist = expandIdx,
                              .send_counts = epSendCounts,
                              .expert_scales = expertScales,
                              .mask = xActiveMask,
                              .out = x,
                              .out_type = outDtype,
                              .quant_mode = commQuantMode,
                              .list_type = groupListType,
                              .is_first = true};

    (void)tpSendCounts;
    (void)activationScale;
    (void)weightScale;
    (void)groupList;
    (void)expandScales;
    return prepare("MoeDistributeCombine", &call, workspaceSize, executor);
}
#undef ALGORITHM
#define ALGORITHM .algorithm = commAlg
#define LATER                                                                          \
    .place = PLACE, .expand_x = expandX, .ids = expertIds,                             \
    .assist = assistInfoForCombine, .send_counts = epSendCounts,                       \
    .expert_scales = expertScales, .mask = xActiveMaskOptional,                        \
    .shared_x = sharedExpertXOptional, .out = xOut, .out_type = outDtype,              \
    .quant_mode = commQuantMode, .list_type = groupListType
#define EXTRA                                                                          \
    .elastic = elasticInfoOptional, .original_x = oriXOptional, .zero = zeroExpertNum, \
    .copy = copyExpertNum, .constant = constExpertNum
#define UNUSED                                                                         \
    (void)tpSendCountsOptional;                                                        \
    (void)activationScaleOptional;                                                     \
    (void)weightScaleOptional;                                                         \
    (void)groupListOptional;                                                           \
    (void)expandScalesOptional
#define UNUSED_EXTRA                                                                   \
    (void)constExpertAlpha1Optional;                                                   \
    (void)constExpertAlpha2Optional;                                                   \
    (void)constExpertVOptional

static const char *later_type(void)
{
    return table_type("MoeDistributeCombineV2", "MoeDistributeCombineV3");
}

aclnnStatus
aclnnMoeDistributeCombineV2GetWorkspaceSize(const aclTensor *expandX,
                                            const aclTensor *expertIds,
                                            const aclTensor *assistInfoForCombine,
                                            const aclTensor *epSendCounts,
                                            const aclTensor *expertScales,
                                            const aclTensor *tpSendCountsOptional,
                                            const aclTensor *xActiveMaskOptional,
                                            const aclTensor *activationScaleOptional,
                                            const aclTensor *weightScaleOptional,
                                            const aclTensor *groupListOptional,
                                            const aclTensor *expandScalesOptional,
                                            const aclTensor *sharedExpertXOptional,
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
                                            int64_t globalBs,
                                            int64_t outDtype,
                                            int64_t commQuantMode,
                                            int64_t groupListType,
                                            const char *commAlg,
                                            aclTensor *xOut,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const struct call call = {LATER};

    UNUSED;
    return prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeCombineV3GetWorkspaceSize(const aclTensor *expandX,
                                            const aclTensor *expertIds,
                                            const aclTensor *assistInfoForCombine,
                                            const aclTensor *epSendCounts,
                                            const aclTensor *expertScales,
                                            const aclTensor *tpSendCountsOptional,
                                            const aclTensor *xActiveMaskOptional,
                                            const aclTensor *activationScaleOptional,
                                            const aclTensor *weightScaleOptional,
                                            const aclTensor *groupListOptional,
                                            const aclTensor *expandScalesOptional,
                                            const aclTensor *sharedExpertXOptional,
                                            const aclTensor *elasticInfoOptional,
                                            const aclTensor *oriXOptional,
                                            const aclTensor *constExpertAlpha1Optional,
                                            const aclTensor *constExpertAlpha2Optional,
                                            const aclTensor *constExpertVOptional,
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
                                            int64_t globalBs,
                                            int64_t outDtype,
                                            int64_t commQuantMode,
                                            int64_t groupListType,
                                            const char *commAlg,
                                            int64_t zeroExpertNum,
                                            int64_t copyExpertNum,
                                            int64_t constExpertNum,
                                            aclTensor *xOut,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const struct call call = {LATER, EXTRA};

    UNUSED;
    UNUSED_EXTRA;
    return prepare(later_type(), &call, workspaceSize, executor);
}

aclnnStatus
aclnnMoeDistributeCombineV4GetWorkspaceSize(const aclTensor *expandX,
                                            const aclTensor *expertIds,
                                            const aclTensor *assistInfoForCombine,
                                            const aclTensor *epSendCounts,
                                            const aclTensor *expertScales,
                                            const aclTensor *tpSendCountsOptional,
                                            const aclTensor *xActiveMaskOptional,
                                            const aclTensor *activationScaleOptional,
                                            const aclTensor *weightScaleOptional,
                                            const aclTensor *groupListOptional,
                                            const aclTensor *expandScalesOptional,
                                            const aclTensor *sharedExpertXOptional,
                                            const aclTensor *elasticInfoOptional,
                                            const aclTensor *oriXOptional,
                                            const aclTensor *constExpertAlpha1Optional,
                                            const aclTensor *constExpertAlpha2Optional,
                                            const aclTensor *constExpertVOptional,
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
                                            int64_t globalBs,
                                            int64_t outDtype,
                                            int64_t commQuantMode,
                                            int64_t groupListType,
                                            const char *commAlg,
                                            int64_t zeroExpertNum,
                                            int64_t copyExpertNum,
                                            int64_t constExpertNum,
                                            aclTensor *xOut,
                                            uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const struct call call = {LATER, EXTRA, .performance = performanceInfoOptional};

    UNUSED;
    UNUSED_EXTRA;
    return prepare(later_type(), &call, workspaceSize, executor);
}

#define NORM                                                                           \
    .residual = residualX, .gamma = gamma, .y = yOut, .rstd = rstdOut,                 \
    .epsilon = normEps, .has_norm = true

aclnnStatus aclnnMoeDistributeCombineAddRmsNormGetWorkspaceSize(
    const aclTensor *expandX,
    const aclTensor *expertIds,
    const aclTensor *assistInfoForCombine,
    const aclTensor *epSendCounts,
    const aclTensor *expertScales,
    const aclTensor *residualX,
    const aclTensor *gamma,
    const aclTensor *tpSendCountsOptional,
    const aclTensor *xActiveMaskOptional,
    const aclTensor *activationScaleOptional,
    const aclTensor *weightScaleOptional,
    const aclTensor *groupListOptional,
    const aclTensor *expandScalesOptional,
    const aclTensor *sharedExpertXOptional,
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
    int64_t globalBs,
    int64_t outDtype,
    int64_t commQuantMode,
    int64_t groupListType,
    const char *commAlg,
    float normEps,
    aclTensor *yOut,
    aclTensor *rstdOut,
    aclTensor *xOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    const struct call call = {LATER, NORM};

    UNUSED;
    return prepare("MoeDistributeCombineAddRmsNorm", &call, workspaceSize, executor);
}

aclnnStatus aclnnMoeDistributeCombineAddRmsNormV2GetWorkspaceSize(
    const aclTensor *expandX,
    const aclTensor *expertIds,
    const aclTensor *assistInfoForCombine,
    const aclTensor *epSendCounts,
    const aclTensor *expertScales,
    const aclTensor *residualX,
    const aclTensor *gamma,
    const aclTensor *tpSendCountsOptional,
    const aclTensor *xActiveMaskOptional,
    const aclTensor *activationScaleOptional,
    const aclTensor *weightScaleOptional,
    const aclTensor *groupListOptional,
    const aclTensor *expandScalesOptional,
    const aclTensor *sharedExpertXOptional,
    const aclTensor *elasticInfoOptional,
    const aclTensor *oriXOptional,
    const aclTensor *constExpertAlpha1Optional,
    const aclTensor *constExpertAlpha2Optional,
    const aclTensor *constExpertVOptional,
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
    int64_t globalBs,
    int64_t outDtype,
    int64_t commQuantMode,
    int64_t groupListType,
    const char *commAlg,
    float normEps,
    int64_t zeroExpertNum,
    int64_t copyExpertNum,
    int64_t constExpertNum,
    aclTensor *yOut,
    aclTensor *rstdOut,
    aclTensor *xOut,
    uint64_t *workspaceSize,
    aclOpExecutor **executor)
{
    const struct call call = {LATER, NORM, EXTRA};

    UNUSED;
    UNUSED_EXTRA;
    return prepare("MoeDistributeCombineAddRmsNorm", &call, workspaceSize, executor);
}

FUSED_RUN(aclnnMoeDistributeCombine);
FUSED_RUN(aclnnMoeDistributeCombineV2);
FUSED_RUN(aclnnMoeDistributeCombineV3);
FUSED_RUN(aclnnMoeDistributeCombineV4);
FUSED_RUN(aclnnMoeDistributeCombineAddRmsNorm);
FUSED_RUN(aclnnMoeDistributeCombineAddRmsNormV2);
