/* tokens.h - tokens, their experts and the ranks of these, for dispatch and combine
 *
 * Ranks 0 to R - 1 hold shared experts, the others e MoE experts each. A token has K
 * pairs with MoE experts, numbered token x K + k, and one with each shared expert,
 * k = K on. token_flow.h moves their rows. */
#ifndef SIM_FUSED_SHARED_TOKENS_H
#define SIM_FUSED_SHARED_TOKENS_H

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"

/* Indexes of `number`. */
enum {
    TOKENS_RANKS,
    TOKENS_RANK,
    TOKENS_EXPERTS, /* MoE experts of all ranks */
    TOKENS_SHARED,  /* shared experts */
    TOKENS_SHARED_RANKS,
    TOKENS_COUNT, /* tokens of this rank */
    TOKENS_K,
    TOKENS_WIDTH,
    TOKENS_IS_INDEXED, /* 1: an index among equal experts stands for (rank, token, k) */
    TOKENS_OWN,        /* the operator's own numbers begin here */
};

struct tokens_place {
    const char *group_ep, *group_tp;
    int64_t ep_size, ep_rank, experts, tp_size, tp_rank, shard, shared, shared_ranks;
    int64_t global_tokens;
    const char *algorithm;
};

/* Fills a struct tokens_place from arguments with the names of the vendor's headers. */
#define TOKENS_PLACE(comm_algorithm)                                                   \
    {                                                                                  \
        .group_ep = groupEp, .group_tp = groupTp, .ep_size = epWorldSize,              \
        .ep_rank = epRankId, .experts = moeExpertNum, .tp_size = tpWorldSize,          \
        .tp_rank = tpRankId, .shard = expertShardType,                                 \
        .shared = tokens_shared_of(sharedExpertNum, sharedExpertRankNum),              \
        .shared_ranks = sharedExpertRankNum, .global_tokens = globalBs,                \
        .algorithm = (comm_algorithm)                                                  \
    }

/* Programs pass one shared expert without a rank for it. */
int64_t tokens_shared_of(int64_t experts, int64_t ranks);

/* Checks the numbers, and the expert ids in tensor `ids` (tokens, K). Returns the most
 * tokens of a rank. */
uint64_t tokens_check(struct check *check,
                      const struct tokens_place *place,
                      uint32_t ids_slot,
                      const aclTensor *ids,
                      uint64_t width);
/* Checks an optional mask of tokens, or of tokens and k. */
void tokens_check_mask(struct check *check, uint32_t slot, const aclTensor *mask);

uint32_t tokens_experts_of(const struct mc2_tiling *tiling, uint32_t rank);
/* Returns the rank of a MoE expert; UINT32_MAX for one that no rank has. */
uint32_t tokens_rank_of(const struct mc2_tiling *tiling, int64_t expert);
int64_t tokens_id(const struct mc2_tiling *tiling, uint32_t ids_slot, uint64_t pair);
/* Returns true when a pair, or for k >= K the token, takes part. */
bool tokens_is_active(const struct mc2_tiling *tiling,
                      uint32_t mask_slot,
                      uint64_t token,
                      uint64_t k);
/* Returns true when a rank sends its tokens to this shared rank. */
bool tokens_go_to_shared(const struct mc2_tiling *tiling,
                         uint32_t from,
                         uint32_t shared_rank);
/* Returns the number of earlier pairs with the same expert. */
uint64_t tokens_index(const struct mc2_tiling *tiling,
                      uint32_t ids_slot,
                      uint32_t mask_slot,
                      uint64_t pair);

#endif
