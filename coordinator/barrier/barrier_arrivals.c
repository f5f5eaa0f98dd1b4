/* barrier_arrivals.c - the gangs, communicators and arrivals in memory */
#include <stdlib.h>
#include <string.h>

#include "coordinator/barrier/barrier_internal.h"
#include "lib/base/mem.h"

enum { COMMS_MAX = 64 }; /* of an attempt */

struct barriers *barriers_create(barrier_fn *release, void *arg)
{
    struct barriers *barriers = xcalloc(1, sizeof(*barriers));

    barriers->release = release;
    barriers->arg = arg;
    return barriers;
}

static void free_comm(struct barrier_comm *comm)
{
    for (size_t i = 0; i < comm->arrival_count; i++) {
        free(comm->arrivals[i].host);
        free(comm->arrivals[i].ranks);
    }
    free(comm->arrivals);
    free(comm->members);
    free(comm);
}

void barrier_free_gang(struct barrier_gang *gang)
{
    while (gang->comms) {
        struct barrier_comm *comm = gang->comms;

        gang->comms = comm->next;
        free_comm(comm);
    }
    free(gang);
}

void barriers_destroy(struct barriers *barriers)
{
    if (!barriers)
        return;
    while (barriers->gangs) {
        struct barrier_gang *gang = barriers->gangs;

        barriers->gangs = gang->next;
        barrier_free_gang(gang);
    }
    free(barriers);
}

bool barriers_are_empty(const struct barriers *barriers)
{
    return !barriers->gangs;
}

struct barrier_gang *barrier_find_gang(const struct barriers *barriers, uint64_t run_id)
{
    struct barrier_gang *gang = barriers->gangs;

    while (gang && gang->run_id != run_id)
        gang = gang->next;
    return gang;
}

struct barrier_gang *
barrier_get_gang(struct barriers *barriers, uint64_t run_id, uint32_t world)
{
    struct barrier_gang *gang = barrier_find_gang(barriers, run_id);

    if (gang)
        return gang;
    gang = xcalloc(1, sizeof(*gang));
    gang->run_id = run_id;
    gang->world = world;
    gang->next = barriers->gangs;
    barriers->gangs = gang;
    return gang;
}

struct barrier_comm *barrier_find_comm(const struct barrier_gang *gang, uint64_t key)
{
    struct barrier_comm *comm = gang->comms;

    while (comm && comm->key != key)
        comm = comm->next;
    return comm;
}

struct barrier_comm *
barrier_get_comm(struct barrier_gang *gang, uint64_t key, uint64_t size)
{
    struct barrier_comm *comm = barrier_find_comm(gang, key);

    if (comm || gang->comm_count == COMMS_MAX)
        return comm;
    comm = xcalloc(1, sizeof(*comm));
    comm->key = key;
    comm->size = size;
    comm->next = gang->comms;
    gang->comms = comm;
    gang->comm_count++;
    return comm;
}

struct barrier_arrival *barrier_get_arrival(struct barrier_comm *comm,
                                            const struct barrier_host *of)
{
    for (size_t i = 0; i < comm->arrival_count; i++)
        if (strcmp(comm->arrivals[i].host, of->host) == 0) {
            comm->arrivals[i].card =
                of->card; /* another worker may represent the host now */
            return &comm->arrivals[i];
        }
    comm->arrivals =
        xreallocarray(comm->arrivals, comm->arrival_count + 1, sizeof(*comm->arrivals));
    struct barrier_arrival *arrival = &comm->arrivals[comm->arrival_count++];
    *arrival = (struct barrier_arrival){.host = xstrdup(of->host), .card = of->card};
    return arrival;
}

size_t barrier_count(const struct barrier_comm *comm)
{
    size_t count = 0;

    for (size_t i = 0; i < comm->arrival_count; i++)
        count += comm->arrivals[i].count;
    return count;
}
