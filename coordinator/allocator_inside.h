/* allocator_inside.h - what the files of allocator.h share */
#ifndef COORDINATOR_ALLOCATOR_INSIDE_H
#define COORDINATOR_ALLOCATOR_INSIDE_H

#include "coordinator/allocations.h"
#include "coordinator/allocator.h"
#include "coordinator/control.h"

struct allocator {
    struct reactor *reactor;
    struct allocator_options options;
    struct allocations all;
    struct ledger *ledger;
    struct control *control;
    struct err err; /* the store failed while a command ended: the next tick says it */
    bool failed;
};

#endif
