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

enum { LEASE_LINE_MAX = 128 };

struct lease_line;
struct msg_lease;

struct lease_line *lease_line_create(void);
void lease_line_destroy(struct lease_line *line); /* NULL is welcome */

/* False: so many cannot wait. */
bool lease_line_put(struct lease_line *line, const struct msg_lease *lease);
/* Borrowed until the next call; NULL: none waits. */
const struct msg_lease *lease_line_take(struct lease_line *line);
/* The one that waits at this place, from 0; NULL: none does. */
const struct msg_lease *lease_line_look(const struct lease_line *line, size_t at);
size_t lease_line_count(const struct lease_line *line);
bool lease_line_has(const struct lease_line *line, uint64_t run_id);
/* True when it waited. */
bool lease_line_drop(struct lease_line *line, uint64_t run_id);
void lease_line_drop_all(struct lease_line *line);

#endif
