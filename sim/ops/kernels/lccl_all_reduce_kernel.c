/* lccl_all_reduce_kernel.c - the cores of each rank read the memory of the other ranks
 *
 * A rank copies its input into its own board and sets its flag. When all flags are set,
 * it sums the data of all boards. A flag is the number of the round, stored on the
 * board. A rank that runs one launch more than the others therefore waits for them
 * without end. */
#include <npu_sim/core.h>
#include <npu_sim/kernel.h>
#include <npu_sim/lccl.h>
#include <npu_sim/work.h>
#include <string.h>

#define RANKS_MAX 64
#define HEAD      4096

NPU_SIM_LCCL_KERNEL;

enum stamp { OVERALL, INIT, PROCESS };

struct board {
    uint32_t round;  /* number of rounds that this rank has run */
    uint32_t filled; /* the round whose data is on the board */
    uint32_t read;   /* the round that this rank has read from all */
};

struct args {
    struct board *boards[RANKS_MAX]; /* data begins HEAD bytes after the start */
    const float *input;
    float *output;
    uint64_t count;
    uint32_t rank, ranks;
};

npu_sim_body_fn lccl_all_reduce;

static bool wait_for(const uint32_t *flag, uint32_t round)
{
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < round)
        if (npu_sim_core_must_end())
            return false;
    return true;
}

static float *data_of(struct board *board)
{
    return (float *)((char *)board + HEAD);
}

/* Waits until all ranks have read, because the next round overwrites the boards. */
static bool exchange(const struct args *args, uint32_t round)
{
    struct board *own = args->boards[args->rank];

    memcpy(data_of(own), args->input, args->count * sizeof(float));
    __atomic_store_n(&own->filled, round, __ATOMIC_RELEASE);
    memset(args->output, 0, args->count * sizeof(float));
    for (uint32_t rank = 0; rank < args->ranks; rank++) {
        const float *from = data_of(args->boards[rank]);

        if (!wait_for(&args->boards[rank]->filled, round))
            return false;
        for (uint64_t i = 0; i < args->count; i++)
            args->output[i] += from[i];
    }
    __atomic_store_n(&own->read, round, __ATOMIC_RELEASE);
    for (uint32_t rank = 0; rank < args->ranks; rank++)
        if (!wait_for(&args->boards[rank]->read, round))
            return false;
    return true;
}

void lccl_all_reduce(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    uint32_t round;

    (void)blocks;
    (void)size;
    if (block > 0)
        return;
    npu_sim_stamp(OVERALL);
    npu_sim_stamp(INIT);
    round = ++args->boards[args->rank]->round;
    npu_sim_stamp(INIT);
    npu_sim_stamp(PROCESS);
    exchange(args, round);
    npu_sim_stamp(PROCESS);
    npu_sim_stamp(OVERALL);
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
    core->vector_fp32 = args->count * args->ranks;
    core->scalar_instructions = 60 * args->ranks;
    core->access_count = 4;
    core->access[0] = (struct npu_sim_access){args->input, moved, 1, NPU_SIM_GM_TO_UB};
    core->access[1] = (struct npu_sim_access){data_of(args->boards[args->rank]), moved,
                                              1, NPU_SIM_UB_TO_GM};
    core->access[2] = (struct npu_sim_access){data_of(args->boards[args->rank]), moved,
                                              args->ranks, NPU_SIM_GM_TO_UB};
    core->access[3] = (struct npu_sim_access){args->output, moved, 1, NPU_SIM_UB_TO_GM};
}

const struct npu_sim_kernel lccl_all_reduce_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
};
