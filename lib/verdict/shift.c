#include "lib/verdict/shift.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/verdict/sample.h"
#include "lib/verdict/statistics/pairwise.h"
#include "lib/verdict/statistics/rank_sum.h"
#include "lib/verdict/statistics/signed_rank.h"

/* Each end of an interval is exceeded in at most 5 % of all cases. */
static const double interval_alpha = 0.05;

/* Makes the MAD of normal values their standard deviation. */
static const double mad_to_deviation = 1.4826;

/* Paired changes closer than this differ by the rounding of logarithms only. */
static const double log_resolution = 1e-9;

/* Writes the distances of sorted values to their median. */
static void add_residuals(double *out, const double *sorted, size_t count)
{
    double median = sorted[(count - 1) / 2] / 2 + sorted[count / 2] / 2;

    for (size_t i = 0; i < count; i++)
        out[i] = fabs(sorted[i] - median);
}

/* Returns the spread of one value, and at least that of a clock with this tick. */
static double
scatter_of(const struct sample *base, const struct sample *fresh, double tick)
{
    size_t count = base->count + fresh->count;
    double *residuals = xreallocarray(NULL, count, sizeof(*residuals));

    add_residuals(residuals, base->logs, base->count);
    add_residuals(residuals + base->count, fresh->logs, fresh->count);
    double spread = mad_to_deviation * stats_median(residuals, count);
    double rounding = tick / sqrt(12) / sample_median(base);
    free(residuals);
    return rounding > spread ? rounding : spread;
}

/* Returns the rank keys of both samples: half ticks, turned where more is better. */
static double *rank_keys(const struct sample *base,
                         const struct sample *fresh,
                         double tick,
                         bool more_is_better)
{
    size_t count = base->count + fresh->count;
    double *keys = xreallocarray(NULL, count, sizeof(*keys));
    double sign = more_is_better ? -1 : 1;
    bool round = tick > 0;

    for (size_t i = 0; i < count; i++) {
        keys[i] = i < base->count ? base->values[i] : fresh->values[i - base->count];
        round = round && keys[i] / tick < 0x1p51; /* finer values are integers anyway */
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = sign * (round ? rint(keys[i] / tick * 2) : keys[i]);
    return keys;
}

static struct shift shift_of_zeros(size_t base_count, size_t fresh_count)
{
    return (struct shift){.base_count = base_count,
                          .fresh_count = fresh_count,
                          .p_worse = 1,
                          .p_better = 1};
}

static void compare(struct shift *shift,
                    struct rank_sum_cache *cache,
                    const struct sample *base,
                    const struct sample *fresh,
                    double tick,
                    bool more_is_better)
{
    size_t n = base->count, m = fresh->count;
    struct pairwise_range range = pairwise_differences(
        base->logs, n, fresh->logs, m, rank_sum_interval(cache, n, m, interval_alpha));
    double *keys = rank_keys(base, fresh, tick, more_is_better);
    struct rank_sum_p p = rank_sum_test(cache, keys, n, keys + n, m);

    free(keys);
    shift->theta = range.centre;
    shift->low = range.low;
    shift->high = range.high;
    shift->p_worse = p.above;
    shift->p_better = p.below;
    shift->scatter = scatter_of(base, fresh, tick);
}

struct shift shift_of_samples(struct rank_sum_cache *cache,
                              const double *base,
                              size_t base_count,
                              const double *fresh,
                              size_t fresh_count,
                              double tick,
                              bool more_is_better)
{
    struct sample left, right;

    tick = isfinite(tick) && tick > 0 ? tick : 0;
    sample_init(&left, base, base_count, more_is_better);
    sample_init(&right, fresh, fresh_count, more_is_better);
    struct shift shift = {
        .base_count = left.count,
        .fresh_count = right.count,
        .base_dropped = left.dropped,
        .fresh_dropped = right.dropped,
        .theta = NAN,
        .low = NAN,
        .high = NAN,
        .p_worse = NAN,
        .p_better = NAN,
        .scatter = NAN,
        .base_median = sample_median(&left),
        .fresh_median = sample_median(&right),
    };
    if (left.all_zero && right.all_zero)
        shift = shift_of_zeros(base_count, fresh_count);
    else if (left.count && right.count)
        compare(&shift, cache, &left, &right, tick, more_is_better);
    sample_clear(&left);
    sample_clear(&right);
    return shift;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

struct shift shift_of_pairs(const double *changes, size_t count)
{
    double *sorted = xreallocarray(NULL, count ? count : 1, sizeof(*sorted));
    struct shift shift = {.paired = true,
                          .base_median = NAN,
                          .fresh_median = NAN,
                          .p_worse = NAN,
                          .p_better = NAN};
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(changes[i]))
            sorted[kept++] = changes[i];
    qsort(sorted, kept, sizeof(*sorted), by_value);
    struct pairwise_range range =
        pairwise_averages(sorted, kept, signed_rank_interval(kept, interval_alpha));
    shift.base_count = shift.fresh_count = kept;
    shift.base_dropped = shift.fresh_dropped = count - kept;
    shift.theta = range.centre;
    shift.low = range.low;
    shift.high = range.high;
    shift.scatter = mad_to_deviation * stats_mad(sorted, kept);
    if (kept) {
        struct signed_rank_p p = signed_rank_test(sorted, kept, log_resolution);

        shift.p_worse = p.above;
        shift.p_better = p.below;
    }
    free(sorted);
    return shift;
}

double shift_percent(double shift)
{
    return 100 * expm1(shift);
}
