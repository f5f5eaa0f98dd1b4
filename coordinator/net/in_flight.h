/* in_flight.h - bytes that ZeroMQ holds for one connection
 *
 * ZeroMQ limits the number of messages that wait for a connection, not their bytes.
 * Each packet is therefore lent to ZeroMQ, which gives it back when the packet was
 * written to the connection. The count is exact and belongs to two threads. */
#ifndef COORDINATOR_NET_IN_FLIGHT_H
#define COORDINATOR_NET_IN_FLIGHT_H

#include <stddef.h>

#include "lib/wire/link.h"

struct in_flight;

struct in_flight *in_flight_create(void);
/* Frees it when the last packet has come back. NULL is allowed. */
void in_flight_destroy(struct in_flight *in_flight);
size_t in_flight_bytes(const struct in_flight *in_flight);
/* Copies the packet and sends it with link_send_lent(). */
int in_flight_send(struct in_flight *in_flight,
                   struct link *link,
                   const struct peer *to,
                   const void *packet,
                   size_t size,
                   struct err *err);

#endif
