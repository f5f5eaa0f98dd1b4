/* mishap.h - what the fleet file plants happens to a task when its turn has come */
#ifndef SIM_RUNTIME_MISHAP_H
#define SIM_RUNTIME_MISHAP_H

#include <acl/acl.h>

struct stream;

/* Once a task, by the stream's thread, with the name of the kernel. May take long, and
 * may never return. What it returns other than 0 is how the task ends. A task
 * that hangs is stopped after the limit. */
aclError mishap_meet(struct stream *stream, const char *task, uint64_t limit_ms);

#endif
