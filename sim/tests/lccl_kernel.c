/* lccl_kernel.c - a test kernel with the mark of lightweight collectives */
#include <npu_sim/kernel.h>
#include <npu_sim/lccl.h>
#include <npu_sim/work.h>

NPU_SIM_LCCL_KERNEL;

npu_sim_body_fn lccl;

void lccl(uint32_t block, uint32_t blocks, void *bytes, size_t size)
{
    (void)block;
    (void)blocks;
    (void)bytes;
    (void)size;
    npu_sim_stamp(0); /* whole run */
    npu_sim_stamp(1); /* start phase */
    npu_sim_work(NPU_SIM_PIPE_VECTOR, "VDUP", 100);
    npu_sim_stamp(1);
    npu_sim_stamp(2); /* work phase */
    npu_sim_work(NPU_SIM_PIPE_SCALAR, "ADD", 700);
    npu_sim_stamp(2);
    npu_sim_stamp(0);
}
