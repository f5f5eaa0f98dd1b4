/* product_steps.h - steps that operators with a product have in common */
#ifndef SIM_FUSED_SHARED_PRODUCT_STEPS_H
#define SIM_FUSED_SHARED_PRODUCT_STEPS_H

#include <hccl/hccl_types.h>

#include "sim/fused/shared/body.h"
#include "sim/fused/shared/factors.h"

/* The state of a block. */
struct product {
    struct linear linear;
    struct linear_state *rows;
    float *row;              /* n floats */
    struct mc2_tensor scale; /* of the rows of another rank */
};

void *product_open(const struct body *body);
void product_close(void *state);
/* Computes row `row` of x1 x x2 into the state's row; returns it. */
float *
product_row(struct product *product, const struct mc2_tiling *tiling, uint64_t row);
/* Rounds n values into row `row` of a matrix with n columns. */
void product_store(int32_t type,
                   uint64_t address,
                   uint64_t row,
                   uint64_t n,
                   const float *values);
/* Declares the cube work of a block that multiplies its share of `rows` rows. */
void product_cost(const struct body *body,
                  uint64_t rows,
                  uint64_t out,
                  struct npu_sim_block_cost *cost);
/* Returns the type that the transfer has for a type of tensors. */
HcclDataType product_moved_type(int32_t type);

/* Marks the call empty when there is no data to compute. Returns true then. */
bool product_is_empty(struct check *check);

#endif
