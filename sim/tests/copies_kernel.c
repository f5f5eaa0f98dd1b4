/* copies_kernel.c - a test kernel: one transfer of each type, and a loop
 *
 * All sizes differ, so that no two fields of a record have equal values. */
#include <npu_sim/copies.h>
#include <npu_sim/kernel.h>
#include <npu_sim/work.h>

struct args {
    float *in, *out;
};

npu_sim_body_fn five_copies, loop_copies, stamped;

void five_copies(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    char *ub = npu_sim_local(NPU_SIM_UB, 0, 65536);
    char *l1 = npu_sim_local(NPU_SIM_L1, 0, 65536);
    char *l0a = npu_sim_local(NPU_SIM_L0A, 0, 65536);
    float *l0c = npu_sim_local(NPU_SIM_L0C, 0, 65536);

    (void)blocks;
    (void)size;
    for (int i = 0; i < 16384; i++)
        l0c[i] = (float)i;
    memset(l1, 0, 65536);
    npu_sim_dma_mov(npu_sim_at(NPU_SIM_UB, ub + 64),
                    npu_sim_at(NPU_SIM_GM, args->in + block), 3, 2, 5, 7);
    npu_sim_mov_align(npu_sim_at(NPU_SIM_GM, args->out + 1024),
                      npu_sim_at(NPU_SIM_UB, ub), 2, 70, 1, 9);
    npu_sim_nd2nz(npu_sim_at(NPU_SIM_L1, l1 + 512), npu_sim_at(NPU_SIM_GM, args->in), 6,
                  20, 24, 16);
    npu_sim_load_2d(npu_sim_at(NPU_SIM_L0A, l0a + 1024), npu_sim_at(NPU_SIM_L1, l1), 1,
                    3, 2, 4);
    npu_sim_mov_fp(npu_sim_at(NPU_SIM_GM, args->out), npu_sim_at(NPU_SIM_L0C, l0c), 5,
                   18, 16, 32);
}

/* runs one transfer more than the number of its block */
void loop_copies(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    const struct args *args = bytes;
    char *ub = npu_sim_local(NPU_SIM_UB, 0, 64);

    (void)blocks;
    (void)size;
    for (uint32_t i = 0; i <= block; i++)
        npu_sim_dma_mov(npu_sim_at(NPU_SIM_UB, ub), npu_sim_at(NPU_SIM_GM, args->in), 1,
                        1, 0, 0);
}

/* A cube and two vector cores that write stamps, with pipes that wait for each other.
 */
void stamped(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    (void)block;
    (void)blocks;
    (void)bytes;
    (void)size;
    npu_sim_stamp(0x1000); /* the library's INIT */
    npu_sim_work(NPU_SIM_PIPE_CUBE, "MMAD", 400);
    npu_sim_work(NPU_SIM_PIPE_SCALAR, "ADD", 100);
    npu_sim_stamp(0x1001);
}

static void
stamped_vector(uint32_t block, uint32_t blocks, uint32_t sub, void *bytes, size_t size)
{
    (void)block;
    (void)blocks;
    (void)bytes;
    (void)size;
    for (uint32_t i = 0; i < 6 + sub; i++)
        npu_sim_stamp(0x20000 + i);
}

const struct npu_sim_kernel stamped_sim = {
    .size = sizeof(struct npu_sim_kernel),
    .kind = NPU_SIM_MIX,
    .vector = stamped_vector,
};
