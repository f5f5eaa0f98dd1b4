/* core.h - for an AI Core body that waits for something outside of its card
 *
 * Such a body polls, and gives up when this says so. The kernel file must be linked to
 * libruntime.so for it. */
#ifndef NPU_SIM_CORE_H
#define NPU_SIM_CORE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True when the stream was aborted, or when the time of aclrtSetOpExecuteTimeOut is
 * over since the body asked first: the stream ends with 507014 then. Gives way to other
 * threads. */
bool npu_sim_core_must_end(void);

#ifdef __cplusplus
}
#endif

#endif
