/* aicpu.h - putting an AI CPU kernel on a stream
 *
 * The kernel runs in a thread of its own while the stream's thread waits, so that one
 * that never comes back costs its stream an error and no more. */
#ifndef SIM_RUNTIME_AICPU_H
#define SIM_RUNTIME_AICPU_H

#include <acl/acl.h>
#include <npu_sim/aicpu.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AICPU_NO_LIMIT UINT32_MAX

struct aicpu_launch {
    uint32_t blocks;
    const void *args; /* copied, names and all */
    size_t args_size;
    const aclrtPlaceHolderInfo *holders;
    size_t holder_count;
    const char *library; /* looked for when its turn comes; NULL: entry is it */
    const char *kernel;
    npu_sim_aicpu_fn *entry;
    uint32_t timeout_ms;
};

aclError aicpu_launch(aclrtStream stream, const struct aicpu_launch *launch);
uint32_t aicpu_default_timeout_ms(void); /* aclrtSetOpExecuteTimeOut */

/* Where the libraries for the AI CPU are: beside the folder of libruntime.so. */
bool aicpu_folder(char *path, size_t size);
/* The function of that name in a library for the AI CPU; NULL and a line on stderr. */
npu_sim_aicpu_fn *aicpu_find(const char *library, const char *kernel);

#endif
