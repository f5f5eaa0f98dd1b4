/* root.h - exchanges the addresses of ranks on several hosts through the root
 *
 * The process that made the root info has a thread that all ranks connect to. When the
 * last rank has connected, the thread sends the roster to all and ends. It also ends at
 * its time limit. */
#ifndef SIM_HCCL_RANKS_ROOT_H
#define SIM_HCCL_RANKS_ROOT_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/ranks/address.h"
#include "sim/hccl/ranks/handshake.h"
#include "sim/hccl/ranks/roster.h"

#define ROOT_HOST 16

/* Identifies a host; two simulated hosts on one machine have different ids. */
struct host_id {
    unsigned char bytes[ROOT_HOST];
};

/* The data that a rank sends to the root. */
struct candidate {
    uint32_t ranks, rank, card;
    struct host_id host;
    struct address address;
};

struct host_id root_host(void);
/* Starts the root's thread. *address: requested address, then the actual one. */
HcclResult root_open(struct address *address,
                     const struct ports *ports,
                     const struct token *token,
                     uint32_t timeout_s);
/* Connects to the root, repeatedly while it does not listen yet. The local address of
 * *fd is the one that leads to the root. */
HcclResult root_call(int *fd, const struct address *root, uint64_t deadline_ms);
/* Sends the candidate and receives the roster; closes the connection. Returns
 * HCCL_E_PARA when the root already has that rank, or another number of ranks. */
HcclResult root_join(struct roster *roster,
                     int fd,
                     const struct candidate *candidate,
                     const struct token *token,
                     uint64_t deadline_ms);

#endif
