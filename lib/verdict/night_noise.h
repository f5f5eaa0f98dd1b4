/* night_noise.h - the noise between the nights of a baseline
 *
 * Repeats of one job share its night: what a night does to all of them, they cannot
 * show. The medians of earlier nights that passed do. */
#ifndef LIB_VERDICT_NIGHT_NOISE_H
#define LIB_VERDICT_NIGHT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

enum { NIGHT_NOISE_FEWEST = 5 };

struct night_noise {
    bool known;    /* false: fewer than NIGHT_NOISE_FEWEST nights; the rest is 0 */
    size_t nights; /* nights with a positive, finite median */
    double s;      /* standard deviation of ln(median), not moved by single nights */
    double
        h; /* a quiet night is further from the base in 1 % of all cases, on one side */
    double w; /* likewise in 5 % of all cases */
};

/* Computes the terms from the medians of the nights. Medians that are not positive and
 * finite are left out. `base_nights` is the number of nights whose values form the base
 * of the comparison, at most all; 0: all of them. The distance of a new night to a base
 * of one night varies more than to a base of ten. */
struct night_noise
night_noise_of(const double *medians, size_t count, size_t base_nights);

/* Likewise from the deviation `s` of this many nights. */
struct night_noise night_noise_with(double s, size_t nights, size_t base_nights);

#endif
