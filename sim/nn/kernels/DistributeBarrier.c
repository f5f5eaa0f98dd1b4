/* DistributeBarrier.c - aclnnDistributeBarrier: AI Core only, no AI CPU half
 *
 * Each rank writes a flag into every rank's window and waits for all flags in its own.
 * The flags are in two banks that are used in turn, and the value of a bank flips each
 * time. No rank therefore writes a bank again before all ranks have read it. A change
 * of this memory on one rank alone, or an extra run on one rank, breaks the barrier. */
#include <npu_sim/kernel.h>

#include "sim/nn/mc2.h"

struct args {
    const struct npu_sim_comm_context *context;
    void *reference, *workspace;
    const struct mc2_tiling *tiling;
};

struct board {
    uint32_t flags[2][NPU_SIM_COMM_RANKS];
};

npu_sim_body_fn DistributeBarrier_0;

void DistributeBarrier_0(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct npu_sim_comm_context *context = ((const struct args *)bytes)->context;
    struct board *own = (struct board *)(uintptr_t)context->windows_in[context->rank];
    uint32_t *rounds = (uint32_t *)(uintptr_t)context->windows_out[context->rank];
    uint32_t bank = *rounds & 1, value = ~(*rounds >> 1) & 1;

    (void)blocks;
    (void)size;
    if (block > 0)
        return;
    for (uint32_t rank = 0; rank < context->ranks; rank++) {
        struct board *peer = (struct board *)(uintptr_t)context->windows_in[rank];

        npu_sim_comm_set(context, &peer->flags[bank][context->rank], value);
    }
    for (uint32_t rank = 0; rank < context->ranks; rank++)
        if (npu_sim_comm_wait(context, &own->flags[bank][rank], value))
            return;
    ++*rounds;
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;

    (void)blocks;
    (void)size;
    if (block > 0)
        return;
    out->vector[0].scalar_instructions = 40 * args->context->ranks;
    out->vector[0].access_count = 1;
    out->vector[0].access[0] = (struct npu_sim_access){
        (const void *)(uintptr_t)args->context->windows_in[args->context->rank],
        sizeof(struct board), 1, NPU_SIM_GM_TO_UB};
}

const struct npu_sim_kernel DistributeBarrier_0_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
};
