/* host_address.h - address at which other hosts reach this host
 *
 * It is the local address of a connection to the coordinator, since all hosts share
 * that network. If the coordinator runs on this host, it is a loopback address. */
#ifndef WORKER_HOST_HOST_ADDRESS_H
#define WORKER_HOST_HOST_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

/* Finds the address for an endpoint, ipc://... or tcp://HOST:PORT. Sends nothing. */
void host_address_find(char *out, size_t size, const char *endpoint);

/* Reads the address of the card in its own network from the line `address_N=` of
 * `file`, which is /etc/hccn.conf on a real host. Writes "" when there is none. */
void host_address_of_card(char *out, size_t size, const char *file, uint64_t card);

#endif
