/* product.h - rows of x1 x x2 + bias in 16-bit floats, summed in 32 bits
 *
 * As on a cube core: exact products, 32-bit sums, one rounding at the end. */
#ifndef SIM_NN_KERNELS_PRODUCT_H
#define SIM_NN_KERNELS_PRODUCT_H

#include <npu_sim/kernel.h>
#include <stdbool.h>

#include "sim/nn/mc2.h"

struct product;

/* Returns NULL when out of memory. bias may be NULL. */
struct product *product_begin(const struct mc2_tiling *tiling,
                              const uint16_t *x2,
                              const uint16_t *bias);
/* Computes one row of the product; the elements of `left` are `step` apart. */
void product_row(struct product *product,
                 const uint16_t *left,
                 uint64_t step,
                 uint16_t *out);
void product_end(struct product *product); /* NULL is allowed */

float product_float(const struct mc2_tiling *tiling, uint16_t value);
uint16_t product_round(const struct mc2_tiling *tiling, float value);

/* Returns the first row of the block's share; the share ends at the first row of the
 * next block. */
uint64_t product_share(uint64_t rows, uint32_t block, uint32_t blocks);
/* Fills the cost of a block's cube for these rows; x1 is the start of its left rows. */
void product_cost(const struct mc2_tiling *tiling,
                  uint64_t rows,
                  const void *x1,
                  const void *x2,
                  const void *out,
                  struct npu_sim_core_cost *cube);

#endif
