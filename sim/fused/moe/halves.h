/* halves.h - the limits of dispatch and combine in two halves */
#ifndef SIM_FUSED_MOE_HALVES_H
#define SIM_FUSED_MOE_HALVES_H

#include "sim/fused/shared/tokens.h"

#define HALVES_COMM_TYPE 2

/* Fills a struct tokens_place, as TOKENS_PLACE() does. */
#define HALVES_PLACE                                                                   \
    {                                                                                  \
        .group_ep = groupEp, .ep_size = epWorldSize, .ep_rank = epRankId,              \
        .experts = moeExpertNum, .shard = expertShardType,                             \
        .shared = tokens_shared_of(sharedExpertNum, sharedExpertRankNum),              \
        .shared_ranks = sharedExpertRankNum, .global_tokens = globalBs,                \
        .algorithm = commAlg                                                           \
    }

/* Checks what both halves of both operators support, after tokens_check(). */
static inline void halves_check(struct check *check, int64_t comm_type)
{
    int64_t width = check->call.tiling.number[TOKENS_WIDTH];

    check_that(check, comm_type == HALVES_COMM_TYPE &&
                          (check->ranks == 2 || check->ranks == 8) &&
                          (width == 4096 || width == 7168) &&
                          check->call.tiling.number[TOKENS_COUNT] <= 512);
}

#endif
