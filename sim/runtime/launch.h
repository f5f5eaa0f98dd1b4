/* launch.h - putting a kernel on a stream */
#ifndef SIM_RUNTIME_LAUNCH_H
#define SIM_RUNTIME_LAUNCH_H

#include <acl/acl.h>
#include <stddef.h>
#include <stdint.h>

struct function;

/* Arguments in host memory, which is copied before the call returns. */
aclError launch_host(struct function *function,
                     uint32_t blocks,
                     aclrtStream stream,
                     const void *args,
                     size_t args_size,
                     const aclrtPlaceHolderInfo *holders,
                     size_t holder_count);

#endif
