/* neighbour_sum_kernel.c - x = x + the x of the rank before, on the cores of each rank
 *
 * The library of operators does not contain it: a program's own operator. */
#include <npu_sim/comm.h>
#include <npu_sim/kernel.h>
#include <string.h>

struct args {
    const struct npu_sim_comm_context *context;
    float *x, *received;
    uint64_t count;
};

npu_sim_body_fn neighbour_sum;

void neighbour_sum(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    const struct npu_sim_comm_context *context = args->context;
    uint32_t next = (context->rank + 1) % context->ranks;
    uint32_t before = (context->rank + context->ranks - 1) % context->ranks;
    struct npu_sim_part parts[NPU_SIM_COMM_RANKS];
    struct npu_sim_exchange exchange = {parts, 1, 0, 0};

    (void)blocks;
    (void)size;
    if (block > 0)
        return;
    memset(parts, 0, sizeof(parts));
    parts[next].from = (uintptr_t)args->x;
    parts[next].from_bytes = args->count * sizeof(float);
    parts[before].into = (uintptr_t)args->received;
    parts[before].into_bytes = args->count * sizeof(float);
    if (npu_sim_comm_exchange(context, &exchange))
        return;
    for (uint64_t i = 0; i < args->count; i++)
        args->x[i] += args->received[i];
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    struct npu_sim_core_cost *core = &out->vector[0];
    uint64_t moved = args->count * sizeof(float);

    (void)blocks;
    (void)size;
    if (block > 0)
        return;
    core->vector_fp32 = args->count;
    core->scalar_instructions = 200;
    core->access_count = 2;
    core->access[0] = (struct npu_sim_access){args->x, 2 * moved, 1, NPU_SIM_GM_TO_UB};
    core->access[1] = (struct npu_sim_access){args->x, moved, 1, NPU_SIM_UB_TO_GM};
}

const struct npu_sim_kernel neighbour_sum_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
    .waits = 1,
};
