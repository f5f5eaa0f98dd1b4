/* peer_address.h - compares the other end of a connection with an address of ZeroMQ */
#ifndef LIB_WIRE_REFUSALS_PEER_ADDRESS_H
#define LIB_WIRE_REFUSALS_PEER_ADDRESS_H

#include <stdbool.h>

/* Returns true when `fd` is a connected socket whose other end is the process with this
 * address: a numeric address of the network, or for a local socket a text that ends in
 * ":UID:GID:PID". */
bool peer_address_is(int fd, const char *address);

#endif
