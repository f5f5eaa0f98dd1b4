/* work.h - what a kernel's body does besides moving data: compute, wait, mark, stamp
 *
 * Nothing here changes a result. It is what the instruction log, the time stamps and
 * the pipe time line are made of. */
#ifndef NPU_SIM_WORK_H
#define NPU_SIM_WORK_H

#include <npu_sim/recorder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An instruction of a pipe that is busy with it for so many cycles. The name is a
 * constant of letters, digits and '_'. */
NPU_SIM_INLINE void
npu_sim_work(enum npu_sim_pipe pipe, const char *name, uint64_t cycles)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->work(pipe, name, cycles);
        NPU_SIM_CALLED();
    }
}

/* A vector instruction on so many elements: 256 bytes a cycle. */
NPU_SIM_INLINE void npu_sim_vector(const char *name, uint64_t elements, uint32_t size)
{
    npu_sim_work(NPU_SIM_PIPE_VECTOR, name, (elements * size + 255) / 256);
}

/* A multiplication of m x k by k x n: 8192 operations a cycle. */
NPU_SIM_INLINE void npu_sim_cube(const char *name, uint64_t m, uint64_t n, uint64_t k)
{
    npu_sim_work(NPU_SIM_PIPE_CUBE, name, (2 * m * n * k + 8191) / 8192);
}

/* What pipe `to` does after the wait comes after what `from` did before the set. */
NPU_SIM_INLINE void
npu_sim_set_flag(enum npu_sim_pipe from, enum npu_sim_pipe to, uint32_t event)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->flag(0, from, to, event);
        NPU_SIM_CALLED();
    }
}

NPU_SIM_INLINE void
npu_sim_wait_flag(enum npu_sim_pipe from, enum npu_sim_pipe to, uint32_t event)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->flag(1, from, to, event);
        NPU_SIM_CALLED();
    }
}

/* What follows is issued when all pipes are done. */
NPU_SIM_INLINE void npu_sim_barrier(void)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->barrier();
        NPU_SIM_CALLED();
    }
}

/* The user's own marks 0 to 9, seen in the instruction log. */
NPU_SIM_INLINE void npu_sim_mark_begin(uint32_t number)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->mark(number, 0);
        NPU_SIM_CALLED();
    }
}

NPU_SIM_INLINE void npu_sim_mark_end(uint32_t number)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->mark(number, 1);
        NPU_SIM_CALLED();
    }
}

/* A time stamp: ids of libraries come in pairs, the user's own begin at 0xFFFF. */
NPU_SIM_INLINE void npu_sim_stamp(uint32_t descriptor)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->stamp(descriptor);
        NPU_SIM_CALLED();
    }
}

#ifdef __cplusplus
}
#endif

#endif
