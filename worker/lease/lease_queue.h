/* lease_queue.h - the leases that wait until the card is free, in the order they came
 *
 * Each is kept as a packet (next_lease.h). There are more than one where points are
 * short: the next ones are here before the last ones' results are on disk over there.
 */
#ifndef WORKER_LEASE_LEASE_QUEUE_H
#define WORKER_LEASE_LEASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEASE_QUEUE_MAX = 128 };

struct lease_queue;
struct msg_lease;

struct lease_queue *lease_queue_create(void);
void lease_queue_destroy(struct lease_queue *line); /* NULL is welcome */

/* False: so many cannot wait. */
bool lease_queue_put(struct lease_queue *line, const struct msg_lease *lease);
/* Borrowed until the next call; NULL: none waits. */
const struct msg_lease *lease_queue_take(struct lease_queue *line);
/* The one that waits at this place, from 0; NULL: none does. */
const struct msg_lease *lease_queue_look(const struct lease_queue *line, size_t at);
size_t lease_queue_count(const struct lease_queue *line);
bool lease_queue_has(const struct lease_queue *line, uint64_t run_id);
/* True when it waited. */
bool lease_queue_drop(struct lease_queue *line, uint64_t run_id);
void lease_queue_drop_all(struct lease_queue *line);

#endif
