/* meeting.h - how the ranks of a communicator find each other on one host
 *
 * All come with the same name. The first binds it as an abstract socket, which goes
 * with its process and leaves nothing behind; when all are there it makes the group's
 * memory and hands it to each. If it dies, another one takes its place. */
#ifndef SIM_HCCL_MEETING_H
#define SIM_HCCL_MEETING_H

#include <hccl/hccl_types.h>
#include <stdint.h>

struct meeting {
    const char *name; /* up to 160 characters matter */
    uint32_t ranks, rank;
    uint32_t card;
    uint32_t timeout_s;
    uint64_t buffer_bytes; /* the same for all */
};

/* The descriptor of the group's memory, for the caller to close. */
HcclResult meeting_join(const struct meeting *meeting, int *fd);

#endif
