/* gang_registry.h - one page for all workers of a host whose ranks belong to one
 * attempt
 *
 * The workers know the attempt's secret from their leases. Who is first takes it as the
 * name of an abstract socket, makes the page (lib/shm/rank_barrier.h) and hands its
 * descriptor, and that of the bell, to all who come after: nothing of it is in the file
 * system, and the name goes with its owner. Both ends look who the other one is: it
 * must be the same user. */
#ifndef WORKER_GANG_GANG_REGISTRY_H
#define WORKER_GANG_GANG_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct gang_registry;
struct reactor;

struct gang_registry_options {
    const char *secret; /* "": nobody else of this host needs it */
    uint32_t hosts, world, here;
    /* The page is there, in a turn of the loop; with `why` it will never be. */
    void (*ready)(void *arg, const char *why);
    void *arg;
};

int gang_registry_open(struct gang_registry **out,
                       struct reactor *reactor,
                       const struct gang_registry_options *options,
                       struct err *err);
void gang_registry_close(struct gang_registry *page); /* NULL is welcome */

/* -1 until it is ready; and no bell where all ranks are on this host. */
int gang_registry_memory(const struct gang_registry *page);
int gang_registry_bell(const struct gang_registry *page);
/* This worker made it, and speaks for the host. */
bool gang_registry_is_ours(const struct gang_registry *page);

#endif
