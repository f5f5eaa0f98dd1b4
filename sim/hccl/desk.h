/* desk.h - where ranks of other hosts call: a listening socket, and who has called
 *
 * A thread receives the callers. They are handed to the one that expects them, by the
 * communicator's name, the rank that calls and the one that is called; whoever comes
 * early waits, and who does not know the token is sent away. One desk serves all
 * communicators of a process that have the same address. */
#ifndef SIM_HCCL_DESK_H
#define SIM_HCCL_DESK_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/address.h"
#include "sim/hccl/greeting.h"
#include "sim/hccl/seats.h"

struct desk;

/* Filled before desk_expect(), but for fds. */
struct expected {
    struct greeting_key key;
    struct token token;
    uint32_t to;
    uint64_t wanted;    /* ranks, a bit each */
    int fds[SEATS_MAX]; /* of those that have called, else -1 */
    struct expected *next;
};

/* At the address itself; or, given ports, at any port that the process has there
 * already or at the first free one, which *address has then. A port that is taken is
 * tried again until the deadline. */
HcclResult desk_open(struct desk **out,
                     struct address *address,
                     const struct ports *ports,
                     uint64_t deadline_ms);
struct desk *desk_share(struct desk *desk);
void desk_close(struct desk *desk); /* NULL is welcome */

void desk_expect(struct desk *desk, struct expected *expected);
/* HCCL_E_TIMEOUT when some have not called by then. */
HcclResult
desk_wait(struct desk *desk, struct expected *expected, uint64_t deadline_ms);
/* The descriptors are the caller's. */
void desk_forget(struct desk *desk, struct expected *expected);

#endif
