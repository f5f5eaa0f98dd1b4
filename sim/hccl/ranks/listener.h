/* listener.h - a listening socket that accepts connections of ranks on other hosts
 *
 * A thread accepts the connections. It matches each to a waiting struct expected by
 * communicator name, connecting rank and target rank. An early connection waits; one
 * with a wrong token is closed. All communicators of a process with the same address
 * share one listener. */
#ifndef SIM_HCCL_RANKS_LISTENER_H
#define SIM_HCCL_RANKS_LISTENER_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/ranks/address.h"
#include "sim/hccl/ranks/handshake.h"
#include "sim/hccl/ranks/rank_memory.h"

struct listener;

/* The connections that a rank waits for. The caller fills all fields except fds before
 * listener_expect(). */
struct expected {
    struct handshake_key key;
    struct token token;
    uint32_t to;
    uint64_t wanted;    /* bit set of ranks */
    int fds[RANKS_MAX]; /* connection of each rank, -1 before it connects */
    struct expected *next;
};

/* Opens or shares a listener. Without ports: at the address itself. With ports: at a
 * port where the process already listens, else at the first free one, which is stored
 * in *address. A port that is in use is tried again until the deadline. */
HcclResult listener_open(struct listener **out,
                         struct address *address,
                         const struct ports *ports,
                         uint64_t deadline_ms);
struct listener *listener_share(struct listener *listener);
void listener_close(struct listener *listener); /* NULL is allowed */

void listener_expect(struct listener *listener, struct expected *expected);
/* Waits until all expected ranks have connected. Returns HCCL_E_TIMEOUT when a rank is
 * missing at the deadline. */
HcclResult listener_wait(struct listener *listener,
                         struct expected *expected,
                         uint64_t deadline_ms);
/* Stops waiting. The caller owns the descriptors in `expected`. */
void listener_forget(struct listener *listener, struct expected *expected);

#endif
