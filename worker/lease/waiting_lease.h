/* waiting_lease.h - the lease that waits while another one runs
 *
 * It is kept as a packet, since what a message borrows from goes with the message. */
#ifndef WORKER_LEASE_WAITING_LEASE_H
#define WORKER_LEASE_WAITING_LEASE_H

#include <stdbool.h>
#include <stdint.h>

struct msg_lease;
struct waiting_lease;

struct waiting_lease *waiting_lease_create(void);
void waiting_lease_destroy(struct waiting_lease *next); /* NULL is welcome */

uint64_t waiting_lease_run_id(const struct waiting_lease *next); /* 0: none waits */
/* Only when none waits. */
void waiting_lease_put(struct waiting_lease *next, const struct msg_lease *lease);
/* Borrowed until the next put; NULL: none waits. */
const struct msg_lease *waiting_lease_look(struct waiting_lease *next);
/* The same, and it waits no more. */
const struct msg_lease *waiting_lease_take(struct waiting_lease *next);
/* What was taken last waits again. */
void waiting_lease_keep(struct waiting_lease *next);
void waiting_lease_drop(struct waiting_lease *next);

#endif
