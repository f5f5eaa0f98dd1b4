/* address.h - where other hosts reach this one
 *
 * The address from which we reach the coordinator is one by which others reach us, too:
 * the same network. With a coordinator on this host it is the loopback's. */
#ifndef WORKER_ADDRESS_H
#define WORKER_ADDRESS_H

#include <stddef.h>

/* Of `endpoint` as of a link: ipc://..., tcp://HOST:PORT. Nothing is sent. */
void address_find(char *out, size_t size, const char *endpoint);

#endif
