/* resources.h - resources of a communicator on its card, created at first use
 *
 * From then on the HCCL buffer counts against the memory of the card. The host
 * allocates pages only when they are written. */
#ifndef SIM_HCCL_RESOURCES_H
#define SIM_HCCL_RESOURCES_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <npu_sim/comm.h>
#include <pthread.h>
#include <stdint.h>

#include "sim/hccl/group.h"

#define RESOURCES_NOTIFIES 2

struct window;

struct resources {
    pthread_mutex_t mutex;
    const struct group *group;
    uint32_t number; /* index of the communicator on its card */
    struct window *window;
    struct npu_sim_comm_context *context; /* device memory */
    aclrtContext owner;                   /* context that owns the stream */
    aclrtStream stream;
    aclrtNotify notifies[RESOURCES_NOTIFIES];
};

void resources_init(struct resources *resources,
                    const struct group *group,
                    uint32_t number);
HcclResult resources_buffer(struct resources *resources, void **out, uint64_t *bytes);
/* Creates the context from `like`, which has the fields that only the caller can fill.
 */
HcclResult resources_context(struct resources *resources,
                             const struct npu_sim_comm_context *like,
                             struct npu_sim_comm_context **out);
/* Must be called in a thread whose current card is that of the communicator. */
HcclResult resources_stream(struct resources *resources,
                            uint8_t notifies,
                            aclrtStream *stream,
                            aclrtNotify *out);
/* Waits for the tasks of the stream and destroys it. */
void resources_end_stream(struct resources *resources);
void resources_clear(struct resources *resources);

#endif
