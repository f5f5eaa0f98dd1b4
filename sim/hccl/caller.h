/* caller.h - connecting to another host, again and again until it is there */
#ifndef SIM_HCCL_CALLER_H
#define SIM_HCCL_CALLER_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/hccl/address.h"

/* Connects and sends `words`. -1 with errno when it does not work now. */
int caller_try(const struct address *address,
               const void *words,
               size_t size,
               uint64_t deadline_ms);
/* Reads all of it. False: the other side went away, or the time is up. */
bool caller_hear(int fd, void *answer, size_t size, uint64_t deadline_ms);
/* What the last errno says after the time is up. */
HcclResult caller_blame(int error);

#endif
