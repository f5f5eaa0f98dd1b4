/* accumulate_inplace_kernel.c - adds in place; a second run without a restore gives a
 * wrong sum */
#include <npu_sim/copies.h>
#include <npu_sim/kernel.h>
#include <npu_sim/work.h>

#define TILE 4096 /* elements; two of them in the unified buffer */

struct args {
    const float *input;
    float *output;
    const uint32_t *count;
};

npu_sim_body_fn accumulate_inplace;

static uint64_t first_of(uint64_t block, uint32_t blocks, uint32_t count)
{
    uint64_t lines = ((uint64_t)count + 31) / 32;
    uint64_t first = lines * block / blocks * 32;

    return first < count ? first : count;
}

NPU_SIM_INTRINSIC void add(float *sum, const float *more, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sum[i] += more[i];
}

void accumulate_inplace(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    uint64_t to = first_of(block + 1, blocks, *args->count);
    float *more = npu_sim_local(NPU_SIM_UB, 0, 2 * TILE * sizeof(float));
    float *sum = more + TILE;

    (void)size;
    for (uint64_t i = first_of(block, blocks, *args->count); i < to; i += TILE) {
        uint64_t count = to - i < TILE ? to - i : TILE;
        struct npu_sim_place in = npu_sim_at(NPU_SIM_GM, args->input + i);
        struct npu_sim_place out = npu_sim_at(NPU_SIM_GM, args->output + i);
        uint32_t moved = (uint32_t)(count * sizeof(float));

        npu_sim_mov_align(npu_sim_at(NPU_SIM_UB, more), in, 1, moved, 0, 0);
        npu_sim_mov_align(npu_sim_at(NPU_SIM_UB, sum), out, 1, moved, 0, 0);
        npu_sim_set_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
        npu_sim_wait_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
        add(sum, more, count);
        npu_sim_vector("VADD", count, sizeof(float));
        npu_sim_set_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
        npu_sim_wait_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
        npu_sim_mov_align(out, npu_sim_at(NPU_SIM_UB, sum), 1, moved, 0, 0);
    }
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    struct npu_sim_core_cost *core = &out->vector[0];
    uint64_t from = first_of(block, blocks, *args->count);
    uint64_t count = first_of(block + 1, blocks, *args->count) - from;

    (void)size;
    core->vector_fp32 = count;
    core->scalar_instructions = 160;
    core->access_count = 3;
    core->access[0] =
        (struct npu_sim_access){args->input + from, count * 4, 1, NPU_SIM_GM_TO_UB};
    core->access[1] =
        (struct npu_sim_access){args->output + from, count * 4, 1, NPU_SIM_GM_TO_UB};
    core->access[2] =
        (struct npu_sim_access){args->output + from, count * 4, 1, NPU_SIM_UB_TO_GM};
}

const struct npu_sim_kernel accumulate_inplace_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
};
