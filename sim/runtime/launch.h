/* launch.h - putting a kernel on a stream */
#ifndef SIM_RUNTIME_LAUNCH_H
#define SIM_RUNTIME_LAUNCH_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/runtime/bodies.h"

struct function;

struct launch_options {
    uint64_t timeout_us; /* 0: only what holds for all */
    struct threads threads;
    bool vector_core; /* of those chips that have cores of their own for it */
};

/* Arguments in host memory, which is copied before the call returns. NULL options are
 * the usual ones. */
aclError launch_host(struct function *function,
                     uint32_t blocks,
                     aclrtStream stream,
                     const void *args,
                     size_t args_size,
                     const aclrtPlaceHolderInfo *holders,
                     size_t holder_count,
                     const struct launch_options *options);
/* ... in device memory, which the kernel reads when it runs. */
aclError launch_device(struct function *function,
                       uint32_t blocks,
                       aclrtStream stream,
                       const void *args,
                       size_t args_size,
                       const struct launch_options *options);

#endif
