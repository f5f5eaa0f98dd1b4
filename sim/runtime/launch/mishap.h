/* mishap.h - applies the planted faults of the fleet file to a task */
#ifndef SIM_RUNTIME_LAUNCH_MISHAP_H
#define SIM_RUNTIME_LAUNCH_MISHAP_H

#include <acl/acl.h>

struct stream;

/* Applies the faults that are planted for this task. The thread of the stream calls it
 * once per task, with the name of the kernel. The call can take long. It does not
 * return when the fault ends the process. A result other than 0 is the error of the
 * task. A task that hangs is stopped after limit_ms. */
aclError mishap_meet(struct stream *stream, const char *task, uint64_t limit_ms);

#endif
