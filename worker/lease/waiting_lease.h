/* waiting_lease.h - slot for one lease that is kept after its message is gone
 *
 * A received message borrows from its buffer. The slot therefore packs the lease again
 * and unpacks it on demand. */
#ifndef WORKER_LEASE_WAITING_LEASE_H
#define WORKER_LEASE_WAITING_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msg_lease;
struct waiting_lease;

struct waiting_lease *waiting_lease_create(void);
void waiting_lease_destroy(struct waiting_lease *slot); /* NULL is allowed */

uint64_t waiting_lease_run_id(const struct waiting_lease *slot); /* 0: empty */
/* Stores a copy. The slot must be empty. */
void waiting_lease_put(struct waiting_lease *slot, const struct msg_lease *lease);
/* Returns the lease, borrowed until the next put, or NULL when the slot is empty. */
const struct msg_lease *waiting_lease_peek(struct waiting_lease *slot);
/* Returns the same and empties the slot. */
const struct msg_lease *waiting_lease_take(struct waiting_lease *slot);
/* Undoes the last take: the slot holds that lease again. */
void waiting_lease_restore(struct waiting_lease *slot);
/* Empties the slot. */
void waiting_lease_drop(struct waiting_lease *slot);
/* Frees the memory of a large lease that was taken or dropped. */
void waiting_lease_trim(struct waiting_lease *slot);
/* Returns the memory of the packed lease; a slot without a lease may keep some. */
size_t waiting_lease_bytes(const struct waiting_lease *slot);

#endif
