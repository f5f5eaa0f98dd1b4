/* aicpu.h - launches AI CPU kernels on streams
 *
 * The kernel runs in its own thread while the thread of the stream waits with a time
 * limit. A kernel that never returns therefore only causes an error of its stream. */
#ifndef SIM_RUNTIME_LAUNCH_AICPU_H
#define SIM_RUNTIME_LAUNCH_AICPU_H

#include <acl/acl.h>
#include <npu_sim/aicpu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AICPU_NO_LIMIT UINT32_MAX

struct aicpu_launch {
    uint32_t blocks;
    const void *args; /* copied, including the names in it */
    size_t args_size;
    const aclrtPlaceHolderInfo *holders;
    size_t holder_count;
    const char *library; /* opened when the task starts; NULL: use entry */
    const char *kernel;
    npu_sim_aicpu_fn *entry;
    uint32_t timeout_ms;
};

aclError aicpu_launch(aclrtStream stream, const struct aicpu_launch *launch);
uint32_t aicpu_default_timeout_ms(void); /* set by aclrtSetOpExecuteTimeOut */

/* Writes the folder of the AI CPU libraries, which is beside that of libruntime.so. */
bool aicpu_folder(char *path, size_t size);
/* Returns a function of an AI CPU library, or NULL after a message on stderr. */
npu_sim_aicpu_fn *aicpu_find(const char *library, const char *kernel);

#endif
