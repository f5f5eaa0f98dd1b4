/* aicpu.h - what an AI CPU kernel of the simulator is
 *
 * A function of type npu_sim_aicpu_fn in a host shared object. The object stands in
 * aicpu/ beside the libraries, or is named by its path, or is what
 * aclrtBinaryLoadFromFile opened. It runs in a thread of its own; other than an AI Core
 * body it may wait for another one, as long as it asks npu_sim_aicpu_must_end() now and
 * then. */
#ifndef NPU_SIM_AICPU_H
#define NPU_SIM_AICPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gets the launch's own copy of the arguments. Other than 0 is an exception of the AI
 * CPU: 507018 at the next synchronise. */
typedef uint32_t npu_sim_aicpu_fn(void *args);

/* What follows is for the thread of a kernel only. */
uint32_t npu_sim_aicpu_block(void);
uint32_t npu_sim_aicpu_blocks(void);
/* True when the time is up or the stream was aborted: return soon, whatever. */
bool npu_sim_aicpu_must_end(void);
/* Fails the stream with this code instead of 507018 when the kernel returns. */
void npu_sim_aicpu_fail(int32_t error);
/* What the work would take on a card, in the task log; the calls of a kernel add up. */
void npu_sim_aicpu_spend(uint64_t ns);
/* From when to when it ran, in the card's ticks, where that is better known. */
void npu_sim_aicpu_place(uint64_t from_ticks, uint64_t to_ticks);

#ifdef __cplusplus
}
#endif

#endif
