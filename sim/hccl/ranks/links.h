/* links.h - one rank's connections to the ranks on other hosts, and their receiver
 * thread
 *
 * Each pair of ranks on different hosts has one connection. Data for all ranks is sent
 * once to each other host: to the rank with the same index on its host, which writes it
 * into the memory of that host. Messages between two ranks use the connection of the
 * two. A connection that ends without a goodbye fails the group: with HCCL_E_REMOTE, or
 * with HCCL_E_TCP_TRANSFER when the other host no longer answers. */
#ifndef SIM_HCCL_RANKS_LINKS_H
#define SIM_HCCL_RANKS_LINKS_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/ranks/line.h"
#include "sim/hccl/ranks/rank_memory.h"

struct links;

/* Always takes over the descriptors: one per rank, connected, -1 for ranks of this
 * host. `memory` must stay mapped until links_destroy(), which sends the goodbye. */
HcclResult links_create(struct links **out,
                        struct rank_memory *memory,
                        uint32_t rank,
                        const int *fds);
void links_destroy(struct links *links); /* NULL is allowed */

/* Each returns 0 or the error of the stream; the group has then failed. `place` is an
 * offset into the rank memory. host: one host, or UINT32_MAX for all. */
aclError links_share(struct links *links,
                     uint64_t place,
                     uint64_t bytes,
                     uint32_t host,
                     const struct wait_check *wait_check);
aclError
links_arrive(struct links *links, uint64_t phase, const struct wait_check *wait_check);
aclError links_put(struct links *links,
                   uint32_t to,
                   uint64_t bytes,
                   const struct wait_check *wait_check);
aclError
links_taken(struct links *links, uint32_t from, const struct wait_check *wait_check);
void links_send_failure(struct links *links, HcclResult why);

#endif
