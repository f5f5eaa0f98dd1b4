/* moe_update_expert.c - replaces the numbers of experts by the places of their copies,
 * and finds the pairs whose weight is large enough; without communication */
#include <aclnnop/aclnn_moe_update_expert.h>

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/check.h"
#include "sim/fused/shared/number.h"

enum { IDS, TABLE, WEIGHTS, THRESHOLD, ACTIVE, OUT_IDS, OUT_MASK };
enum { RANK, RANKS, MODE };

static int64_t int_at(const struct mc2_tensor *tensor, uint64_t at)
{
    return tensor->type == ACL_INT64
               ? ((const int64_t *)(uintptr_t)tensor->address)[at]
               : ((const int32_t *)(uintptr_t)tensor->address)[at];
}

static int64_t place_of(const struct mc2_tiling *t, uint64_t token, int64_t expert)
{
    const struct mc2_tensor *table = &t->tensor[TABLE];
    uint64_t columns = table->dim[1], column;
    int64_t copies;

    if (expert < 0 || (uint64_t)expert >= table->dim[0])
        return expert;
    copies = int_at(table, (uint64_t)expert * columns);
    if (copies < 1 || (uint64_t)copies >= columns)
        return expert;
    column =
        t->number[MODE]
            ? token % (uint64_t)copies
            : (uint64_t)(t->number[RANK] / ((t->number[RANKS] + copies - 1) / copies));
    return int_at(table, (uint64_t)expert * columns + (copies == 1 ? 0 : column) + 1);
}

static bool
is_kept(const struct mc2_tiling *t, uint64_t token, uint64_t k, uint64_t count)
{
    const struct mc2_tensor *weights = &t->tensor[WEIGHTS];
    const struct mc2_tensor *threshold = &t->tensor[THRESHOLD];
    const struct mc2_tensor *active = &t->tensor[ACTIVE];
    float sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += number_get(weights->type, weights->address, token * count + i);
    return number_get(weights->type, weights->address, token * count + k) >=
               number_get(threshold->type, threshold->address, k) * sum &&
           (!active->dims || number_get(ACL_BOOL, active->address, token) != 0);
}

static void update(const struct body *body)
{
    const struct mc2_tiling *t = body->tiling;
    const struct mc2_tensor *ids = &t->tensor[IDS], *out = &t->tensor[OUT_IDS];
    uint64_t count = ids->dim[1];

    for (uint64_t i = 0; i < ids->dim[0] * count; i++) {
        int64_t place = place_of(t, i / count, int_at(ids, i));

        if (out->type == ACL_INT64)
            ((int64_t *)(uintptr_t)out->address)[i] = place;
        else
            ((int32_t *)(uintptr_t)out->address)[i] = (int32_t)place;
        if (t->tensor[WEIGHTS].dims)
            number_put(ACL_BOOL, t->tensor[OUT_MASK].address, i,
                       is_kept(t, i / count, i % count, count));
    }
}

static void cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tensor *ids = &body->tiling->tensor[IDS];
    uint64_t bytes = number_bytes(ids->type, ids->dim[0] * ids->dim[1]);

    body_vector_cost(body, ids->address, bytes, bytes, out);
}

static const struct fused_steps steps = {.after = update, .cost = cost};

npu_sim_body_fn MoeUpdateExpert_0;

void MoeUpdateExpert_0(uint32_t block, uint32_t blocks, void *args, size_t size)
{
    (void)size;
    body_run(&steps, 0, block, blocks, args);
}

static void block_cost(uint32_t block,
                       uint32_t blocks,
                       const void *args,
                       size_t size,
                       struct npu_sim_block_cost *out)
{
    (void)size;
    body_cost(&steps, 0, block, blocks, args, out);
}

extern const struct npu_sim_kernel MoeUpdateExpert_0_sim;
const struct npu_sim_kernel MoeUpdateExpert_0_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = block_cost,
};

aclnnStatus
aclnnMoeUpdateExpertGetWorkspaceSize(const aclTensor *expertIds,
                                     const aclTensor *eplbTable,
                                     const aclTensor *expertScalesOptional,
                                     const aclTensor *pruningThresholdOptional,
                                     const aclTensor *activeMaskOptional,
                                     int64_t localRankId,
                                     int64_t worldSize,
                                     int64_t balanceMode,
                                     aclTensor *balancedExpertIds,
                                     aclTensor *balancedActiveMask,
                                     uint64_t *workspaceSize,
                                     aclOpExecutor **executor)
{
    const uint64_t ints = CHECK_TYPE(ACL_INT32) | CHECK_TYPE(ACL_INT64);
    struct mc2_tiling *t;
    struct check check;

    check_begin(&check, "MoeUpdateExpert");
    t = &check.call.tiling;
    check_tensor(&check, IDS, expertIds, ints);
    check_dims2(&check, IDS, CHECK_ANY, CHECK_ANY);
    check_tensor(&check, TABLE, eplbTable, CHECK_TYPE(ACL_INT32));
    check_dims2(&check, TABLE, CHECK_ANY, CHECK_ANY);
    check_tensor(&check, OUT_IDS, balancedExpertIds, ints);
    check_type(&check, OUT_IDS, t->tensor[IDS].type);
    check_dims2(&check, OUT_IDS, t->tensor[IDS].dim[0], t->tensor[IDS].dim[1]);
    check_that(&check, worldSize > 0 && localRankId >= 0 && localRankId < worldSize &&
                           (balanceMode == 0 || balanceMode == 1) &&
                           !expertScalesOptional == !pruningThresholdOptional);
    if (check_optional(&check, WEIGHTS, expertScalesOptional, CHECK_OUT)) {
        check_dims2(&check, WEIGHTS, t->tensor[IDS].dim[0], t->tensor[IDS].dim[1]);
        check_tensor(&check, THRESHOLD, pruningThresholdOptional,
                     CHECK_TYPE(ACL_FLOAT));
        check_count(&check, THRESHOLD, t->tensor[IDS].dim[1]);
        check_tensor(&check, OUT_MASK, balancedActiveMask, CHECK_TYPE(ACL_BOOL));
        check_count(&check, OUT_MASK, check_elements(&check, IDS));
    }
    if (check_optional(&check, ACTIVE, activeMaskOptional, CHECK_TYPE(ACL_BOOL)))
        check_count(&check, ACTIVE, t->tensor[IDS].dim[0]);
    t->number[RANK] = localRankId;
    t->number[RANKS] = worldSize;
    t->number[MODE] = balanceMode;
    check.call.key = 0;
    check.call.blocks = 1;
    return check_end(&check, workspaceSize, executor);
}

FUSED_RUN(aclnnMoeUpdateExpert);
