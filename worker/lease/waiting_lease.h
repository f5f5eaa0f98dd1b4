/* waiting_lease.h - the lease that waits while another one runs
 *
 * It is kept as a packet, since what a message borrows from goes with the message. */
#ifndef WORKER_LEASE_WAITING_LEASE_H
#define WORKER_LEASE_WAITING_LEASE_H

#include <stdbool.h>
#include <stdint.h>

struct msg_lease;
struct next_lease;

struct next_lease *next_lease_create(void);
void next_lease_destroy(struct next_lease *next); /* NULL is welcome */

uint64_t next_lease_run_id(const struct next_lease *next); /* 0: none waits */
/* Only when none waits. */
void next_lease_put(struct next_lease *next, const struct msg_lease *lease);
/* Borrowed until the next put; NULL: none waits. */
const struct msg_lease *next_lease_look(struct next_lease *next);
/* The same, and it waits no more. */
const struct msg_lease *next_lease_take(struct next_lease *next);
/* What was taken last waits again. */
void next_lease_keep(struct next_lease *next);
void next_lease_drop(struct next_lease *next);

#endif
