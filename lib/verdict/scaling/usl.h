/* usl.h - the universal scalability law, and the size at which a curve leaves it
 *
 * C(N) = N / (1 + sigma (N - 1) + kappa N (N - 1)), where C is the throughput of N
 * ranks divided by that of one. sigma is contention, kappa is coherence; kappa 0 is
 * Amdahl's law. (N / C - 1) / (N - 1) is a straight line in N, which is fitted by Theil
 * and Sen. */
#ifndef LIB_VERDICT_SCALING_USL_H
#define LIB_VERDICT_SCALING_USL_H

#include <stdbool.h>
#include <stddef.h>

enum { USL_FEWEST = 4 }; /* sizes, with 1 */

struct usl_size {
    double ranks;
    double throughput; /* in any unit */
};

struct usl {
    double sigma, kappa; /* at least 0 */
    double best; /* number of ranks with the highest throughput; may be infinite */
};

/* Fits the law. Sizes whose numbers are not positive and finite are left out. Returns
 * false, and sets nothing, for fewer than USL_FEWEST sizes or without the size 1. */
bool usl_fit(struct usl *usl, const struct usl_size *sizes, size_t count);

/* Returns C(N). */
double usl_capacity(const struct usl *usl, double ranks);

struct usl_bend {
    size_t index;       /* of the size in the input */
    double predicted;   /* C(N) of the curve through the other sizes */
    double loss;        /* ln(predicted / measured): positive is slower */
    struct usl without; /* the curve through the other sizes */
};

/* Finds the size that leaves the curve of the others: the one without which the curve
 * fits best, when it is further away than `delta` (a natural logarithm) and three
 * standard deviations of the others. Returns false when there is none, or when there
 * are too few sizes to leave one out. */
bool usl_find_bend(struct usl_bend *bend,
                   const struct usl_size *sizes,
                   size_t count,
                   double delta);

#endif
