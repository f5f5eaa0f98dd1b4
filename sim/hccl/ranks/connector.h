/* connector.h - connects to another host and receives its answer */
#ifndef SIM_HCCL_RANKS_CONNECTOR_H
#define SIM_HCCL_RANKS_CONNECTOR_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/hccl/ranks/address.h"

/* Connects and sends `words`. Returns -1 with errno when the attempt fails; the caller
 * may repeat it. */
int connector_try(const struct address *address,
                  const void *words,
                  size_t size,
                  uint64_t deadline_ms);
/* Reads exactly `size` bytes. Returns false when the peer closes the connection or the
 * deadline passes. */
bool connector_receive(int fd, void *answer, size_t size, uint64_t deadline_ms);
/* Returns the HCCL error for the errno of the last attempt before the deadline. */
HcclResult connector_error(int error);

#endif
