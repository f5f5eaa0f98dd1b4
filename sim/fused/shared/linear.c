#include "sim/fused/shared/linear.h"

#include <acl/acl_base.h>
#include <npu_sim/work.h>
#include <stdlib.h>

#include "sim/fused/shared/number.h"

#define TILE 128 /* rows or columns that L0 holds */

struct linear_state {
    const struct linear *of;
    bool is_int;
    float *right; /* k x n; whole numbers for integer factors */
    float *bias;  /* n */
    float *left;  /* k */
    int32_t *sum; /* n */
};

float linear_scale(const struct mc2_tensor *scale, uint64_t index)
{
    uint64_t count = 1;

    if (!scale)
        return 1;
    for (uint32_t i = 0; i < scale->dims; i++)
        count *= scale->dim[i];
    return number_get(scale->type, scale->address, count == 1 ? 0 : index);
}

static float group_scale(const struct linear_groups *groups, uint64_t row, uint64_t k)
{
    uint64_t group = k / groups->k_of_group;

    return number_get(groups->scale->type, groups->scale->address,
                      row / groups->rows_of_group * groups->row_step +
                          group / 2 * groups->pair_step + group % 2 * groups->k_step);
}

static void fill_right(struct linear_state *state)
{
    const struct linear *of = state->of;
    const struct mc2_tensor *right = of->right;
    uint64_t row_step = right->step[right->dims - 2];
    uint64_t column_step = right->step[right->dims - 1];
    struct linear_groups offsets = of->right_groups; /* in the shape of the scale */

    offsets.scale = of->offset;

    for (uint64_t l = 0; l < of->k; l++) {
        float *row = state->right + l * of->n;

        numbers_get(right->type, right->address, of->right_at + l * row_step,
                    column_step, of->n, row);
        for (uint64_t j = 0; of->offset && j < of->n; j++)
            row[j] += group_scale(&offsets, j, l);
        for (uint64_t j = 0; of->right_groups.scale && j < of->n; j++)
            row[j] *= group_scale(&of->right_groups, j, l);
    }
}

struct linear_state *linear_open(const struct linear *of)
{
    struct linear_state *state = calloc(1, sizeof(*state));

    if (!state)
        return NULL;
    state->of = of;
    state->is_int = number_is_int(of->left_type) && number_is_int(of->right->type) &&
                    !of->right_groups.scale && !of->offset;
    state->right = malloc((of->k * of->n + 2 * of->n + of->k + 1) * sizeof(float));
    if (!state->right) {
        free(state);
        return NULL;
    }
    state->bias = state->right + of->k * of->n;
    state->left = state->bias + of->n;
    state->sum = (int32_t *)(state->left + of->k);
    fill_right(state);
    for (uint64_t j = 0; j < of->n; j++)
        state->bias[j] =
            of->bias ? number_get(of->bias->type, of->bias->address, j) : 0;
    return state;
}

/* Sums that exceed 24 bits need integers: a float would round them. */
static void sum_ints(struct linear_state *state, const float *left, float *out)
{
    uint64_t n = state->of->n, k = state->of->k;
    int32_t *restrict sum = state->sum;
    const struct mc2_tensor *bias = state->of->bias;

    for (uint64_t j = 0; j < n; j++)
        sum[j] = state->of->adds_bias_first && bias && bias->type == ACL_INT32
                     ? ((const int32_t *)(uintptr_t)bias->address)[j]
                     : 0;
    for (uint64_t l = 0; l < k; l++) {
        const float *restrict right = state->right + l * n;
        float factor = left[l];

        for (uint64_t j = 0; j < n; j++)
            sum[j] += (int32_t)(factor * right[j]);
    }
    for (uint64_t j = 0; j < n; j++)
        out[j] = (float)sum[j];
    for (uint64_t j = 0; j < n; j++)
        if (state->of->adds_bias_first && bias && bias->type != ACL_INT32)
            out[j] += state->bias[j];
}

static void
sum_floats(const struct linear_state *state, const float *left, float *restrict sum)
{
    uint64_t n = state->of->n, k = state->of->k;
    bool adds_bias = state->of->adds_bias_first ||
                     (!state->of->row_scale && !state->of->column_scale);

    for (uint64_t j = 0; j < n; j++)
        sum[j] = adds_bias ? state->bias[j] : 0;
    for (uint64_t l = 0; l < k; l++) {
        const float *restrict right = state->right + l * n;
        float factor = left[l];

        for (uint64_t j = 0; j < n; j++)
            sum[j] += factor * right[j];
    }
}

void linear_row_of(struct linear_state *state,
                   const float *left,
                   uint64_t row,
                   float *out)
{
    const struct linear *of = state->of;
    bool is_scaled = of->row_scale || of->column_scale;
    float factor = linear_scale(of->row_scale, row);

    if (state->is_int)
        sum_ints(state, left, out);
    else
        sum_floats(state, left, out);
    for (uint64_t j = 0; is_scaled && j < of->n; j++)
        out[j] = out[j] * linear_scale(of->column_scale, j) * factor;
    for (uint64_t j = 0; j < of->n; j++)
        if (!of->adds_bias_first && (is_scaled || state->is_int))
            out[j] += state->bias[j];
    npu_sim_cube("MMAD", 1, of->n, of->k);
}

void linear_row(struct linear_state *state,
                uint64_t left,
                uint64_t left_at,
                uint64_t step,
                uint64_t row,
                float *out)
{
    const struct linear *of = state->of;

    numbers_get(of->left_type, left, left_at, step, of->k, state->left);
    for (uint64_t l = 0; of->left_groups.scale && l < of->k; l++)
        state->left[l] *= group_scale(&of->left_groups, row, l);
    linear_row_of(state, state->left, row, out);
}

void linear_close(struct linear_state *state)
{
    if (state)
        free(state->right);
    free(state);
}

void linear_cost(const struct linear *of,
                 uint64_t rows,
                 uint64_t left_at,
                 uint64_t out,
                 struct npu_sim_core_cost *cube)
{
    uint64_t left = number_bytes(of->left_type, rows * of->k);
    uint64_t right = number_bytes(of->right->type, of->k * of->n);
    uint64_t operations = 2 * rows * of->n * of->k;

    if (rows == 0)
        return;
    if (number_is_int(of->left_type) && number_is_int(of->right->type))
        cube->cube_int_ops += operations;
    else
        cube->cube_fp_ops += operations;
    cube->l1_to_l0a_bytes += left * ((of->n + TILE - 1) / TILE);
    cube->l1_to_l0b_bytes += right * ((rows + TILE - 1) / TILE);
    cube->scalar_instructions += 400;
    if (cube->access_count + 3 > NPU_SIM_ACCESS_MAX)
        return;
    cube->access[cube->access_count++] = (struct npu_sim_access){
        (const void *)(uintptr_t)left_at, left, 1, NPU_SIM_GM_TO_L1};
    cube->access[cube->access_count++] = (struct npu_sim_access){
        (const void *)(uintptr_t)of->right->address, right, 1, NPU_SIM_GM_TO_L1};
    cube->access[cube->access_count++] = (struct npu_sim_access){
        (const void *)(uintptr_t)out, rows * of->n * 2, 1, NPU_SIM_L0C_TO_GM};
}
