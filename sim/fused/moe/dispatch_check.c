/* dispatch_check.c - checks the arguments of all versions of dispatch */
#include "sim/fused/moe/dispatch.h"

static void check_inputs(struct check *check, const struct dispatch_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t experts = (uint64_t)(call->place.experts + call->place.shared);

    check_optional(check, DISPATCH_EXPERT_SCALES, call->expert_scales,
                   CHECK_TYPE(ACL_FLOAT));
    check_count(check, DISPATCH_EXPERT_SCALES, check_elements(check, DISPATCH_IDS));
    tokens_check_mask(check, DISPATCH_MASK, call->mask);
    if (check_optional(check, DISPATCH_SCALES, call->scales, CHECK_TYPE(ACL_FLOAT)))
        check_dims2(check, DISPATCH_SCALES, experts, (uint64_t)t->number[TOKENS_WIDTH]);
    check_that(check, call->quant_mode == 0 || call->quant_mode == 2);
    check_that(check, call->quant_mode == 2 || !call->scales);
    check_that(check, call->zero >= 0 && call->copy >= 0 && call->constant >= 0);
    check_that(check, call->token_nums_type == 0 || call->token_nums_type == 1);
    check_absent(check, call->elastic);
    check_that(check, !call->is_first || call->place.shared_ranks == 0);
    if (check_optional(check, DISPATCH_PERFORMANCE, call->performance,
                       CHECK_TYPE(ACL_INT64)))
        check_count(check, DISPATCH_PERFORMANCE, check->ranks);
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

static void
check_outputs(struct check *check, const struct dispatch_call *call, uint64_t rows)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t e = tokens_experts_of(t, check->rank),
             pairs = check_elements(check, DISPATCH_IDS);
    uint64_t assist = t->number[TOKENS_IS_INDEXED] ? pairs : 3 * rows;

    check_tensor(check, DISPATCH_EXPAND_X, call->expand_x,
                 call->quant_mode ? CHECK_TYPE(ACL_INT8) : CHECK_HALF);
    if (!call->quant_mode)
        check_type(check, DISPATCH_EXPAND_X, t->tensor[DISPATCH_X].type);
    check_dims2(check, DISPATCH_EXPAND_X, CHECK_ANY, (uint64_t)t->number[TOKENS_WIDTH]);
    check_dense(check, DISPATCH_EXPAND_X);
    check_tensor(check, DISPATCH_DYNAMIC_SCALES, call->dynamic_scales,
                 CHECK_TYPE(ACL_FLOAT));
    check_tensor(check, DISPATCH_TOKEN_NUMS, call->token_nums, CHECK_TYPE(ACL_INT64));
    check_tensor(check, DISPATCH_RECV_COUNTS, call->recv_counts, CHECK_TYPE(ACL_INT32));
    if (!call->prepared) {
        check_tensor(check, DISPATCH_ASSIST, call->assist, CHECK_TYPE(ACL_INT32));
        check_tensor(check, DISPATCH_TP_COUNTS, call->tp_counts, CHECK_TYPE(ACL_INT32));
        check_tensor(check, DISPATCH_EXPAND_SCALES, call->expand_scales,
                     CHECK_TYPE(ACL_FLOAT));
    }
    if (check->status)
        return;
    check_that(
        check,
        t->tensor[DISPATCH_EXPAND_X].dim[0] >= rows &&
            (call->prepared || check_elements(check, DISPATCH_ASSIST) >= assist) &&
            check_elements(check, DISPATCH_TOKEN_NUMS) >= e &&
            check_elements(check, DISPATCH_RECV_COUNTS) >= e * check->ranks);
    check_that(check, !call->quant_mode ||
                          check_elements(check, DISPATCH_DYNAMIC_SCALES) >= rows);
    if (check_elements(check, DISPATCH_EXPAND_SCALES) < rows)
        t->tensor[DISPATCH_EXPAND_SCALES].address = 0;
}

/* Takes the rows from the outputs of a Setup in place of the tokens. */
static void check_prepared(struct check *check, const struct dispatch_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t pairs = t->tensor[DISPATCH_X].dim[0] *
                     (uint64_t)(t->number[TOKENS_K] + t->number[TOKENS_SHARED]);

    check_tensor(check, DISPATCH_SENT, call->sent, CHECK_TYPE(ACL_INT32));
    check_that(check, check->status || check_elements(check, DISPATCH_SENT) >=
                                           pairs * DISPATCH_SENT_STEP);
    check_tensor(check, DISPATCH_X, call->prepared,
                 CHECK_TYPE(t->tensor[DISPATCH_X].type));
    check_dims2(check, DISPATCH_X, pairs, CHECK_ANY);
    check_dense(check, DISPATCH_X);
    check_that(check, check->status || t->tensor[DISPATCH_X].dim[1] >=
                                           (uint64_t)t->number[TOKENS_WIDTH]);
    t->number[DISPATCH_PITCH] = (int64_t)t->tensor[DISPATCH_X].dim[1];
}

aclnnStatus dispatch_prepare(const char *op,
                             const struct dispatch_call *call,
                             uint64_t *size,
                             aclOpExecutor **executor)
{
    struct mc2_tiling *t;
    struct check check;
    uint64_t most, sent;

    check_begin(&check, op);
    t = &check.call.tiling;
    if (!call->place.group_ep || (call->sent && !call->prepared))
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    check_tensor(&check, DISPATCH_X, call->x, CHECK_HALF);
    check_dims2(&check, DISPATCH_X, CHECK_ANY, CHECK_ANY);
    check_dense(&check, DISPATCH_X);
    most = tokens_check(&check, &call->place, DISPATCH_IDS, call->ids,
                        t->tensor[DISPATCH_X].dim[1]);
    if (check.status)
        return check.status;
    check_that(&check, t->tensor[DISPATCH_X].dim[0] == t->tensor[DISPATCH_IDS].dim[0]);
    t->number[TOKENS_IS_INDEXED] = call->is_first || t->way == MC2_SERVER;
    t->number[DISPATCH_QUANT_MODE] = call->quant_mode;
    t->number[DISPATCH_COUNTS_ARE_SINGLE] = call->token_nums_type;
    check_inputs(&check, call);
    check_outputs(&check, call, rows_of(&check, most));
    if (check.status)
        return check.status;
    check.call.key = t->tensor[DISPATCH_X].type == ACL_BF16;
    sent = t->tensor[DISPATCH_X].dim[0] *
           (uint64_t)(t->number[TOKENS_K] + call->place.shared);
    if (call->prepared)
        check_prepared(&check, call);
    check_turns(&check, 1, sent);
    token_flow_check(&check, dispatch_row_bytes(t), sent);
    return check_end(&check, size, executor);
}
