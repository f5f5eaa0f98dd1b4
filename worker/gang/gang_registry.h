/* gang_registry.h - shares one barrier memory among the workers of a host
 *
 * The leases of an attempt contain a secret. The first worker binds an abstract socket
 * with the secret in its name, creates the memory (lib/shm/rank_barrier.h), and sends
 * the descriptors of memory and bell to every worker that connects. The name is not in
 * the file system and disappears with its owner. Both ends check that the other end
 * belongs to the same user. */
#ifndef WORKER_GANG_GANG_REGISTRY_H
#define WORKER_GANG_GANG_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct gang_registry;
struct reactor;

struct gang_registry_options {
    const char *secret; /* "": no other worker of this host takes part */
    uint32_t hosts;     /* of the gang */
    uint32_t world;     /* ranks of the gang */
    uint32_t here;      /* ranks of the gang on this host */
    /* Called from the loop when the memory is available, or with the reason of a
     * failure. */
    void (*ready)(void *arg, const char *why);
    void *arg;
};

int gang_registry_open(struct gang_registry **out,
                       struct reactor *reactor,
                       const struct gang_registry_options *options,
                       struct err *err);
void gang_registry_close(struct gang_registry *registry); /* NULL is allowed */

/* -1 before `ready`. The bell stays -1 when all ranks are on this host. */
int gang_registry_memory(const struct gang_registry *registry);
int gang_registry_bell(const struct gang_registry *registry);
/* Returns true when this worker created the memory. */
bool gang_registry_is_owner(const struct gang_registry *registry);

#endif
