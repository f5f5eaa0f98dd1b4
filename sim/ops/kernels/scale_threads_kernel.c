/* scale_threads_kernel.c - the device half of scale_threads: each thread scales one
 * element */
#include <npu_sim/kernel.h>
#include <npu_sim/work.h>

#define LOAD_CYCLES  70 /* a load from GM that hits the L2 */
#define STORE_CYCLES 40

struct args {
    float *data;
    uint64_t count;
    float factor;
};

npu_sim_body_fn scale_threads;

/* The entry of the kernel as a whole; its threads do the work. */
void scale_threads(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    (void)block;
    (void)blocks;
    (void)bytes;
    (void)size;
}

static void scale(const struct npu_sim_thread *thread, void *bytes, size_t size)
{
    const struct args *args = bytes;
    uint64_t at =
        (uint64_t)thread->block_index.x * thread->block.x + thread->thread_index.x;

    (void)size;
    if (at >= args->count)
        return;
    npu_sim_work(NPU_SIM_PIPE_MTE2, "LDG", LOAD_CYCLES);
    npu_sim_set_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_MTE2, NPU_SIM_PIPE_VECTOR, 0);
    args->data[at] *= args->factor;
    npu_sim_work(NPU_SIM_PIPE_VECTOR, "FMUL", 4);
    npu_sim_set_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
    npu_sim_wait_flag(NPU_SIM_PIPE_VECTOR, NPU_SIM_PIPE_MTE3, 0);
    npu_sim_work(NPU_SIM_PIPE_MTE3, "STG", STORE_CYCLES);
}

static void cost(uint32_t block,
                 uint32_t blocks,
                 const void *bytes,
                 size_t size,
                 struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    uint64_t from = args->count * block / blocks;
    uint64_t count = args->count * (block + 1) / blocks - from;

    (void)size;
    out->vector[0].vector_fp32 = count;
    out->vector[0].access_count = 2;
    out->vector[0].access[0] = (struct npu_sim_access){
        args->data + from, count * sizeof(float), 1, NPU_SIM_GM_TO_UB};
    out->vector[0].access[1] = (struct npu_sim_access){
        args->data + from, count * sizeof(float), 1, NPU_SIM_UB_TO_GM};
}

const struct npu_sim_simt scale_threads_simt = {scale};
const struct npu_sim_kernel scale_threads_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost,
};
