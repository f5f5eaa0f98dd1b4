/* core.h - ends AI Core bodies that wait for an event outside of their card
 *
 * Such a body polls, and returns when npu_sim_core_must_end() returns true. Its kernel
 * file must be linked with libruntime.so. */
#ifndef NPU_SIM_CORE_H
#define NPU_SIM_CORE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns true when the stream was aborted, or when the time of
 * aclrtSetOpExecuteTimeOut has passed since the first call of the body. In the second
 * case the stream ends with 507014. The call yields the processor to other threads. */
bool npu_sim_core_must_end(void);

#ifdef __cplusplus
}
#endif

#endif
