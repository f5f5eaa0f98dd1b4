/* matmul_custom_kernel.c - c = a x b + bias: the cube multiplies, two vectors add
 *
 * A block owns a range of rows. Its cube leaves the product in the work space, from
 * where each vector core takes one half of the rows. */
#include <npu_sim/kernel.h>

#define TILE 128

struct tiling {
    uint32_t m, n, k;
};

struct args {
    const float *a, *b, *bias;
    float *work, *c;
    const struct tiling *tiling;
};

npu_sim_body_fn matmul_custom;

static uint64_t row_of(uint64_t block, uint32_t blocks, uint32_t rows)
{
    return (uint64_t)rows * block / blocks;
}

/* Rows of a vector's half: the first of sub-block 0 to the last of sub-block 1. */
static uint64_t
half_of(uint32_t block, uint32_t blocks, uint32_t sub, const struct tiling *tiling)
{
    uint64_t from = row_of(block, blocks, tiling->m);
    uint64_t to = row_of(block + 1ull, blocks, tiling->m);

    return from + (to - from) * sub / 2;
}

void matmul_custom(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    const struct tiling *t = args->tiling;
    uint64_t to = row_of(block + 1ull, blocks, t->m);

    (void)size;
    for (uint64_t row = row_of(block, blocks, t->m); row < to; row++) {
        float *out = args->work + row * t->n;

        for (uint32_t j = 0; j < t->n; j++)
            out[j] = 0;
        for (uint32_t i = 0; i < t->k; i++) {
            float left = args->a[row * t->k + i];
            const float *right = args->b + (uint64_t)i * t->n;

            for (uint32_t j = 0; j < t->n; j++)
                out[j] += left * right[j];
        }
    }
}

static void
add_bias(uint32_t block, uint32_t blocks, uint32_t sub, void *bytes, size_t size)
{
    const struct args *args = bytes;
    const struct tiling *t = args->tiling;
    uint64_t to = half_of(block, blocks, sub + 1, t);

    (void)size;
    for (uint64_t row = half_of(block, blocks, sub, t); row < to; row++)
        for (uint32_t j = 0; j < t->n; j++)
            args->c[row * t->n + j] = args->work[row * t->n + j] + args->bias[j];
}

static void cost_of_cube(uint64_t from,
                         uint64_t rows,
                         const struct args *args,
                         struct npu_sim_core_cost *core)
{
    const struct tiling *t = args->tiling;
    uint64_t left = rows * t->k * 4, right = (uint64_t)t->k * t->n * 4;

    core->cube_fp_ops = 2 * rows * t->n * t->k;
    core->l1_to_l0a_bytes = left * ((t->n + TILE - 1) / TILE);
    core->l1_to_l0b_bytes = right * ((rows + TILE - 1) / TILE);
    core->scalar_instructions = 600;
    core->access_count = 3;
    core->access[0] =
        (struct npu_sim_access){args->a + from * t->k, left, 1, NPU_SIM_GM_TO_L1};
    core->access[1] = (struct npu_sim_access){args->b, right, 1, NPU_SIM_GM_TO_L1};
    core->access[2] = (struct npu_sim_access){args->work + from * t->n, rows * t->n * 4,
                                              1, NPU_SIM_L0C_TO_GM};
}

static void cost_of_vector(uint64_t from,
                           uint64_t rows,
                           const struct args *args,
                           struct npu_sim_core_cost *core)
{
    uint64_t n = args->tiling->n, moved = rows * n * 4;

    core->vector_fp32 = rows * n;
    core->scalar_instructions = 200;
    core->access_count = 3;
    core->access[0] =
        (struct npu_sim_access){args->work + from * n, moved, 1, NPU_SIM_GM_TO_UB};
    core->access[1] = (struct npu_sim_access){args->bias, n * 4, 1, NPU_SIM_GM_TO_UB};
    core->access[2] =
        (struct npu_sim_access){args->c + from * n, moved, 1, NPU_SIM_UB_TO_GM};
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    uint64_t from = half_of(block, blocks, 0, args->tiling);
    uint64_t middle = half_of(block, blocks, 1, args->tiling);
    uint64_t to = half_of(block, blocks, 2, args->tiling);

    (void)size;
    if (from == to) /* more blocks than rows */
        return;
    cost_of_cube(from, to - from, args, &out->cube);
    cost_of_vector(from, middle - from, args, &out->vector[0]);
    cost_of_vector(middle, to - middle, args, &out->vector[1]);
}

const struct npu_sim_kernel matmul_custom_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_MIX,
    .cost = cost,
    .vector = add_bias,
};
