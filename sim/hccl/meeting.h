/* meeting.h - how the ranks of a communicator find each other on one host
 *
 * All come with the same name. The first binds it as an abstract socket, which goes
 * with its process and leaves nothing behind; when all are there it makes the group's
 * memory and hands it to each. If it dies, another one takes its place. */
#ifndef SIM_HCCL_MEETING_H
#define SIM_HCCL_MEETING_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/roster.h"

struct meeting {
    const char *name;
    const struct roster *roster; /* who is on this host, and where others are */
    uint32_t rank;
    uint32_t card;
    uint64_t deadline_ms;
    uint64_t buffer_bytes; /* the same for all */
};

/* The descriptor of the group's memory, for the caller to close. */
HcclResult meeting_join(const struct meeting *meeting, int *fd);

#endif
