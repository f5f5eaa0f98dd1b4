/* root.h - ranks of several hosts find out where the others are
 *
 * The process that made the root info has a thread that they all call. When the last
 * one has come each is told where all are, and the thread ends; it ends too when they
 * do not come in time. */
#ifndef SIM_HCCL_ROOT_H
#define SIM_HCCL_ROOT_H

#include <hccl/hccl_types.h>
#include <stdint.h>

#include "sim/hccl/address.h"
#include "sim/hccl/greeting.h"
#include "sim/hccl/roster.h"

#define ROOT_HOST 16

/* What tells hosts apart: two simulated ones of one machine too. */
struct host_id {
    unsigned char bytes[ROOT_HOST];
};

/* What a rank says of itself. */
struct candidate {
    uint32_t ranks, rank, card;
    struct host_id host;
    struct address address;
};

struct host_id root_host(void);
/* *address: where to listen, and then where it does. */
HcclResult root_open(struct address *address,
                     const struct ports *ports,
                     const struct token *token,
                     uint32_t timeout_s);
/* A connection to the root, which may only come up yet; it shows which of the own
 * addresses leads there. */
HcclResult root_call(int *fd, const struct address *root, uint64_t deadline_ms);
/* Closes the connection. HCCL_E_PARA: the root knows that rank already, or another
 * number of ranks. */
HcclResult root_join(struct roster *roster,
                     int fd,
                     const struct candidate *candidate,
                     const struct token *token,
                     uint64_t deadline_ms);

#endif
