#include "sim/fused/shared/experts.h"

#include <stdlib.h>

#include "sim/fused/shared/number.h"

uint32_t experts_of(const struct mc2_tiling *tiling, uint32_t ranks)
{
    return tiling->count_of_counts / 2 / ranks;
}

const int32_t *experts_sends(const struct mc2_tiling *tiling)
{
    return tiling->counts;
}

const int32_t *experts_receives(const struct mc2_tiling *tiling)
{
    return tiling->counts + tiling->count_of_counts / 2;
}

uint64_t experts_sent(const struct mc2_tiling *tiling,
                      uint32_t rank,
                      uint32_t expert,
                      uint32_t e)
{
    return (uint64_t)experts_sends(tiling)[rank * e + expert];
}

uint64_t experts_received(const struct mc2_tiling *tiling,
                          uint32_t rank,
                          uint32_t expert,
                          uint32_t e)
{
    return (uint64_t)experts_receives(tiling)[rank * e + expert];
}

uint64_t experts_before(const int32_t *counts,
                        uint32_t rank,
                        uint32_t expert,
                        uint32_t ranks,
                        uint32_t e,
                        bool by_rank)
{
    uint64_t rows = 0;

    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t j = 0; j < e; j++)
            if (by_rank ? r < rank || (r == rank && j < expert)
                        : j < expert || (j == expert && r < rank))
                rows += (uint64_t)counts[r * e + j];
    return rows;
}

static uint64_t check_counts(struct check *check,
                             const aclIntArray *array,
                             uint32_t count,
                             int32_t *into)
{
    uint64_t given, sum = 0;
    const int64_t *values = npu_sim_nn_ints(array, &given);

    if (!array)
        check_fail(check, ACLNN_ERR_PARAM_NULLPTR);
    check_that(check, given == count && count <= MC2_COUNTS_MAX / 2);
    for (uint32_t i = 0; i < count && !check->status; i++) {
        check_that(check, values[i] >= 0 && values[i] <= INT32_MAX);
        into[i] = (int32_t)values[i];
        sum += (uint64_t)values[i];
    }
    return sum;
}

/* Scales of the whole tensor, or mx scales: for each row of x, and for each column of
 * each weight. */
static void check_scales(struct check *check, const struct experts_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t pairs = (t->k + 63) / 64;

    check_tensor(check, FACTOR_X1_SCALE, call->factors.x1_scale, CHECK_SCALE);
    check_tensor(check, FACTOR_X2_SCALE, call->factors.x2_scale, CHECK_SCALE);
    if (check->status || check_elements(check, FACTOR_X1_SCALE) == 1) {
        check_count(check, FACTOR_X2_SCALE, 1);
        return;
    }
    check_dims3(check, FACTOR_X1_SCALE, t->m, pairs, 2);
    check_type(check, FACTOR_X1_SCALE, ACL_FLOAT8_E8M0);
    check_type(check, FACTOR_X2_SCALE, ACL_FLOAT8_E8M0);
    check_count(check, FACTOR_X2_SCALE, t->tensor[FACTOR_X2].dim[0] * pairs * t->n * 2);
}

static void check_second(struct check *check, const struct experts_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    bool is_given = call->mm_x != NULL;

    check_that(check, is_given == (call->mm_weight != NULL) &&
                          is_given == (call->mm_y != NULL));
    if (check->status || !is_given)
        return;
    check_tensor(check, EXPERTS_MM_X, call->mm_x, call->factors.left_types);
    check_tensor(check, EXPERTS_MM_WEIGHT, call->mm_weight, call->factors.right_types);
    if (call->transposes_mm)
        check_transpose(check, EXPERTS_MM_WEIGHT);
    check_dims2(check, EXPERTS_MM_X, CHECK_ANY, CHECK_ANY);
    check_dims2(check, EXPERTS_MM_WEIGHT, t->tensor[EXPERTS_MM_X].dim[1], CHECK_ANY);
    if (call->is_quantised) {
        check_tensor(check, EXPERTS_MM_X_SCALE, call->mm_x_scale, CHECK_SCALE);
        check_tensor(check, EXPERTS_MM_WEIGHT_SCALE, call->mm_weight_scale,
                     CHECK_SCALE);
        check_count(check, EXPERTS_MM_X_SCALE, 1);
        check_count(check, EXPERTS_MM_WEIGHT_SCALE, 1);
    }
}

void experts_check(struct check *check, const struct experts_call *call)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *weight = &t->tensor[FACTOR_X2];
    uint64_t count, sent, received;

    check_group(check, call->group, NULL, 0, 1);
    for (int i = 0; i < 3; i++)
        check_absent(check, call->absent[i]);
    check_that(check, call->ranks > 0 && check_ranks(check) == (uint64_t)call->ranks);
    check_tensor(check, FACTOR_X1, call->factors.x1, call->factors.left_types);
    check_tensor(check, FACTOR_X2, call->factors.x2, call->factors.right_types);
    if (call->transposes_weight)
        check_transpose(check, FACTOR_X2);
    check_dims2(check, FACTOR_X1, CHECK_ANY, CHECK_ANY);
    check_dense(check, FACTOR_X1);
    if (check->status)
        return;
    t->k = t->tensor[FACTOR_X1].dim[1];
    check_dims3(check, FACTOR_X2, CHECK_ANY, t->k, CHECK_ANY);
    check_that(check, weight->dim[0] > 0 &&
                          weight->dim[0] * check->ranks <= MC2_COUNTS_MAX / 2);
    if (!call->is_quantised)
        check_type(check, FACTOR_X2, t->tensor[FACTOR_X1].type);
    if (check->status)
        return;
    t->n = weight->dim[2];
    check->call.key = t->tensor[FACTOR_X1].type == ACL_FLOAT16 ? 0
                      : t->tensor[FACTOR_X1].type == ACL_BF16  ? 1
                                                               : 2;
    count = weight->dim[0] * check->ranks;
    sent = check_counts(check, call->sends, (uint32_t)count, t->counts);
    received = check_counts(check, call->receives, (uint32_t)count, t->counts + count);
    t->count_of_counts = (uint32_t)(2 * count);
    check_that(check, sent == t->tensor[FACTOR_X1].dim[0]);
    t->m = sent;
    t->rows = received;
    if (call->is_quantised)
        check_scales(check, call);
    check_second(check, call);
    if (!check->status)
        check_turns(check, (uint32_t)weight->dim[0], sent > received ? sent : received);
}

