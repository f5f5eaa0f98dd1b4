/* join.h - joins a communicator: all ranks call it with one key
 *
 * The ranks of a host first find each other there (discovery.h). Each is then connected
 * to the ranks of other hosts (peer_connections.h). */
#ifndef SIM_HCCL_RANKS_JOIN_H
#define SIM_HCCL_RANKS_JOIN_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/comm.h"
#include "sim/hccl/ranks/roster.h"

struct joining {
    const char *key;  /* the same on all ranks */
    const char *name; /* name of the communicator, unless the settings contain one */
    const struct roster *roster;
    uint32_t rank;
    const struct place *place;
    const struct settings *settings;
    struct listener *listener; /* borrowed; NULL when all ranks are on this host */
    uint64_t deadline_ms;
};

HcclResult join(const struct joining *joining, struct comm **comm);
/* Fills a roster whose ranks are all on this host. */
void join_one_host(struct roster *roster, uint32_t ranks);
uint64_t join_deadline(const struct settings *settings);

#endif
