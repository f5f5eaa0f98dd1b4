/* alloc_node.h - what runs on each node of an allocation: a worker for each card there
 */
#ifndef CLI_FLEET_ALLOC_NODE_H
#define CLI_FLEET_ALLOC_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct alloc_node {
    const char *name; /* of the allocation */
    const char *resource;
    const char *model; /* "": as the cards say */
    uint64_t idle_ms;
    bool simulated;
};

/* Becomes muster-worker; returns only when it cannot. */
int alloc_node_serve(const struct alloc_node *node, struct err *err);

#endif