void experts_check_end(struct check *check,
                       const struct experts_call *call,
                       int32_t type)
{
    struct mc2_tiling *t = &check->call.tiling;

    if (check->status || !call->mm_x)
        return;
    check_tensor(check, EXPERTS_MM_Y, call->mm_y, CHECK_OUT);
    check_type(check, EXPERTS_MM_Y, type);
    check_dims2(check, EXPERTS_MM_Y, t->tensor[EXPERTS_MM_X].dim[0],
                t->tensor[EXPERTS_MM_WEIGHT].dim[1]);
    check_dense(check, EXPERTS_MM_Y);
}

static const struct mc2_tensor *one(const struct mc2_tensor *tensor)
{
    return tensor->dims ? tensor : NULL;
}

/* The mx scales of an expert: (k / 64, n, 2), or (n, k / 64, 2) when the weight is
 * transposed. */
static void add_groups(struct linear *linear,
                       const struct mc2_tiling *t,
                       struct mc2_tensor *left,
                       struct mc2_tensor *right,
                       uint32_t expert)
{
    uint64_t pairs = (t->k + 63) / 64;
    bool is_transposed = t->tensor[FACTOR_X2].step[2] != 1;

    right->address += expert * pairs * 2 * t->n;
    linear->row_scale = linear->column_scale = NULL;
    linear->left_groups = (struct linear_groups){left, 1, 32, 2 * pairs, 1, 2};
    linear->right_groups = (struct linear_groups){
        right, 1, 32, is_transposed ? 2 * pairs : 2, 1, is_transposed ? 2 : 2 * t->n};
}

static void multiply(struct linear *linear,
                     uint64_t left,
                     uint64_t from,
                     uint64_t to,
                     int32_t type,
                     uint64_t address,
                     uint64_t into)
{
    struct linear_state *state = linear_open(linear);
    float *row = malloc((linear->n + 1) * sizeof(float));

    for (uint64_t i = from; state && row && i < to; i++) {
        linear_row(state, left, i * linear->k, 1, i, row);
        product_store(type, address, into + i - from, linear->n, row);
    }
    free(row);
    linear_close(state);
}

void experts_multiply(const struct body *body,
                      uint32_t expert,
                      uint64_t left,
                      uint64_t scales,
                      uint64_t from,
                      uint64_t to,
                      int32_t type,
                      uint64_t into)
{
    const struct mc2_tiling *t = body->tiling;
    struct mc2_tensor left_scale = t->tensor[FACTOR_X1_SCALE];
    struct mc2_tensor right_scale = t->tensor[FACTOR_X2_SCALE];
    struct linear linear = {
        .n = t->n,
        .k = t->k,
        .right = &t->tensor[FACTOR_X2],
        .right_at = expert * t->tensor[FACTOR_X2].step[0],
        .row_scale = one(&left_scale),
        .column_scale = one(&right_scale),
        .left_type = t->tensor[FACTOR_X1].type,
    };

    if (to <= from)
        return;
    if (left_scale.dims == 3) {
        left_scale.address = scales;
        add_groups(&linear, t, &left_scale, &right_scale, expert);
    }
    multiply(&linear, left, from, to, type, into, 0);
}

void experts_second(const struct body *body)
{
    const struct mc2_tensor *tensor = body->tiling->tensor;
    const struct mc2_tensor *y = &tensor[EXPERTS_MM_Y];
    struct linear linear = {
        .n = tensor[EXPERTS_MM_WEIGHT].dim[1],
        .k = tensor[EXPERTS_MM_X].dim[1],
        .right = &tensor[EXPERTS_MM_WEIGHT],
        .row_scale = one(&tensor[EXPERTS_MM_X_SCALE]),
        .column_scale = one(&tensor[EXPERTS_MM_WEIGHT_SCALE]),
        .left_type = tensor[EXPERTS_MM_X].type,
    };

    if (tensor[EXPERTS_MM_X].dims)
        multiply(&linear, tensor[EXPERTS_MM_X].address, 0, tensor[EXPERTS_MM_X].dim[0],
                 y->type, y->address, 0);
}

void experts_cost(const struct body *body,
                  uint64_t rows,
                  struct npu_sim_block_cost *out)
{
    const struct mc2_tensor *x = &body->tiling->tensor[EXPERTS_MM_X];
    const struct mc2_tensor *weight = &body->tiling->tensor[EXPERTS_MM_WEIGHT];

    product_cost(body, rows, body->tiling->tensor[FACTOR_X1].address, out);
    if (x->dims)
        out->cube.cube_fp_ops +=
            2 * x->dim[0] * x->dim[1] * weight->dim[1] / body->blocks;
}
