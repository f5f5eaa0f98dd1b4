#include "sim/fused/shared/factors.h"

#define MX_NEIGHBOURS  32
#define GROUP_SIZE_END (1ll << 48) /* three sizes of 16 bits */

static uint64_t group_of(uint64_t size, uint64_t given, uint64_t groups)
{
    return given ? given : groups ? (size + groups - 1) / groups : 1;
}

static uint64_t groups_of(uint64_t size, uint64_t group)
{
    return group ? (size + group - 1) / group : 0;
}

static bool is_mx(const struct mc2_tensor *scale)
{
    return scale->dims == 3 && scale->type == ACL_FLOAT8_E8M0;
}

/* Scales of blocks, or of neighbours along k, need both factors to have them. */
static bool has_groups(const struct check *check, uint64_t rows)
{
    const struct mc2_tensor *left = check_at(check, FACTOR_X1_SCALE);
    const struct mc2_tensor *right = check_at(check, FACTOR_X2_SCALE);

    if (is_mx(left))
        return true;
    return left->dims == 2 && right->dims == 2 &&
           !(left->dim[1] == 1 && left->dim[0] == rows) &&
           check_elements(check, FACTOR_X1_SCALE) > 1;
}

static void check_mx(struct check *check, uint64_t rows)
{
    const struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *right = check_at(check, FACTOR_X2_SCALE);
    uint64_t pairs = groups_of(t->k, 2 * MX_NEIGHBOURS);

    check_dims3(check, FACTOR_X1_SCALE, rows, pairs, 2);
    check_that(check, is_mx(right) && right->dim[2] == 2 &&
                          ((right->dim[0] == t->n && right->dim[1] == pairs) ||
                           (right->dim[0] == pairs && right->dim[1] == t->n)));
}

static void check_blocks(struct check *check, int64_t group_size, uint64_t rows)
{
    struct mc2_tiling *t = &check->call.tiling;
    const struct mc2_tensor *left = check_at(check, FACTOR_X1_SCALE);
    const struct mc2_tensor *right = check_at(check, FACTOR_X2_SCALE);
    uint64_t size = (uint64_t)group_size;
    uint64_t k = group_of(t->k, size & 0xFFFF, left->dim[1]);
    uint64_t n = group_of(t->n, size >> 16 & 0xFFFF, right->dim[1]);
    uint64_t m = group_of(rows, size >> 32 & 0xFFFF, left->dim[0]);

    check_that(check, left->dim[0] == groups_of(rows, m) &&
                          left->dim[1] == groups_of(t->k, k) &&
                          right->dim[0] == groups_of(t->k, k) &&
                          right->dim[1] == groups_of(t->n, n));
    t->number[FACTOR_GROUP_M] = (int64_t)m;
    t->number[FACTOR_GROUP_N] = (int64_t)n;
    t->number[FACTOR_GROUP_K] = (int64_t)k;
}

static void check_weight(struct check *check, int64_t group)
{
    struct mc2_tiling *t = &check->call.tiling;
    uint64_t rows = group > 0 ? groups_of(t->k, (uint64_t)group) : 1;

    check_that(check, group >= 0 && group % MX_NEIGHBOURS == 0);
    for (uint32_t slot = FACTOR_X2_SCALE; slot <= FACTOR_OFFSET; slot++) {
        if (rows > 1 && check_at(check, slot)->dims)
            check_count(check, slot, rows * t->n);
        else
            check_one_or(check, slot, t->n);
    }
    t->number[FACTOR_WEIGHT_GROUP] = group > 0 ? group : (int64_t)(t->k ? t->k : 1);
}

void factors_check_scales(struct check *check,
                          const struct factors *factors,
                          uint64_t rows)
{
    struct mc2_tiling *t = &check->call.tiling;

    check_optional(check, FACTOR_X1_SCALE, factors->x1_scale, CHECK_SCALE);
    check_optional(check, FACTOR_X2_SCALE, factors->x2_scale, CHECK_SCALE);
    check_optional(check, FACTOR_OFFSET, factors->offset, CHECK_HALF);
    if (check->status)
        return;
    t->number[FACTOR_IS_SCALED_FIRST] = factors->scales_first;
    check_that(check, factors->group_size >= 0 && factors->group_size < GROUP_SIZE_END);
    if (factors->is_weight)
        check_weight(check, factors->group_size);
    else if (!has_groups(check, rows)) {
        check_one_or(check, FACTOR_X1_SCALE, rows);
        check_one_or(check, FACTOR_X2_SCALE, t->n);
    } else if (is_mx(check_at(check, FACTOR_X1_SCALE))) {
        check_mx(check, rows);
    } else {
        check_blocks(check, factors->group_size, rows);
    }
    check_dense(check, FACTOR_X1_SCALE);
}

