/* add_custom_kernel.c - the device half of add_custom: each block adds its share of the
 * elements, one tile at a time through the core's local memory */
#include <npu_sim/copies.h>
#include <npu_sim/kernel.h>
#include <npu_sim/work.h>

#define TILE 2048 /* elements; three of them in the unified buffer */

struct args {
    const float *x, *y;
    float *z;
    const uint32_t *count;
};

npu_sim_body_fn add_custom;

static void
share(uint32_t block, uint32_t blocks, uint32_t count, uint32_t *from, uint32_t *to)
{
    /* whole cache lines, so that blocks do not share one */
    uint64_t lines = (count + 31) / 32;

    *from = (uint32_t)(lines * block / blocks * 32);
    *to = (uint32_t)(lines * (block + 1) / blocks * 32);
    if (*from > count)
        *from = count;
    if (*to > count)
        *to = count;
}

/* Copies a tile. DMA_MOV copies multiples of 32 bytes only; the last tile may have
 * another size. */
static void move(struct npu_sim_place dst, struct npu_sim_place src, uint32_t count)
{
    uint32_t bytes = count * (uint32_t)sizeof(float);

    if (bytes % 32 == 0)
        npu_sim_dma_mov(dst, src, 1, (uint16_t)(bytes / 32), 0, 0);
    else
        npu_sim_mov_align(dst, src, 1, bytes, 0, 0);
}

NPU_SIM_INTRINSIC void add_all(float *z, const float *x, const float *y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        z[i] = x[i] + y[i];
}

static void add(float *z, const float *x, const float *y, uint32_t count)
{
    npu_sim_set_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
    add_all(z, x, y, count);
    npu_sim_vector("VADD", count, sizeof(float));
    npu_sim_set_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
}

void add_custom(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    float *tiles = npu_sim_local(NPU_SIM_UB, 0, 3 * TILE * sizeof(float));
    float *x = tiles, *y = tiles + TILE, *z = tiles + 2 * TILE;
    uint32_t from, to;

    (void)size;
    share(block, blocks, *args->count, &from, &to);
    npu_sim_mark_begin(1);
    for (uint32_t i = from; i < to; i += TILE) {
        uint32_t count = to - i < TILE ? to - i : TILE;

        move(npu_sim_at(NPU_SIM_UB, x), npu_sim_at(NPU_SIM_GM, args->x + i), count);
        move(npu_sim_at(NPU_SIM_UB, y), npu_sim_at(NPU_SIM_GM, args->y + i), count);
        add(z, x, y, count);
        move(npu_sim_at(NPU_SIM_GM, args->z + i), npu_sim_at(NPU_SIM_UB, z), count);
        /* the buffers are free for the next tile after the copy out */
        npu_sim_set_flag(NPU_SIM_PIPE_MTE3, NPU_SIM_PIPE_MTE2, 0);
        npu_sim_wait_flag(NPU_SIM_PIPE_MTE3, NPU_SIM_PIPE_MTE2, 0);
    }
    npu_sim_mark_end(1);
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    struct npu_sim_core_cost *core = &out->vector[0];
    uint32_t from, to;
    uint64_t moved;

    (void)size;
    share(block, blocks, *args->count, &from, &to);
    moved = (to - from) * sizeof(float);
    core->vector_fp32 = to - from;
    core->scalar_instructions = 200;
    core->access_count = 3;
    core->access[0] =
        (struct npu_sim_access){args->x + from, moved, 1, NPU_SIM_GM_TO_UB};
    core->access[1] =
        (struct npu_sim_access){args->y + from, moved, 1, NPU_SIM_GM_TO_UB};
    core->access[2] =
        (struct npu_sim_access){args->z + from, moved, 1, NPU_SIM_UB_TO_GM};
}

/* The counted part: the additions and the copies of their results. */
static void cost_of_results(uint32_t block,
                            uint32_t blocks,
                            const void *bytes,
                            size_t size,
                            struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    struct npu_sim_core_cost *core = &out->vector[0];
    uint32_t from, to;

    (void)size;
    share(block, blocks, *args->count, &from, &to);
    core->vector_fp32 = to - from;
    core->access_count = 1;
    core->access[0] = (struct npu_sim_access){
        args->z + from, (to - from) * sizeof(float), 1, NPU_SIM_UB_TO_GM};
}

npu_sim_cost_fn *const add_custom_counted = cost_of_results;

const struct npu_sim_kernel add_custom_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
};
