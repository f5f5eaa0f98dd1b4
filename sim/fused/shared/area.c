#include "sim/fused/shared/area.h"

#include <npu_sim/work.h>

#include "sim/hccl/server.h"

/* Descriptors of the stamps of the vendor's library for cores: each marks the begin of
 * a call, the next number its end. */
enum stamp {
    STAMP_COMMIT = 0x1010,
    STAMP_WAIT = 0x1020,
    STAMP_FINALIZE = 0x1040,
    STAMP_ALL_REDUCE = 0x1100,
    STAMP_ALL_GATHER = 0x1110,
    STAMP_REDUCE_SCATTER = 0x1120,
    STAMP_ALL_TO_ALL = 0x1130,
};

/* The flags of a rank, at the end of its windows: operators that write into windows of
 * a layout of their own begin at the start. */
struct board {
    uint32_t flags[2][NPU_SIM_COMM_RANKS];
};

#define BOARD_BYTES 4096

/* Cycles of a core to write a message, or one word of it. */
#define MESSAGE_CYCLES 180
#define WORD_CYCLES    60

static uint32_t stamp_of(uint32_t command)
{
    return command == NPU_SIM_ALL_REDUCE       ? STAMP_ALL_REDUCE
           : command == NPU_SIM_ALL_GATHER     ? STAMP_ALL_GATHER
           : command == NPU_SIM_REDUCE_SCATTER ? STAMP_REDUCE_SCATTER
                                               : STAMP_ALL_TO_ALL;
}

void area_prepare(const struct npu_sim_comm_context *context,
                  const struct mc2_message *message)
{
    struct mc2_area *area = mc2_area(context);

    npu_sim_stamp(stamp_of(message->command));
    area->message = *message;
    npu_sim_comm_set(context, &area->prepared, 1);
    npu_sim_work(NPU_SIM_PIPE_SCALAR, "PREPARE", MESSAGE_CYCLES);
    npu_sim_stamp(stamp_of(message->command) + 1);
}

void area_commit(const struct npu_sim_comm_context *context, uint32_t turn)
{
    npu_sim_stamp(STAMP_COMMIT);
    npu_sim_comm_set(context, &mc2_area(context)->committed[turn], 1);
    npu_sim_work(NPU_SIM_PIPE_SCALAR, "COMMIT", WORD_CYCLES);
    npu_sim_stamp(STAMP_COMMIT + 1);
}

static bool counts_last(uint32_t *counter, uint32_t blocks)
{
    return __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL) == blocks;
}

bool area_is_last_share(const struct npu_sim_comm_context *context,
                        uint32_t turn,
                        uint32_t blocks)
{
    return counts_last(&mc2_area(context)->blocks_done[turn], blocks);
}

bool area_wait(const struct npu_sim_comm_context *context, uint32_t turn)
{
    int failed;

    npu_sim_stamp(STAMP_WAIT);
    failed = npu_sim_comm_wait(context, &mc2_area(context)->finished[turn], 1);
    npu_sim_stamp(STAMP_WAIT + 1);
    return !failed;
}

void area_add_wait_stamps(void)
{
    npu_sim_stamp(STAMP_WAIT);
    npu_sim_work(NPU_SIM_PIPE_SCALAR, "WAIT", WORD_CYCLES);
    npu_sim_stamp(STAMP_WAIT + 1);
}

bool area_is_last_block(const struct npu_sim_comm_context *context, uint32_t blocks)
{
    return counts_last(&mc2_area(context)->blocks_left, blocks);
}

void area_finalize(const struct npu_sim_comm_context *context)
{
    struct mc2_area *area = mc2_area(context);

    npu_sim_stamp(STAMP_FINALIZE);
    npu_sim_comm_set(context, &area->finalized, 1);
    npu_sim_comm_wait(context, &area->finalized, 0);
    npu_sim_stamp(STAMP_FINALIZE + 1);
}

static void *end_of(const struct npu_sim_comm_context *context, uint64_t window)
{
    return (void *)(uintptr_t)(window + context->window_bytes - BOARD_BYTES);
}

bool area_flip(const struct npu_sim_comm_context *context)
{
    struct board *own = end_of(context, context->windows_in[context->rank]);
    uint32_t *rounds = end_of(context, context->windows_out[context->rank]);
    uint32_t bank = *rounds & 1, value = ~(*rounds >> 1) & 1;

    for (uint32_t rank = 0; rank < context->ranks; rank++) {
        struct board *peer = end_of(context, context->windows_in[rank]);

        npu_sim_comm_set(context, &peer->flags[bank][context->rank], value);
    }
    for (uint32_t rank = 0; rank < context->ranks; rank++)
        if (npu_sim_comm_wait(context, &own->flags[bank][rank], value))
            return false;
    ++*rounds;
    return true;
}
