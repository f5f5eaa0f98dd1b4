/* comm_totals.h - the sums of the operators of a group in a step, for each rank */
#ifndef PARSERS_CLUSTER_FILES_COMM_TOTALS_H
#define PARSERS_CLUSTER_FILES_COMM_TOTALS_H

#include "parsers/cluster_files/comm_sets.h"

struct comm_total {
    const struct comm_sets *sets;
    size_t rank; /* place in the ranks */
    struct comm_times times;
    struct comm_traffic traffic[COMM_TRANSPORT_COUNT];
    struct comm_ops packages; /* only its packages, of operator 0, sorted */
};

typedef void comm_total_fn(void *arg, const struct comm_total *total);
/* Calls fn with each rank of the entries [first, first + count) of one group. */
void comm_totals_each(const struct comm_sets *sets,
                      size_t first,
                      size_t count,
                      comm_total_fn *fn,
                      void *arg);

#endif
