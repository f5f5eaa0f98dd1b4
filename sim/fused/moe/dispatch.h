/* dispatch.h - tokens go to the ranks of their experts
 *
 * A rank gets its rows in the order of its experts, then of the ranks, then of the
 * pairs of a rank. On an A2, and in version 1, the operator that returns the tokens
 * finds them by an index among the pairs with the same expert; else by (rank, token,
 * k). Limits: no shared experts in version 1, no elasticInfo, quantMode 0 or 2. */
#ifndef SIM_FUSED_MOE_DISPATCH_H
#define SIM_FUSED_MOE_DISPATCH_H

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/token_flow.h"

/* Indexes of tensors. */
enum {
    DISPATCH_X,
    DISPATCH_IDS,
    DISPATCH_SCALES,
    DISPATCH_MASK,
    DISPATCH_EXPERT_SCALES,
    DISPATCH_EXPAND_X,
    DISPATCH_DYNAMIC_SCALES,
    DISPATCH_ASSIST,
    DISPATCH_TOKEN_NUMS,
    DISPATCH_RECV_COUNTS,
    DISPATCH_TP_COUNTS,
    DISPATCH_EXPAND_SCALES,
    DISPATCH_PERFORMANCE,
    DISPATCH_SENT, /* of a Setup: which pairs are sent; replaces the mask */
};
/* Indexes of `number`. */
enum {
    DISPATCH_QUANT_MODE = TOKENS_OWN,
    DISPATCH_COUNTS_ARE_SINGLE,
    DISPATCH_PITCH, /* elements between the rows of a Setup, one per pair; 0: tokens */
};

#define DISPATCH_SENT_STEP 16 /* numbers of a Setup for each pair */

struct dispatch_call {
    struct tokens_place place;
    const aclTensor *x, *ids, *scales, *mask, *expert_scales, *elastic, *performance;
    int64_t quant_mode, token_nums_type, zero, copy, constant;
    const aclTensor *expand_x, *dynamic_scales, *assist, *token_nums, *recv_counts;
    const aclTensor *tp_counts, *expand_scales;
    const aclTensor *prepared, *sent; /* of a Setup; the rows come from there */
    bool is_first;                    /* version 1 */
};

/* Checks the arguments of all versions and prepares the launch. */
aclnnStatus dispatch_prepare(const char *op,
                             const struct dispatch_call *call,
                             uint64_t *size,
                             aclOpExecutor **executor);

extern const struct fused_steps dispatch_steps;
void dispatch_open(const struct body *body); /* finds the rows for each rank */
extern const struct token_flow_way dispatch_way;
/* Finds the places of the rows that arrive, and of one of them. */
void dispatch_count(struct token_flow *flow);
char *
dispatch_place(struct token_flow *flow, uint32_t rank, const struct token_head *head);
uint64_t dispatch_pair(const struct mc2_tiling *tiling, uint64_t token, uint64_t k);
uint64_t dispatch_row_bytes(const struct mc2_tiling *tiling);

#endif
