/* aicpu.h - the interface of AI CPU kernels of the simulator
 *
 * A kernel is a function of type npu_sim_aicpu_fn in a host shared object. The object
 * is in aicpu/ beside the libraries, or the launch has its path, or
 * aclrtBinaryLoadFromFile opened it. Each kernel runs in its own thread. Unlike an AI
 * Core body, it may wait for another kernel if it calls npu_sim_aicpu_must_end()
 * repeatedly while it waits. */
#ifndef NPU_SIM_AICPU_H
#define NPU_SIM_AICPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives the launch's copy of the arguments. A result other than 0 is an exception of
 * the AI CPU: the next synchronise call returns 507018. */
typedef uint32_t npu_sim_aicpu_fn(void *args);

/* Only the thread of a kernel may call the following functions. */
uint32_t npu_sim_aicpu_block(void);
uint32_t npu_sim_aicpu_blocks(void);
/* Returns true when the time limit has passed or the stream was aborted. The kernel
 * must then return soon. */
bool npu_sim_aicpu_must_end(void);
/* Sets the error of the stream after the kernel returns, instead of 507018. */
void npu_sim_aicpu_fail(int32_t error);
/* Adds to the duration of this kernel in the task log. */
void npu_sim_aicpu_spend(uint64_t ns);
/* Sets the start and the end of this kernel in the task log, in ticks of the card. */
void npu_sim_aicpu_place(uint64_t from_ticks, uint64_t to_ticks);

#ifdef __cplusplus
}
#endif

#endif
