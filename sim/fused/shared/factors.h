/* factors.h - the factors of a product with their scales, as operators get them
 *
 * Operators with a product number these tensors in the same way. */
#ifndef SIM_FUSED_SHARED_FACTORS_H
#define SIM_FUSED_SHARED_FACTORS_H

#include "sim/fused/shared/check.h"
#include "sim/fused/shared/linear.h"

enum {
    FACTOR_X1,
    FACTOR_X2,
    FACTOR_BIAS,
    FACTOR_X1_SCALE,
    FACTOR_X2_SCALE,
    FACTOR_OFFSET, /* added to x2 before its scale */
    FACTOR_OUTPUT,
    FACTOR_OWN, /* the operator's own tensors begin here */
};

/* Indexes of `number` in the tiling. */
enum {
    FACTOR_IS_SCALED_FIRST, /* 1: scales apply before the bias is added */
    FACTOR_WEIGHT_GROUP, /* rows of x2 with one scale; 0: x2's scale is no weight's */
    FACTOR_GROUP_M,      /* sizes of the groups of scales; 0: no groups */
    FACTOR_GROUP_N,
    FACTOR_GROUP_K,
    FACTOR_OWN_NUMBER, /* the operator's own numbers begin here */
};

struct factors {
    const aclTensor *x1, *x2, *bias, *x1_scale, *x2_scale, *offset;
    int64_t group_size; /* K | N << 16 | M << 32 */
    bool is_weight;     /* x2 is scaled before the product, in groups of group_size */
    bool scales_first;
    uint64_t left_types, right_types;
};

/* Checks the factors and sets m, n, k. rows: of the left factor of the product. */
void factors_check(struct check *check, const struct factors *factors);
/* Checks the scales for a left factor of `rows` rows. */
void factors_check_scales(struct check *check,
                          const struct factors *factors,
                          uint64_t rows);
/* Returns the product that the tiling describes; bias NULL when the rank adds none. */
struct linear factors_linear(const struct mc2_tiling *tiling);

#endif
