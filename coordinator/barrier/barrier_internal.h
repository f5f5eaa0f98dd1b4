/* barrier_internal.h - what the barriers are made of, for their own files */
#ifndef COORDINATOR_BARRIER_BARRIER_INTERNAL_H
#define COORDINATOR_BARRIER_BARRIER_INTERNAL_H

#include <stddef.h>

#include "coordinator/barrier/barrier.h"

enum { BARRIER_WORDS_BYTES = 96 };

struct barrier_rank {
    uint32_t rank;
    uint64_t fingerprint, vote;
    char words[BARRIER_WORDS_BYTES];
};

/* Those of one host. */
struct barrier_party {
    char *host;
    int32_t card;
    uint64_t round_ns;
    struct barrier_rank *ranks;
    size_t count; /* 0: it has not come yet */
};

struct barrier_group {
    struct barrier_group *next;
    uint64_t key, size, epoch, phase;
    struct barrier_party *parties;
    size_t party_count;
    bool waits;                      /* for more, or for its turn */
    uint64_t deadline_ms;            /* while it waits */
    struct msg_barrier_release last; /* of the latest epoch that is decided */
    char last_reason[240];
    uint64_t *members; /* ranks that came to an earlier barrier; `size` of them, or 0 */
    size_t member_count;
};

struct barrier_gang {
    struct barrier_gang *next;
    uint64_t run_id;
    uint32_t world;
    struct barrier_group *groups;
    size_t group_count;
    struct barrier_group *granted; /* between the begin and the end of a launch */
};

struct barriers {
    barrier_fn *release;
    void *arg;
    struct barrier_gang *gangs;
};

/* barrier_memory.c: who is there; get makes what is not. */
struct barrier_gang *barrier_find_gang(const struct barriers *barriers,
                                       uint64_t run_id);
struct barrier_gang *
barrier_get_gang(struct barriers *barriers, uint64_t run_id, uint32_t world);
void barrier_free_gang(struct barrier_gang *gang);
struct barrier_group *barrier_find_group(const struct barrier_gang *gang, uint64_t key);
/* NULL when there are too many. */
struct barrier_group *
barrier_get_group(struct barrier_gang *gang, uint64_t key, uint64_t size);
struct barrier_party *barrier_get_party(struct barrier_group *group,
                                        const struct barrier_host *of);
/* Ranks of all hosts that stand there now. */
size_t barrier_count(const struct barrier_group *group);

#endif
