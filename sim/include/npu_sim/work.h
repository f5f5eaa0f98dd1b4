/* work.h - declares the computations, waits, marks and time stamps of a kernel body
 *
 * These functions change no result. The instruction log, the time stamps and the pipe
 * time line are made from their calls. */
#ifndef NPU_SIM_WORK_H
#define NPU_SIM_WORK_H

#include <npu_sim/recorder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Declares an instruction that occupies a pipe for this number of cycles. The name is a
 * constant of letters, digits and '_'. */
NPU_SIM_INLINE void
npu_sim_work(enum npu_sim_pipe pipe, const char *name, uint64_t cycles)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->work(pipe, name, cycles);
        NPU_SIM_CALLED();
    }
}

/* Declares a vector instruction: 256 bytes per cycle. */
NPU_SIM_INLINE void npu_sim_vector(const char *name, uint64_t elements, uint32_t size)
{
    npu_sim_work(NPU_SIM_PIPE_VECTOR, name, (elements * size + 255) / 256);
}

/* Declares a multiplication of m x k by k x n: 8192 operations per cycle. */
NPU_SIM_INLINE void npu_sim_cube(const char *name, uint64_t m, uint64_t n, uint64_t k)
{
    npu_sim_work(NPU_SIM_PIPE_CUBE, name, (2 * m * n * k + 8191) / 8192);
}

/* Orders two pipes: instructions of `to` after npu_sim_wait_flag() start after those of
 * `from` before npu_sim_set_flag(). */
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

/* Waits for all pipes before the next instruction. */
NPU_SIM_INLINE void npu_sim_barrier(void)
{
    if (npu_sim_is_watched()) {
        npu_sim_recorder->barrier();
        NPU_SIM_CALLED();
    }
}

/* Writes one of the user's marks 0 to 9 to the instruction log. */
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

/* Writes a time stamp. Libraries use pairs of ids; ids of users begin at 0xFFFF. */
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
