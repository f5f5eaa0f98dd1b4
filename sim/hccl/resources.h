/* resources.h - what a communicator holds on its card, made when first asked for
 *
 * The HCCL buffer counts against the card's memory from then on; the host gives real
 * pages only where somebody writes. */
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
    uint32_t number; /* of the communicator among those of its card */
    struct window *window;
    struct npu_sim_comm_context *context; /* device memory */
    aclrtContext owner;                   /* of the stream */
    aclrtStream stream;
    aclrtNotify notifies[RESOURCES_NOTIFIES];
};

void resources_init(struct resources *resources,
                    const struct group *group,
                    uint32_t number);
HcclResult resources_buffer(struct resources *resources, void **out, uint64_t *bytes);
/* `like` has what is not known here. */
HcclResult resources_context(struct resources *resources,
                             const struct npu_sim_comm_context *like,
                             struct npu_sim_comm_context **out);
/* In a thread that has the communicator's card as its current one. */
HcclResult resources_stream(struct resources *resources,
                            uint8_t notifies,
                            aclrtStream *stream,
                            aclrtNotify *out);
/* Waits for what is on the stream. */
void resources_end_stream(struct resources *resources);
void resources_clear(struct resources *resources);

#endif
