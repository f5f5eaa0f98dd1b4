#include "sim/fused/twogroups/batch.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fused/shared/number.h"
#include "sim/fused/shared/product_steps.h"

static void check_groups(struct check *check, const struct batch_call *call)
{
    struct npu_sim_nn_place ep, tp;

    check_group(check, call->group_ep, NULL, 0, 1);
    check_group(check, call->group_tp, NULL, 0, 1);
    if (check->status)
        return;
    check_that(check, strcmp(call->group_ep, call->group_tp) != 0 &&
                          npu_sim_nn_place(call->group_ep, &ep) &&
                          npu_sim_nn_place(call->group_tp, &tp));
    check_that(check, check->status || (call->eps > 1 && call->tps > 1 &&
                                        (uint64_t)call->eps == ep.ranks &&
                                        (uint64_t)call->tps == tp.ranks));
    check_that(check, call->shard_type == 0 || call->shard_type == 1);
}

void batch_check(struct check *check, const struct batch_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *weight = &t->tensor[BATCH_WEIGHT];

    if (!call->x || !call->weight)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_groups(check, call);
    check_tensor(check, BATCH_X, call->x, CHECK_HALF);
    check_dims3(check, BATCH_X, CHECK_ANY, CHECK_ANY, CHECK_ANY);
    check_dense(check, BATCH_X);
    check_tensor(check, BATCH_WEIGHT, call->weight, CHECK_HALF);
    check_type(check, BATCH_WEIGHT, check_at(check, BATCH_X)->type);
    check_dims3(check, BATCH_WEIGHT, CHECK_ANY, CHECK_ANY, CHECK_ANY);
    check_dense(check, BATCH_WEIGHT);
    check_that(check, check->status || (check_elements(check, BATCH_X) > 0 &&
                                        check_elements(check, BATCH_WEIGHT) > 0 &&
                                        weight->dim[0] <= MC2_TURNS_MAX));
    if (check->status)
        return;
    check->call.key = t->tensor[BATCH_X].type == ACL_BF16;
    t->k = weight->dim[1];
    t->n = weight->dim[2];
    t->number[BATCH_SHARD_TYPE] = call->shard_type;
    t->number[BATCH_EPS] = call->eps;
    t->number[BATCH_TPS] = call->tps;
}

void batch_check_bias(struct check *check, const aclTensor *bias, uint64_t columns)
{
    const struct mc2_tiling *t = &check->call.tiling;
    uint64_t experts = t->tensor[BATCH_WEIGHT].dim[0];
    uint64_t types = t->tensor[BATCH_X].type == ACL_BF16 ? CHECK_TYPE(ACL_FLOAT)
                                                         : CHECK_TYPE(ACL_FLOAT16);

    if (!check_optional(check, BATCH_BIAS, bias, types))
        return;
    if (check_at(check, BATCH_BIAS)->dims == 2)
        check_dims2(check, BATCH_BIAS, experts, columns);
    else
        check_dims3(check, BATCH_BIAS, experts, 1, columns);
    check_dense(check, BATCH_BIAS);
}

void batch_check_turns(struct check *check)
{
    const struct mc2_tiling *t = &check->call.tiling;

    if (!check->status)
        check_turns(check, (uint32_t)t->tensor[BATCH_WEIGHT].dim[0],
                    (uint64_t)(t->number[BATCH_EPS] * t->number[BATCH_ROWS]));
}

static struct linear linear_of(const struct mc2_tiling *t, uint32_t expert)
{
    return (struct linear){
        .n = t->n,
        .k = t->k,
        .right = &t->tensor[BATCH_WEIGHT],
        .right_at = expert * t->k * t->n,
        .left_type = t->tensor[BATCH_X].type,
    };
}

static void close_expert(struct batch *batch)
{
    linear_close(batch->rows);
    free(batch->row);
    batch->rows = NULL;
    batch->row = NULL;
}

bool batch_select(struct batch *batch,
                  const struct mc2_tiling *t,
                  uint32_t expert,
                  bool adds_bias)
{
    if (batch->rows && batch->expert == expert)
        return true;
    close_expert(batch);
    batch->expert = expert;
    batch->linear = linear_of(t, expert);
    batch->bias = t->tensor[BATCH_BIAS];
    batch->bias.address += number_bytes(batch->bias.type, expert * t->n);
    if (adds_bias && batch->bias.dims > 0)
        batch->linear.bias = &batch->bias;
    batch->rows = linear_open(&batch->linear);
    batch->row = malloc((t->n + 1) * sizeof(*batch->row));
    return batch->rows && batch->row;
}

void *batch_open(const struct body *body)
{
    (void)body;
    return calloc(1, sizeof(struct batch));
}

void batch_close(void *state)
{
    close_expert(state);
    free(state);
}

void batch_cost(const struct body *body, struct npu_sim_block_cost *out)
{
    const struct mc2_tiling *t = body->tiling;
    uint64_t rows = (uint64_t)(t->number[BATCH_EPS] * t->number[BATCH_ROWS]);

    rows = body_share(rows, body->block + 1, body->blocks) -
           body_share(rows, body->block, body->blocks);
    for (uint32_t expert = 0; expert < t->turns; expert++) {
        struct linear linear = linear_of(t, expert);

        linear_cost(&linear, rows, t->tensor[BATCH_X].address,
                    t->tensor[BATCH_OWN].address, &out->cube);
    }
}

uint64_t batch_bytes(const struct mc2_tiling *t, uint64_t elements)
{
    return number_bytes(t->tensor[BATCH_X].type, elements);
}

uint32_t batch_type(const struct mc2_tiling *t)
{
    return product_moved_type(t->tensor[BATCH_X].type);
}

uint64_t batch_part(const struct body *body, uint32_t part)
{
    return body->workspace + body->tiling->workspace_at[part];
}
