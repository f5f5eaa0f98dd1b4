/* probe_kernel.c - test kernels that store the arguments they received */
#include <npu_sim/kernel.h>
#include <string.h>

npu_sim_body_fn probe, probe_empty, probe_7, probe_mix, probe_work, probe_long;

struct args {
    uint32_t *seen; /* one word per block */
    uint64_t value;
    const uint64_t *data; /* address from the placeholder, or NULL */
};

void probe(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;

    args->seen[block] =
        (uint32_t)(args->value + blocks * 1000 + size + (args->data ? *args->data : 0));
}

static const uint32_t probe_sizes[] = {sizeof(void *), 1, sizeof(void *)};
const struct npu_sim_params probe_params = {3, probe_sizes};

/* each thread writes its global number at its index */
static void probe_thread(const struct npu_sim_thread *thread, void *bytes, size_t size)
{
    const struct args *args = bytes;
    uint32_t block = (thread->block_index.z * thread->grid.y + thread->block_index.y) *
                         thread->grid.x +
                     thread->block_index.x;
    uint32_t at = (thread->thread_index.z * thread->block.y + thread->thread_index.y) *
                      thread->block.x +
                  thread->thread_index.x;
    uint32_t threads = thread->block.x * thread->block.y * thread->block.z;

    (void)size;
    args->seen[block * threads + at] = (uint32_t)args->value + block * threads + at;
}

const struct npu_sim_simt probe_simt = {probe_thread};

/* a function found by its key 7 */
void probe_7(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    probe(block, blocks, bytes, size);
}

void probe_empty(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    (void)block;
    (void)blocks;
    (void)bytes;
    (void)size;
}

/* order of the halves: the cube writes 1, then the vectors shift in 2 and 3 */
void probe_mix(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;

    (void)blocks;
    (void)size;
    args->seen[block] = 1;
}

static void
shift(uint32_t block, uint32_t blocks, uint32_t sub, void *bytes, size_t size)
{
    const struct args *args = bytes;

    (void)blocks;
    (void)size;
    args->seen[block] = args->seen[block] * 10 + 2 + sub;
}

static void cost_of_mix(uint32_t block,
                        uint32_t blocks,
                        const void *bytes,
                        size_t size,
                        struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    uint64_t share = 1u << 16;

    (void)blocks;
    (void)size;
    out->cube.cube_fp_ops = 1u << 24;
    out->cube.l1_to_l0a_bytes = out->cube.l1_to_l0b_bytes = share;
    out->cube.access_count = 2;
    out->cube.access[0] = (struct npu_sim_access){
        (const char *)args->seen + block * share, share, 2, NPU_SIM_GM_TO_L1};
    out->cube.access[1] =
        (struct npu_sim_access){args->seen, share, 1, NPU_SIM_L0C_TO_GM};
    for (int i = 0; i < 2; i++) {
        out->vector[i].vector_fp32 = 1u << 14;
        out->vector[i].vector_fp16 = 1u << 12;
        out->vector[i].access_count = 1;
        out->vector[i].access[0] =
            (struct npu_sim_access){args->seen, share / 2, 1, NPU_SIM_GM_TO_UB};
    }
}

/* an eighth of the cube's operations, and half of the first vector core's */
static void counted_in_mix(uint32_t block,
                           uint32_t blocks,
                           const void *bytes,
                           size_t size,
                           struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;

    (void)block;
    (void)blocks;
    (void)size;
    out->cube.cube_fp_ops = 1u << 21;
    out->vector[0].vector_fp32 = 1u << 13;
    out->vector[0].access_count = 1;
    out->vector[0].access[0] =
        (struct npu_sim_access){args->seen, 1u << 12, 1, NPU_SIM_GM_TO_UB};
}

npu_sim_cost_fn *const probe_mix_counted = counted_in_mix;

const struct npu_sim_kernel probe_mix_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_MIX,
    .cost = cost_of_mix,
    .vector = shift,
};

void probe_work(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    probe_empty(block, blocks, bytes, size);
}

/* exactly 8 KiB in and 4 KiB out per block, of the buffer in `seen` */
static void cost_of_work(uint32_t block,
                         uint32_t blocks,
                         const void *bytes,
                         size_t size,
                         struct npu_sim_block_cost *out)
{
    const struct args *args = bytes;
    const char *share = (const char *)args->seen + block * 8192u;

    (void)blocks;
    (void)size;
    out->vector[0].vector_fp32 = 2048;
    out->vector[0].access_count = 2;
    out->vector[0].access[0] =
        (struct npu_sim_access){share, 8192, 1, NPU_SIM_GM_TO_UB};
    out->vector[0].access[1] =
        (struct npu_sim_access){share, 4096, 1, NPU_SIM_UB_TO_GM};
}

/* takes as long as its argument requests */
void probe_long(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    probe(block, blocks, bytes, size);
}

static void cost_of_long(uint32_t block,
                         uint32_t blocks,
                         const void *bytes,
                         size_t size,
                         struct npu_sim_block_cost *out)
{
    (void)block;
    (void)blocks;
    (void)size;
    out->vector[0].vector_fp32 = ((const struct args *)bytes)->value;
}

const struct npu_sim_kernel probe_long_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost_of_long,
};

const uint32_t probe_variable = 1;

const struct npu_sim_kernel probe_work_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_VECTOR,
    .cost = cost_of_work,
};
