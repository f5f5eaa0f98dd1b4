/* links.h - a rank's lines to the ranks of other hosts, and who listens to them
 *
 * There is a line for each pair of ranks on different hosts. What a rank shares with
 * all it sends once to each other host: to the rank there that is as far from the first
 * one as it is itself on its own, which writes it into the memory of that host.
 * Messages between two ranks go by the line of the two. A thread receives. A line that
 * ends without a goodbye fails the group: HCCL_E_REMOTE, or HCCL_E_TCP_TRANSFER where
 * the other host does not answer any more. */
#ifndef SIM_HCCL_LINKS_H
#define SIM_HCCL_LINKS_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/line.h"
#include "sim/hccl/seats.h"

struct links;

/* Takes the descriptors in any case: connected, one for each rank, -1 for those of this
 * host. The seats must stay until links_destroy(), which says goodbye. */
HcclResult
links_create(struct links **out, struct seats *seats, uint32_t rank, const int *fds);
void links_destroy(struct links *links); /* NULL is welcome */

/* Each returns 0 or what the stream has of it; the group has failed then. `place` is an
 * offset from the head of the seats. host: one, or UINT32_MAX for all. */
aclError links_share(struct links *links,
                     uint64_t place,
                     uint64_t bytes,
                     uint32_t host,
                     const struct patience *patience);
aclError
links_arrive(struct links *links, uint64_t phase, const struct patience *patience);
aclError links_put(struct links *links,
                   uint32_t to,
                   uint64_t bytes,
                   const struct patience *patience);
aclError
links_taken(struct links *links, uint32_t from, const struct patience *patience);
void links_tell_failure(struct links *links, HcclResult why);

#endif
