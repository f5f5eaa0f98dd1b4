/* launch.h - launches AI Core kernels on streams */
#ifndef SIM_RUNTIME_LAUNCH_LAUNCH_H
#define SIM_RUNTIME_LAUNCH_LAUNCH_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/runtime/launch/bodies.h"

struct function;

struct launch_options {
    uint64_t timeout_us; /* 0: only the limit of the program applies */
    struct threads threads;
    bool vector_core; /* run on separate vector cores, where the chip has them */
};

/* Launches with arguments in host memory, which are copied before the call returns.
 * options NULL: the defaults. */
aclError launch_host(struct function *function,
                     uint32_t blocks,
                     aclrtStream stream,
                     const void *args,
                     size_t args_size,
                     const aclrtPlaceHolderInfo *holders,
                     size_t holder_count,
                     const struct launch_options *options);
/* Launches with arguments in device memory, which the kernel reads when it runs. */
aclError launch_device(struct function *function,
                       uint32_t blocks,
                       aclrtStream stream,
                       const void *args,
                       size_t args_size,
                       const struct launch_options *options);

#endif
