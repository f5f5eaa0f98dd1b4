/* combine.h - the experts return the tokens, each rank adds them with their weights
 *
 * A row goes back with (token, k), or on an A2 and in version 1 with its expert and its
 * index among the rows of that expert. The sums are in float, in the order of k, then
 * shared experts, then sharedExpertX, then copied tokens. A residual and a norm can
 * follow. Limits: no shared experts in version 1, no elasticInfo, no constant experts.
 */
#ifndef SIM_FUSED_MOE_COMBINE_H
#define SIM_FUSED_MOE_COMBINE_H

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/token_flow.h"

/* Indexes of tensors. */
enum {
    COMBINE_EXPAND_X,
    COMBINE_IDS,
    COMBINE_ASSIST,
    COMBINE_SEND_COUNTS,
    COMBINE_EXPERT_SCALES,
    COMBINE_MASK,
    COMBINE_SHARED_X,
    COMBINE_ORIGINAL_X,
    COMBINE_PERFORMANCE,
    COMBINE_RESIDUAL,
    COMBINE_GAMMA,
    COMBINE_OUT,
    COMBINE_Y,
    COMBINE_RSTD,
};
/* Indexes of `number`. */
enum { COMBINE_IS_CODED = TOKENS_OWN, COMBINE_ZERO_EXPERTS, COMBINE_COPY_EXPERTS };

#define COMBINE_NEIGHBOURS 8 /* with one scale, in a quantised transfer */

struct combine_call {
    struct tokens_place place;
    const aclTensor *expand_x, *ids, *assist, *send_counts, *expert_scales, *mask;
    const aclTensor *shared_x, *elastic, *original_x, *performance;
    const aclTensor *residual, *gamma, *out, *y, *rstd;
    int64_t out_type, quant_mode, list_type, zero, copy, constant;
    double epsilon;
    bool is_first, has_norm;
};

/* Checks the arguments of all versions and prepares the launch. */
aclnnStatus combine_prepare(const char *op,
                            const struct combine_call *call,
                            uint64_t *size,
                            aclOpExecutor **executor);

extern const struct fused_steps combine_steps;
/* The rows of this rank's tokens, in the order of token x (K + S) + k. */
struct combine_returned {
    char *rows;
    uint8_t *is_there;
    uint64_t per_token, count;
};
struct combine_returned combine_returned(const struct body *body);
void combine_check_returned(struct check *check);

void combine_open(const struct body *body); /* finds the rows of this rank's experts */
/* Returns where a row that came back belongs. */
char *
combine_place(struct token_flow *flow, uint32_t rank, const struct token_head *head);
uint64_t combine_row_bytes(const struct mc2_tiling *tiling); /* of a returned row */

static inline uint64_t combine_width(const struct mc2_tiling *tiling)
{
    return (uint64_t)tiling->number[TOKENS_WIDTH];
}

static inline int32_t combine_int(const struct mc2_tensor *tensor, uint64_t at)
{
    return ((const int32_t *)(uintptr_t)tensor->address)[at];
}

#endif
