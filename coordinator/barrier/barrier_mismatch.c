/* barrier_mismatch.c - finds the rank that is at another kernel than the others */
#include <stdlib.h>

#include "coordinator/barrier/barrier_internal.h"
#include "lib/base/mem.h"

/* Lists all ranks that have arrived, at least one; free() the array. */
static const struct barrier_rank **list_ranks(const struct barrier_comm *comm,
                                              size_t *count)
{
    const struct barrier_rank **ranks =
        xcalloc(barrier_count(comm), sizeof(struct barrier_rank *));

    *count = 0;
    for (size_t i = 0; i < comm->arrival_count; i++)
        for (size_t k = 0; k < comm->arrivals[i].count; k++)
            ranks[(*count)++] = &comm->arrivals[i].ranks[k];
    return ranks;
}

static size_t count_fingerprint(const struct barrier_rank *const *ranks,
                                size_t count,
                                uint64_t fingerprint)
{
    size_t equal = 0;

    for (size_t i = 0; i < count; i++)
        equal += ranks[i]->fingerprint == fingerprint;
    return equal;
}

/* Returns a rank of the smallest set of ranks with equal fingerprints. Among equally
 * small sets, the highest rank is returned. */
static const struct barrier_rank *find_rarest(const struct barrier_rank *const *ranks,
                                              size_t count)
{
    const struct barrier_rank *rarest = ranks[0];
    size_t fewest = count_fingerprint(ranks, count, rarest->fingerprint);

    for (size_t i = 1; i < count; i++) {
        size_t equal = count_fingerprint(ranks, count, ranks[i]->fingerprint);

        if (equal < fewest || (equal == fewest && ranks[i]->rank > rarest->rank)) {
            fewest = equal;
            rarest = ranks[i];
        }
    }
    return rarest;
}

/* Returns the first rank of the largest set that has another fingerprint, or NULL when
 * all ranks have this one. */
static const struct barrier_rank *
find_most_common_other(const struct barrier_rank *const *ranks,
                       size_t count,
                       uint64_t fingerprint)
{
    const struct barrier_rank *common = NULL;
    size_t most = 0;

    for (size_t i = 0; i < count; i++) {
        size_t equal = count_fingerprint(ranks, count, ranks[i]->fingerprint);

        if (ranks[i]->fingerprint != fingerprint && equal > most) {
            most = equal;
            common = ranks[i];
        }
    }
    return common;
}

const struct barrier_rank *
barrier_find_disagreeing_rank(const struct barrier_comm *comm,
                              const struct barrier_rank **most)
{
    size_t count;
    const struct barrier_rank **ranks = list_ranks(comm, &count);
    const struct barrier_rank *rarest = NULL;

    if (count_fingerprint(ranks, count, ranks[0]->fingerprint) < count) {
        rarest = find_rarest(ranks, count);
        *most = find_most_common_other(ranks, count, rarest->fingerprint);
    }
    free(ranks);
    return rarest;
}
