/* linear.h - rows of x1 x x2 with scales and a bias
 *
 * As on a cube core: exact products, sums in 32 bits (integers for integer factors),
 * one rounding at the end. A scale belongs to the whole tensor, to each row of x1, to
 * each column of x2, or to groups of neighbours along k; scales of groups are applied
 * to the factors. */
#ifndef SIM_FUSED_SHARED_LINEAR_H
#define SIM_FUSED_SHARED_LINEAR_H

#include <npu_sim/kernel.h>
#include <stdbool.h>

#include "sim/nn/mc2.h"

/* The scale of element (i, l) of a factor, where l counts along k: the element
 * (i / rows_of_group, l / k_of_group) of the tensor. */
struct linear_groups {
    const struct mc2_tensor *scale; /* NULL: none */
    uint64_t rows_of_group, k_of_group;
    /* between groups, in elements; groups along k form pairs */
    uint64_t row_step, k_step, pair_step;
};

struct linear {
    uint64_t n, k;
    const struct mc2_tensor *right;                    /* (k, n), or one of several */
    uint64_t right_at;                                 /* elements before it */
    const struct mc2_tensor *bias;                     /* each may be NULL */
    const struct mc2_tensor *row_scale, *column_scale; /* or of the whole tensor */
    struct linear_groups left_groups, right_groups;
    const struct mc2_tensor
        *offset;          /* added to x2 before right_groups, in their shape */
    bool adds_bias_first; /* before the scales */
    int32_t left_type;
};

struct linear_state;

/* Returns NULL when out of memory. *of must stay valid. */
struct linear_state *linear_open(const struct linear *of);
/* Computes row `row` of the product as floats into out[n], not rounded. The row has the
 * elements of `left` from left_at on, step apart. `row` selects scales only. */
void linear_row(struct linear_state *state,
                uint64_t left,
                uint64_t left_at,
                uint64_t step,
                uint64_t row,
                float *out);
/* Does the same for a row that is given as floats. */
void linear_row_of(struct linear_state *state,
                   const float *left,
                   uint64_t row,
                   float *out);
void linear_close(struct linear_state *state); /* NULL is allowed */

/* Returns the scale of a tensor that has one for all, or one for each index. */
float linear_scale(const struct mc2_tensor *scale, uint64_t index);

/* Adds the work of a cube core for rows x n x k. */
void linear_cost(const struct linear *of,
                 uint64_t rows,
                 uint64_t left,
                 uint64_t out,
                 struct npu_sim_core_cost *cube);

#endif
