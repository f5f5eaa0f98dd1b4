/* alloc_node.h - starts one worker per allocated card of a node; runs on each node */
#ifndef CLI_FLEET_ALLOC_NODE_H
#define CLI_FLEET_ALLOC_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct alloc_node {
    const char *name; /* name of the allocation */
    const char *resource;
    const char *model; /* "": the model that the driver reports */
    uint64_t idle_ms;
    bool simulated;
};

/* Replaces this process by muster-worker; returns only on an error. */
int alloc_node_serve(const struct alloc_node *node, struct err *err);

#endif