void factors_check(struct check *check, const struct factors *factors)
{
    check_product(check, factors->x1, factors->x2, factors->left_types,
                  factors->right_types);
    if (!check->status && !factors->x1_scale && !factors->x2_scale)
        check_type(check, FACTOR_X2, check_at(check, FACTOR_X1)->type);
    check_optional(check, FACTOR_BIAS, factors->bias, CHECK_BIAS);
    check_count(check, FACTOR_BIAS, check->call.tiling.n);
    if (!check->status)
        check_that(check, !factors->bias || check_at(check, FACTOR_BIAS)->dims == 1);
}

static const struct mc2_tensor *given(const struct mc2_tiling *t, uint32_t slot)
{
    return t->tensor[slot].dims ? &t->tensor[slot] : NULL;
}

static struct linear_groups mx_groups(const struct mc2_tensor *scale, uint64_t rows)
{
    bool has_rows_first = scale->dim[0] == rows;

    return (struct linear_groups){
        .scale = scale,
        .rows_of_group = 1,
        .k_of_group = MX_NEIGHBOURS,
        .row_step = has_rows_first ? scale->step[0] : scale->step[1],
        .pair_step = has_rows_first ? scale->step[1] : scale->step[0],
        .k_step = 1,
    };
}

static struct linear_groups block_groups(const struct mc2_tensor *scale,
                                         uint64_t rows_of_group,
                                         uint64_t k_of_group,
                                         uint32_t row_dim)
{
    return (struct linear_groups){
        .scale = scale,
        .rows_of_group = rows_of_group,
        .k_of_group = k_of_group,
        .row_step = scale->step[row_dim],
        .k_step = scale->step[!row_dim],
        .pair_step = 2 * scale->step[!row_dim],
    };
}

static struct linear_groups
weight_groups(const struct mc2_tensor *scale, uint64_t group, uint64_t n)
{
    uint64_t count = 1, step;

    for (uint32_t i = 0; i < scale->dims; i++)
        count *= scale->dim[i];
    step = count > n ? n : 0;
    return (struct linear_groups){
        .scale = scale,
        .rows_of_group = 1,
        .k_of_group = group,
        .row_step = count > 1,
        .k_step = step,
        .pair_step = 2 * step,
    };
}

struct linear factors_linear(const struct mc2_tiling *t)
{
    const struct mc2_tensor *left = given(t, FACTOR_X1_SCALE);
    const struct mc2_tensor *right = given(t, FACTOR_X2_SCALE);
    uint64_t k = (uint64_t)t->number[FACTOR_GROUP_K];
    struct linear linear = {
        .n = t->n,
        .k = t->k,
        .right = &t->tensor[FACTOR_X2],
        .bias = given(t, FACTOR_BIAS),
        .offset = given(t, FACTOR_OFFSET),
        .adds_bias_first = !t->number[FACTOR_IS_SCALED_FIRST],
        .left_type = t->tensor[FACTOR_X1].type,
    };

    if (right && t->number[FACTOR_WEIGHT_GROUP]) {
        linear.right_groups =
            weight_groups(right, (uint64_t)t->number[FACTOR_WEIGHT_GROUP], t->n);
    } else if (left && right && is_mx(left)) {
        linear.left_groups = mx_groups(left, left->dim[0]);
        linear.right_groups = mx_groups(right, t->n);
    } else if (left && right && k) {
        linear.left_groups =
            block_groups(left, (uint64_t)t->number[FACTOR_GROUP_M], k, 0);
        linear.right_groups =
            block_groups(right, (uint64_t)t->number[FACTOR_GROUP_N], k, 1);
    } else {
        linear.row_scale = left;
        linear.column_scale = right;
    }
    return linear;
}
