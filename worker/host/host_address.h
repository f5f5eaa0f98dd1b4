/* host_address.h - where other hosts reach this one
 *
 * The address from which we reach the coordinator is one by which others reach us, too:
 * the same network. With a coordinator on this host it is the loopback's. */
#ifndef WORKER_HOST_HOST_ADDRESS_H
#define WORKER_HOST_HOST_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

/* Of `endpoint` as of a link: ipc://..., tcp://HOST:PORT. Nothing is sent. */
void host_address_find(char *out, size_t size, const char *endpoint);

/* The address of the card's own network, as the file of such a host (/etc/hccn.conf)
 * has it in a line `address_N=`; "" when it does not say. */
void host_address_of_card(char *out, size_t size, const char *file, uint64_t card);

#endif
