/* combine_check.c - checks the arguments of all versions of combine */
#include "sim/fused/moe/combine.h"

static void
check_like_tokens(struct check *check, uint32_t slot, const aclTensor *tensor)
{
    const struct mc2_tiling *t = &check->call.tiling;

    check_tensor(check, slot, tensor, CHECK_HALF);
    check_type(check, slot, t->tensor[COMBINE_EXPAND_X].type);
    check_count(check, slot, (uint64_t)t->number[TOKENS_COUNT] * combine_width(t));
}

static void check_inputs(struct check *check, const struct combine_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t blocks = (uint64_t)tokens_experts_of(t, check->rank) * check->ranks;

    check_tensor(check, COMBINE_ASSIST, call->assist, CHECK_TYPE(ACL_INT32));
    check_tensor(check, COMBINE_SEND_COUNTS, call->send_counts, CHECK_TYPE(ACL_INT32));
    check_tensor(check, COMBINE_EXPERT_SCALES, call->expert_scales,
                 CHECK_TYPE(ACL_FLOAT));
    check_that(check,
               check->status || check_elements(check, COMBINE_SEND_COUNTS) >= blocks);
    check_that(check, check->status || check_elements(check, COMBINE_ASSIST) >=
                                           (t->number[TOKENS_IS_INDEXED]
                                                ? check_elements(check, COMBINE_IDS)
                                                : 3));
    if (!check->status && check_elements(check, COMBINE_EXPERT_SCALES) > 0)
        check_count(check, COMBINE_EXPERT_SCALES, check_elements(check, COMBINE_IDS));
    else
        t->tensor[COMBINE_EXPERT_SCALES].address = 0;
    tokens_check_mask(check, COMBINE_MASK, call->mask);
    if (call->shared_x) {
        check_that(check, call->place.shared_ranks == 0);
        check_like_tokens(check, COMBINE_SHARED_X, call->shared_x);
    }
    if (call->copy > 0)
        check_like_tokens(check, COMBINE_ORIGINAL_X, call->original_x);
    check_that(check,
               call->out_type == 0 && (call->list_type == 0 || call->list_type == 1));
    check_that(check, call->quant_mode == 0 || call->quant_mode == 2);
    check_that(check, call->zero >= 0 && call->copy >= 0 && call->constant == 0);
    check_absent(check, call->elastic);
    check_that(check, !call->is_first || call->place.shared_ranks == 0);
    if (check_optional(check, COMBINE_PERFORMANCE, call->performance,
                       CHECK_TYPE(ACL_INT64)))
        check_count(check, COMBINE_PERFORMANCE, check->ranks);
}

static void check_norm(struct check *check, const struct combine_call *call)
{
    check_type(check, COMBINE_EXPAND_X, ACL_BF16);
    check_like_tokens(check, COMBINE_RESIDUAL, call->residual);
    check_like_tokens(check, COMBINE_Y, call->y);
    check_tensor(check, COMBINE_GAMMA, call->gamma, CHECK_TYPE(ACL_BF16));
    check_count(check, COMBINE_GAMMA, combine_width(&check->call.tiling));
    check_tensor(check, COMBINE_RSTD, call->rstd, CHECK_TYPE(ACL_FLOAT));
    check_count(check, COMBINE_RSTD, (uint64_t)check->call.tiling.number[TOKENS_COUNT]);
    check->call.tiling.epsilon = call->epsilon;
}

aclnnStatus combine_prepare(const char *op,
                            const struct combine_call *call,
                            uint64_t *size,
                            aclOpExecutor **executor)
{
    struct mc2_tiling *t;
    struct check check;

    check_begin(&check, op);
    t = &check.call.tiling;
    if (!call->place.group_ep)
        check_fail(&check, ACLNN_ERR_PARAM_NULLPTR);
    check_tensor(&check, COMBINE_EXPAND_X, call->expand_x, CHECK_HALF);
    check_dims2(&check, COMBINE_EXPAND_X, CHECK_ANY, CHECK_ANY);
    check_dense(&check, COMBINE_EXPAND_X);
    tokens_check(&check, &call->place, COMBINE_IDS, call->ids,
                 t->tensor[COMBINE_EXPAND_X].dim[1]);
    if (check.status)
        return check.status;
    t->number[TOKENS_IS_INDEXED] = call->is_first || t->way == MC2_SERVER;
    t->number[COMBINE_IS_CODED] = call->quant_mode == 2;
    t->number[COMBINE_ZERO_EXPERTS] = call->zero;
    t->number[COMBINE_COPY_EXPERTS] = call->copy;
    check_inputs(&check, call);
    check_like_tokens(&check, COMBINE_OUT, call->out);
    if (call->has_norm)
        check_norm(&check, call);
    if (check.status)
        return check.status;
    check.call.key = t->tensor[COMBINE_EXPAND_X].type == ACL_BF16;
    check_turns(&check, 1, t->tensor[COMBINE_EXPAND_X].dim[0]);
    token_flow_check(&check, combine_row_bytes(t), t->tensor[COMBINE_EXPAND_X].dim[0]);
    combine_check_returned(&check);
    return check_end(&check, size, executor);
}
