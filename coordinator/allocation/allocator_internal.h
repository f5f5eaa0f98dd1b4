/* allocator_internal.h - what the files of allocator.h share */
#ifndef COORDINATOR_ALLOCATION_ALLOCATOR_INTERNAL_H
#define COORDINATOR_ALLOCATION_ALLOCATOR_INTERNAL_H

#include "coordinator/allocation/allocations.h"
#include "coordinator/allocation/allocator.h"
#include "coordinator/sessions/worker_sessions.h"

struct allocator {
    struct reactor *reactor;
    struct allocator_options options;
    struct allocations all;
    struct ledger *ledger;
    struct sessions *control;
    struct err err; /* the store failed while a command ended: the next tick says it */
    bool failed;
};

#endif
