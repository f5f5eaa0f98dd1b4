/* collective.h - time and bus bandwidth of collective operations
 *
 * A collective of S bytes on N ranks takes steps(N) * alpha + S * share(N) * beta:
 * alpha is the latency of a step, beta the time per byte of a link. */
#ifndef LIB_VERDICT_SCALING_COLLECTIVE_H
#define LIB_VERDICT_SCALING_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>

enum collective {
    COLLECTIVE_ALLREDUCE_RING,
    COLLECTIVE_ALLREDUCE_HALVING_DOUBLING,
    COLLECTIVE_ALLREDUCE_RECURSIVE_DOUBLING,
    COLLECTIVE_ALLREDUCE_TREE,
    COLLECTIVE_ALLGATHER,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_ALLTO_ALL,
    /* each rank has a link to each other one and uses all of them at once */
    COLLECTIVE_ALLREDUCE_MESH,
    COLLECTIVE_ALLGATHER_MESH, /* and reduce-scatter and all-to-all */
    COLLECTIVE_BROADCAST,      /* bandwidth only: it has no step model here */
};

/* Returns the time in the unit of alpha; NaN for fewer than 2 ranks and for a
 * broadcast. */
double collective_time(enum collective collective,
                       double ranks,
                       double bytes,
                       double alpha,
                       double beta);

struct collective_fit {
    double alpha; /* in the unit of the times; may be negative by noise */
    double beta;  /* per byte */
};

/* Fits alpha and beta to the times of several sizes on the same ranks (Theil and Sen).
 * Points that are not positive and finite are left out. Returns false, and sets
 * nothing, when fewer than 2 different sizes are left or the collective has no model.
 */
bool collective_fit(struct collective_fit *fit,
                    enum collective collective,
                    double ranks,
                    const double *bytes,
                    const double *times,
                    size_t count);

/* Returns the bytes per unit of time that each link carried: S / t, times 2 (N - 1) / N
 * for an all-reduce, (N - 1) / N for a gather, scatter and all-to-all, and 1 for a
 * broadcast. NaN for fewer than 2 ranks and for a time that is not positive. */
double collective_bus_bandwidth(enum collective collective,
                                double ranks,
                                double bytes,
                                double time);

#endif
