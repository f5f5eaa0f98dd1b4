#include "sim/nn/kernels/product.h"

#include <hccl/hccl_types.h>
#include <npu_sim/work.h>
#include <pthread.h>
#include <stdlib.h>

#include "sim/hccl/element.h"

#define TILE 128 /* rows or columns that L0 holds */

struct product {
    const struct mc2_tiling *tiling;
    const float *value; /* one float per 16-bit pattern */
    float *right;       /* k x n */
    float *bias;        /* n */
    float *sum;         /* n */
};

static float halves[65536], bfloats[65536];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
    for (uint32_t i = 0; i < 65536; i++) {
        halves[i] = element_from_half((uint16_t)i);
        bfloats[i] = element_from_bfloat((uint16_t)i);
    }
}

static const float *table_of(const struct mc2_tiling *tiling)
{
    pthread_once(&once, fill_tables);
    return tiling->type == HCCL_DATA_TYPE_FP16 ? halves : bfloats;
}

float product_float(const struct mc2_tiling *tiling, uint16_t value)
{
    return table_of(tiling)[value];
}

uint16_t product_round(const struct mc2_tiling *tiling, float value)
{
    return tiling->type == HCCL_DATA_TYPE_FP16 ? element_to_half(value)
                                               : element_to_bfloat(value);
}

struct product *
product_begin(const struct mc2_tiling *tiling, const uint16_t *x2, const uint16_t *bias)
{
    struct product *product = calloc(1, sizeof(*product));
    uint64_t n = tiling->n, k = tiling->k;

    if (!product)
        return NULL;
    product->tiling = tiling;
    product->value = table_of(tiling);
    product->right = malloc((k * n + 2 * n + 1) * sizeof(float));
    if (!product->right) {
        free(product);
        return NULL;
    }
    product->bias = product->right + k * n;
    product->sum = product->bias + n;
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t j = 0; j < n; j++)
            product->right[i * n + j] =
                product->value[x2[i * tiling->x2_row + j * tiling->x2_column]];
    for (uint64_t j = 0; j < n; j++)
        product->bias[j] = bias ? product->value[bias[j]] : 0;
    return product;
}

void product_row(struct product *product,
                 const uint16_t *left,
                 uint64_t step,
                 uint16_t *out)
{
    uint64_t n = product->tiling->n, k = product->tiling->k;
    float *restrict sum = product->sum;

    for (uint64_t j = 0; j < n; j++)
        sum[j] = product->bias[j];
    for (uint64_t i = 0; i < k; i++) {
        const float *restrict right = product->right + i * n;
        float factor = product->value[left[i * step]];

        for (uint64_t j = 0; j < n; j++)
            sum[j] += factor * right[j];
    }
    for (uint64_t j = 0; j < n; j++)
        out[j] = product_round(product->tiling, sum[j]);
    npu_sim_cube("MMAD", 1, n, k);
}

void product_end(struct product *product)
{
    if (product)
        free(product->right);
    free(product);
}

uint64_t product_share(uint64_t rows, uint32_t block, uint32_t blocks)
{
    return rows * block / blocks;
}

void product_cost(const struct mc2_tiling *tiling,
                  uint64_t rows,
                  const void *x1,
                  const void *x2,
                  const void *out,
                  struct npu_sim_core_cost *cube)
{
    uint64_t left = rows * tiling->k * 2, right = tiling->k * tiling->n * 2;

    if (rows == 0)
        return;
    cube->cube_fp_ops += 2 * rows * tiling->n * tiling->k;
    cube->l1_to_l0a_bytes += left * ((tiling->n + TILE - 1) / TILE);
    cube->l1_to_l0b_bytes += right * ((rows + TILE - 1) / TILE);
    cube->scalar_instructions += 400;
    cube->access[cube->access_count++] =
        (struct npu_sim_access){x1, left, 1, NPU_SIM_GM_TO_L1};
    cube->access[cube->access_count++] =
        (struct npu_sim_access){x2, right, 1, NPU_SIM_GM_TO_L1};
    cube->access[cube->access_count++] =
        (struct npu_sim_access){out, rows * tiling->n * 2, 1, NPU_SIM_L0C_TO_GM};
}
