/* lease_queue.h - leases that wait until the card is free, first in first out
 *
 * Several leases wait when points are short: the coordinator sends the next leases
 * before the results of the last ones are committed. Each lease is kept packed
 * (waiting_lease.h). */
#ifndef WORKER_LEASE_LEASE_QUEUE_H
#define WORKER_LEASE_LEASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEASE_QUEUE_MAX = 128, LEASE_QUEUE_BYTES = 16 << 20 };

struct lease_queue;
struct msg_lease;

struct lease_queue *lease_queue_create(void);
void lease_queue_destroy(struct lease_queue *queue); /* NULL is allowed */

/* Copies the lease to the end. Returns false when LEASE_QUEUE_MAX leases wait, or
 * leases of LEASE_QUEUE_BYTES. */
bool lease_queue_put(struct lease_queue *queue, const struct msg_lease *lease);
/* Removes and returns the first lease, or NULL. It is valid until the next call. */
const struct msg_lease *lease_queue_take(struct lease_queue *queue);
/* Returns the lease at this position, counted from 0, or NULL. */
const struct msg_lease *lease_queue_peek(const struct lease_queue *queue, size_t at);
/* Returns the memory of all packed leases, for tests. */
size_t lease_queue_bytes(const struct lease_queue *queue);
size_t lease_queue_count(const struct lease_queue *queue);
bool lease_queue_has(const struct lease_queue *queue, uint64_t run_id);
/* Returns true when the lease was in the queue. */
bool lease_queue_drop(struct lease_queue *queue, uint64_t run_id);
void lease_queue_drop_all(struct lease_queue *queue);

#endif
