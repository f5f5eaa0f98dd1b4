/* barrier_internal.h - struct barriers and the parts that its files share */
#ifndef COORDINATOR_BARRIER_BARRIER_INTERNAL_H
#define COORDINATOR_BARRIER_BARRIER_INTERNAL_H

#include <stddef.h>

#include "coordinator/barrier/barrier.h"

enum { BARRIER_DESCRIPTION_BYTES = 96 };

struct barrier_rank {
    uint32_t rank;
    uint64_t fingerprint, vote;
    char description[BARRIER_DESCRIPTION_BYTES];
};

/* The ranks of one host at the current epoch. */
struct barrier_arrival {
    char *host;
    int32_t card;
    uint64_t round_ns;
    struct barrier_rank *ranks;
    size_t count; /* 0: the host has not arrived */
};

/* A communicator: a set of ranks that meet at barriers. */
struct barrier_comm {
    struct barrier_comm *next;
    uint64_t key, size, epoch;
    struct barrier_arrival *arrivals;
    size_t arrival_count;
    bool waits;                      /* for more ranks, or for the cards */
    uint64_t deadline_ms;            /* while it waits */
    struct msg_barrier_release last; /* outcome of the latest finished epoch */
    char last_reason[240];
    uint64_t *members; /* ranks of an earlier barrier; `size` of them, or none */
    size_t member_count;
};

struct barrier_gang {
    struct barrier_gang *next;
    uint64_t run_id;
    uint32_t world;
    struct barrier_comm *comms;
    size_t comm_count;
    struct barrier_comm
        *granted; /* between the first and the last barrier of a launch */
};

struct barriers {
    barrier_fn *release;
    void *arg;
    struct barrier_gang *gangs;
};

/* barrier_arrivals.c: the get functions create what they do not find. */
struct barrier_gang *barrier_find_gang(const struct barriers *barriers,
                                       uint64_t run_id);
struct barrier_gang *
barrier_get_gang(struct barriers *barriers, uint64_t run_id, uint32_t world);
void barrier_free_gang(struct barrier_gang *gang);
struct barrier_comm *barrier_find_comm(const struct barrier_gang *gang, uint64_t key);
/* Returns NULL when there are too many. */
struct barrier_comm *
barrier_get_comm(struct barrier_gang *gang, uint64_t key, uint64_t size);
struct barrier_arrival *barrier_get_arrival(struct barrier_comm *comm,
                                            const struct barrier_host *of);
/* Returns the number of ranks that have arrived. */
size_t barrier_count(const struct barrier_comm *comm);

/* barrier_mismatch.c: returns a rank of the smallest set of ranks with equal
 * fingerprints, and in *most a rank of the largest other set. Returns NULL when all
 * fingerprints are equal. At least one rank must have arrived. */
const struct barrier_rank *
barrier_find_disagreeing_rank(const struct barrier_comm *comm,
                              const struct barrier_rank **most);

#endif
