/* peer_connections.h - one TCP connection to each rank on other hosts
 *
 * Of two ranks, the higher one connects and the lower one accepts. */
#ifndef SIM_HCCL_RANKS_PEER_CONNECTIONS_H
#define SIM_HCCL_RANKS_PEER_CONNECTIONS_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/ranks/listener.h"
#include "sim/hccl/ranks/roster.h"

/* Connects this rank with all ranks on other hosts. All ranks must call it at the same
 * time with the same name. fds gets one descriptor per rank, -1 for ranks of the own
 * host. */
HcclResult peer_connections_open(int *fds,
                                 const char *name,
                                 const struct roster *roster,
                                 uint32_t rank,
                                 struct listener *listener,
                                 uint64_t deadline_ms);

#endif
