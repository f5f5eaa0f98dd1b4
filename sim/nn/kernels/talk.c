#include "sim/nn/kernels/talk.h"

void talk_prepare(const struct npu_sim_comm_context *context,
                  const struct mc2_message *message)
{
    struct mc2_area *area = mc2_area(context);

    area->message = *message;
    npu_sim_comm_set(context, &area->prepared, 1);
}

void talk_commit(const struct npu_sim_comm_context *context, uint32_t turn)
{
    npu_sim_comm_set(context, &mc2_area(context)->committed[turn], 1);
}

static bool counts_last(uint32_t *counter, uint32_t blocks)
{
    return __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL) == blocks;
}

bool talk_is_last(const struct npu_sim_comm_context *context,
                  uint32_t turn,
                  uint32_t blocks)
{
    return counts_last(&mc2_area(context)->blocks_done[turn], blocks);
}

bool talk_wait(const struct npu_sim_comm_context *context, uint32_t turn)
{
    return !npu_sim_comm_wait(context, &mc2_area(context)->finished[turn], 1);
}

bool talk_leaves_last(const struct npu_sim_comm_context *context, uint32_t blocks)
{
    return counts_last(&mc2_area(context)->blocks_left, blocks);
}

void talk_finalize(const struct npu_sim_comm_context *context)
{
    struct mc2_area *area = mc2_area(context);

    npu_sim_comm_set(context, &area->finalized, 1);
    npu_sim_comm_wait(context, &area->finalized, 0);
}
