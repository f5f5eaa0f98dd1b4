/* product.h - rows of x1 x x2 + bias in 16-bit floats, added up in 32 bits
 *
 * What a cube core does: products are exact, sums are 32-bit, one rounding at the end.
 */
#ifndef SIM_NN_KERNELS_PRODUCT_H
#define SIM_NN_KERNELS_PRODUCT_H

#include <npu_sim/kernel.h>
#include <stdbool.h>

#include "sim/nn/mc2.h"

struct product;

/* NULL: no memory. bias may be NULL. */
struct product *product_begin(const struct mc2_tiling *tiling,
                              const uint16_t *x2,
                              const uint16_t *bias);
/* One row of the left matrix, its elements `step` apart. */
void product_row(struct product *product,
                 const uint16_t *left,
                 uint64_t step,
                 uint16_t *out);
void product_end(struct product *product); /* NULL is welcome */

float product_float(const struct mc2_tiling *tiling, uint16_t value);
uint16_t product_round(const struct mc2_tiling *tiling, float value);

/* Of `rows` rows those of one block: from the first to before the second. */
uint64_t product_share(uint64_t rows, uint32_t block, uint32_t blocks);
/* What a block's cube does for these rows, its left rows beginning at x1. */
void product_cost(const struct mc2_tiling *tiling,
                  uint64_t rows,
                  const void *x1,
                  const void *x2,
                  const void *out,
                  struct npu_sim_core_cost *cube);

#endif
