#include "sim/fused/shared/tokens.h"

#include <string.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/table.h"

static void check_experts(struct check *check, const struct tokens_place *place)
{
    int64_t moe_ranks = place->ep_size - place->shared_ranks;

    check_that(check, place->experts > 0 && moe_ranks > 0 && place->shared >= 0 &&
                          place->shared_ranks >= 0);
    if (check->status)
        return;
    check_that(check, place->experts % moe_ranks == 0 &&
                          (place->shared == 0) == (place->shared_ranks == 0));
    if (!check->status && place->shared > 0)
        check_that(check, place->shared_ranks % place->shared == 0 &&
                              check->call.tiling.way != MC2_SERVER);
}

int64_t tokens_shared_of(int64_t experts, int64_t ranks)
{
    return ranks == 0 && experts == 1 ? 0 : experts;
}

static void check_names(struct check *check, const struct tokens_place *place)
{
    static const char *const algorithms[] = {
        "", "fullmesh", "hierarchy", "fullmesh_v1", "fullmesh_v2", "ccu"};
    bool is_known = !place->algorithm;

    for (size_t i = 0; !is_known && i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
        is_known = !strcmp(place->algorithm, algorithms[i]);
    check_named_group(check, place->group_ep);
    check_that(check, is_known && (!place->group_tp ||
                                   strlen(place->group_tp) < COMM_NAME_MAX_LENGTH));
}

uint64_t tokens_check(struct check *check,
                      const struct tokens_place *place,
                      uint32_t ids_slot,
                      const aclTensor *ids,
                      uint64_t width)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t most;

    check_names(check, place);
    check_that(check, place->tp_size >= 0 && place->tp_size <= 1 &&
                          place->tp_rank == 0 && place->shard == 0 &&
                          place->global_tokens >= 0);
    check_that(check, place->ep_size > 1 &&
                          check_ranks(check) == (uint64_t)place->ep_size &&
                          place->ep_rank == (int64_t)check->rank);
    check_experts(check, place);
    check_tensor(check, ids_slot, ids, CHECK_TYPE(ACL_INT32));
    check_dims2(check, ids_slot, CHECK_ANY, CHECK_ANY);
    check_dense(check, ids_slot);
    if (check->status)
        return 0;
    most = t->tensor[ids_slot].dim[0];
    if (place->global_tokens > 0) {
        check_that(check,
                   place->global_tokens % place->ep_size == 0 &&
                       (uint64_t)(place->global_tokens / place->ep_size) >= most);
        most = (uint64_t)(place->global_tokens / place->ep_size);
    }
    check_that(check, t->tensor[ids_slot].dim[1] > 0);
    t->number[TOKENS_RANKS] = place->ep_size;
    t->number[TOKENS_RANK] = place->ep_rank;
    t->number[TOKENS_EXPERTS] = place->experts;
    t->number[TOKENS_SHARED] = place->shared;
    t->number[TOKENS_SHARED_RANKS] = place->shared_ranks;
    t->number[TOKENS_COUNT] = (int64_t)t->tensor[ids_slot].dim[0];
    t->number[TOKENS_K] = (int64_t)t->tensor[ids_slot].dim[1];
    t->number[TOKENS_WIDTH] = (int64_t)width;
    return most;
}

void tokens_check_mask(struct check *check, uint32_t slot, const aclTensor *mask)
{
    struct mc2_tiling *t = &check->call.tiling;

    if (!check_optional(check, slot, mask, CHECK_TYPE(ACL_BOOL)))
        return;
    check_dense(check, slot);
    check_that(check, t->tensor[slot].dim[0] == (uint64_t)t->number[TOKENS_COUNT] &&
                          (t->tensor[slot].dims == 1 ||
                           (t->tensor[slot].dims == 2 &&
                            t->tensor[slot].dim[1] == (uint64_t)t->number[TOKENS_K])));
}

uint32_t tokens_experts_of(const struct mc2_tiling *t, uint32_t rank)
{
    if (rank < t->number[TOKENS_SHARED_RANKS])
        return 1;
    return (uint32_t)(t->number[TOKENS_EXPERTS] /
                      (t->number[TOKENS_RANKS] - t->number[TOKENS_SHARED_RANKS]));
}

uint32_t tokens_rank_of(const struct mc2_tiling *t, int64_t expert)
{
    int64_t experts = t->number[TOKENS_EXPERTS];
    int64_t ranks = t->number[TOKENS_RANKS] - t->number[TOKENS_SHARED_RANKS];

    if (expert < 0 || expert >= experts)
        return UINT32_MAX;
    return (uint32_t)(t->number[TOKENS_SHARED_RANKS] + expert / (experts / ranks));
}

int64_t tokens_id(const struct mc2_tiling *t, uint32_t ids_slot, uint64_t pair)
{
    return ((const int32_t *)(uintptr_t)t->tensor[ids_slot].address)[pair];
}

bool tokens_is_active(const struct mc2_tiling *t,
                      uint32_t mask_slot,
                      uint64_t token,
                      uint64_t k)
{
    const struct mc2_tensor *mask = &t->tensor[mask_slot];
    const uint8_t *values = (const uint8_t *)(uintptr_t)mask->address;
    uint64_t count = (uint64_t)t->number[TOKENS_K];

    if (mask->dims == 0)
        return true;
    if (mask->dims == 1) { /* the tokens before the first one that is masked out */
        for (uint64_t i = 0; i <= token; i++)
            if (!values[i])
                return false;
        return true;
    }
    if (k < count)
        return values[token * count + k];
    for (uint64_t i = 0; i < count; i++)
        if (values[token * count + i])
            return true;
    return false;
}

bool tokens_go_to_shared(const struct mc2_tiling *t,
                         uint32_t from,
                         uint32_t shared_rank)
{
    uint32_t copies =
        (uint32_t)(t->number[TOKENS_SHARED_RANKS] / t->number[TOKENS_SHARED]);

    return from % copies == shared_rank % copies;
}

uint64_t tokens_index(const struct mc2_tiling *t,
                      uint32_t ids_slot,
                      uint32_t mask_slot,
                      uint64_t pair)
{
    uint64_t k = (uint64_t)t->number[TOKENS_K], count = 0;

    for (uint64_t i = 0; i < pair; i++)
        count += tokens_id(t, ids_slot, i) == tokens_id(t, ids_slot, pair) &&
                 tokens_is_active(t, mask_slot, i / k, i % k);
    return count;
}
