#include "sim/fused/shared/product_steps.h"

#include <stdlib.h>

#include "sim/fused/shared/number.h"

void *product_open(const struct body *body)
{
    struct product *product = calloc(1, sizeof(*product));

    if (!product)
        return NULL;
    product->linear = factors_linear(body->tiling);
    product->rows = linear_open(&product->linear);
    product->row = malloc((body->tiling->n + 1) * sizeof(float));
    if (product->rows && product->row)
        return product;
    product_close(product);
    return NULL;
}

void product_close(void *state)
{
    struct product *product = state;

    linear_close(product->rows);
    free(product->row);
    free(product);
}

float *
product_row(struct product *product, const struct mc2_tiling *tiling, uint64_t row)
{
    const struct mc2_tensor *left = &tiling->tensor[FACTOR_X1];

    linear_row(product->rows, left->address, row * left->step[0], left->step[1], row,
               product->row);
    return product->row;
}

void product_store(int32_t type,
                   uint64_t address,
                   uint64_t row,
                   uint64_t n,
                   const float *values)
{
    for (uint64_t j = 0; j < n; j++)
        number_put(type, address, row * n + j, values[j]);
}

void product_cost(const struct body *body,
                  uint64_t rows,
                  uint64_t out,
                  struct npu_sim_block_cost *cost)
{
    const struct mc2_tiling *t = body->tiling;
    const struct linear linear = factors_linear(t);
    uint64_t from = body_share(rows, body->block, body->blocks);
    uint64_t to = body_share(rows, body->block + 1, body->blocks);

    linear_cost(&linear, to - from,
                t->tensor[FACTOR_X1].address +
                    number_bytes(linear.left_type, from * linear.k),
                out + from * linear.n * 2, &cost->cube);
}

HcclDataType product_moved_type(int32_t type)
{
    return type == ACL_FLOAT16 ? HCCL_DATA_TYPE_FP16
           : type == ACL_BF16  ? HCCL_DATA_TYPE_BFP16
           : type == ACL_FLOAT ? HCCL_DATA_TYPE_FP32
                               : HCCL_DATA_TYPE_INT8;
}

bool product_is_empty(struct check *check)
{
    if (!check->status)
        check->call.is_empty = check_elements(check, FACTOR_X1) == 0 ||
                               check_elements(check, FACTOR_X2) == 0;
    return check->call.is_empty;
}
