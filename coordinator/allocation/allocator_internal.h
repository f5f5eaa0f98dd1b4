/* allocator_internal.h - struct allocator, for allocator.c and allocator_requests.c */
#ifndef COORDINATOR_ALLOCATION_ALLOCATOR_INTERNAL_H
#define COORDINATOR_ALLOCATION_ALLOCATOR_INTERNAL_H

#include "coordinator/allocation/allocations.h"
#include "coordinator/allocation/allocator.h"

struct allocator {
    struct reactor *reactor;
    struct allocator_options options;
    struct allocations all;
    struct ledger *ledger;
    const struct workers *workers;
    struct err err; /* of the store, in a callback; the next tick returns it */
    bool failed;
};

#endif
