#include "lib/verdict/scaling/overlap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/statistics/pairwise.h"
#include "lib/verdict/statistics/signed_rank.h"

static const double interval_alpha = 0.05;

static bool is_time(double value)
{
    return value > 0 && isfinite(value);
}

static double efficiency_of(const struct overlap_times *t)
{
    double hidden = t->serial - t->compute;

    return hidden > 0 ? 1 - (t->fused - t->compute) / hidden : NAN;
}

static double attained_of(const struct overlap_times *t)
{
    double hidden = t->serial - fmax(t->compute, t->communication);

    return hidden > 0 ? (t->serial - t->fused) / hidden : NAN;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static struct overlap_figure figure_of(const struct overlap_times *repeats,
                                       size_t count,
                                       double (*figure)(const struct overlap_times *))
{
    double *values = xreallocarray(NULL, count + 1, sizeof(*values));
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct overlap_times *t = &repeats[i];

        if (!is_time(t->fused) || !is_time(t->compute) || !is_time(t->communication) ||
            !is_time(t->serial))
            continue;
        values[kept] = figure(t);
        kept += isfinite(values[kept]);
    }
    qsort(values, kept, sizeof(*values), by_value);
    struct pairwise_range range =
        pairwise_averages(values, kept, signed_rank_interval(kept, interval_alpha));
    free(values);
    return (struct overlap_figure){range.centre, range.low, range.high, kept};
}

struct overlap overlap_of(const struct overlap_times *repeats, size_t count)
{
    return (struct overlap){figure_of(repeats, count, efficiency_of),
                            figure_of(repeats, count, attained_of)};
}
