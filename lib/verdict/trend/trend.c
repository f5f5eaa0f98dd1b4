#include "lib/verdict/trend/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/verdict/statistics/theil_sen.h"
#include "lib/verdict/trend/partition.h"
#include "lib/verdict/trend/spikes.h"

enum { SHORTEST = 3 };

static const double least_sigma = 0.0005;
static const double least_spike = 1.01; /* ratio */
static const double spike_sigmas = 4;
static const double penalty_factor = 4; /* times ln(nights), for each boundary */
static const double least_rho = 0.1;    /* smaller correlations are chance */
static const double most_rho = 0.6;
static const double drift_alpha = 0.001;

/* The nights with a value; all arrays have `count` elements. */
struct series {
    size_t count;
    size_t *night;   /* index in the input */
    double *x;       /* ln(value), later without spikes */
    bool *is_forced; /* a known change begins here */
    bool *is_start;  /* a level begins here */
    double median;   /* of the values */
};

static void series_init(struct series *series,
                        const double *values,
                        size_t count,
                        const size_t *forced,
                        size_t forced_count)
{
    size_t kept = 0, skipped = 0, usable = 0;

    for (size_t i = 0; i < count; i++)
        usable += values[i] > 0 && isfinite(values[i]);
    size_t surplus = usable > TREND_MOST ? usable - TREND_MOST : 0;
    size_t room = usable - surplus + 1;
    memset(series, 0, sizeof(*series));
    series->night = xcalloc(room, sizeof(*series->night));
    series->x = xcalloc(room, sizeof(*series->x));
    series->is_forced = xcalloc(room, sizeof(*series->is_forced));
    series->is_start = xcalloc(room, sizeof(*series->is_start));
    double *kept_values = xcalloc(room, sizeof(*kept_values));
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0 && isfinite(values[i])) || skipped++ < surplus)
            continue;
        series->night[kept] = i;
        kept_values[kept] = values[i];
        series->x[kept++] = log(values[i]);
    }
    series->count = kept;
    series->median = stats_median(kept_values, kept);
    free(kept_values);
    for (size_t i = 0; i < forced_count; i++)
        for (size_t j = 1; j < kept; j++)
            if (series->night[j] >= forced[i]) {
                /* The first night with a value at or after the known change. */
                series->is_forced[j] |= series->night[j - 1] < forced[i];
                break;
            }
}

static void series_clear(struct series *series)
{
    free(series->night);
    free(series->x);
    free(series->is_forced);
    free(series->is_start);
}

/* Returns the noise of a night: from the steps between neighbours, which changes of the
 * level do not move, and at least a quarter of a tick. */
static double noise_of(const struct series *series, double tick)
{
    double *steps = xcalloc(series->count, sizeof(*steps));

    for (size_t i = 1; i < series->count; i++)
        steps[i - 1] = fabs(series->x[i] - series->x[i - 1]);
    double sigma = 1.4826 * stats_median(steps, series->count - 1) / sqrt(2);
    free(steps);
    sigma = fmax(sigma, least_sigma);
    return isfinite(tick) && tick > 0 ? fmax(sigma, tick / (4 * series->median))
                                      : sigma;
}

/* Divides each part between known changes into levels. */
static void find_levels(struct series *series, double sigma)
{
    double *scaled = xcalloc(series->count, sizeof(*scaled));
    size_t *starts = xcalloc(series->count, sizeof(*starts));
    double penalty = penalty_factor * log((double)series->count);

    for (size_t i = 0; i < series->count; i++) {
        scaled[i] = series->x[i] / sigma;
        series->is_start[i] = false;
    }
    for (size_t first = 0, end; first < series->count; first = end) {
        for (end = first + 1; end < series->count && !series->is_forced[end]; end++)
            ;
        size_t found =
            partition_find(scaled + first, end - first, SHORTEST, penalty, starts);
        for (size_t i = 0; i < found; i++)
            series->is_start[first + starts[i]] = true;
    }
    free(scaled);
    free(starts);
}

/* Returns the end of the level that begins at `start`. */
static size_t level_end(const struct series *series, size_t start)
{
    size_t end = start + 1;

    while (end < series->count && !series->is_start[end])
        end++;
    return end;
}

static size_t level_start(const struct series *series, size_t night)
{
    while (!series->is_start[night])
        night--;
    return night;
}

/* Returns the correlation of neighbouring residuals, between 0 and most_rho. */
static double correlation(const struct series *series)
{
    double *residuals = xcalloc(series->count, sizeof(*residuals));
    double products = 0, squares = 0;

    for (size_t start = 0, end; start < series->count; start = end) {
        end = level_end(series, start);
        double mean = stats_mean(series->x + start, end - start);
        for (size_t i = start; i < end; i++)
            residuals[i] = series->x[i] - mean;
    }
    for (size_t i = 0; i < series->count; i++) {
        squares += residuals[i] * residuals[i];
        products += i ? residuals[i] * residuals[i - 1] : 0;
    }
    free(residuals);
    double rho = squares > 0 ? products / squares : 0;
    return rho < 0 ? 0 : rho > most_rho ? most_rho : rho;
}

/* Returns the change of the mean at the level that begins at `start`. */
static double change_at(const struct series *series, size_t start)
{
    size_t before = level_start(series, start - 1), end = level_end(series, start);

    return stats_mean(series->x + start, end - start) -
           stats_mean(series->x + before, start - before);
}

/* Removes boundaries below the limit, the smallest first; neighbours change with it. */
static void drop_small_changes(struct series *series, double limit)
{
    for (;;) {
        double least = limit;
        size_t weakest = 0;

        for (size_t i = 1; i < series->count; i++) {
            if (!series->is_start[i] || series->is_forced[i])
                continue;
            double size = fabs(change_at(series, i));
            if (size < least) {
                least = size;
                weakest = i;
            }
        }
        if (!weakest)
            return;
        series->is_start[weakest] = false;
    }
}

static void add_boundaries(struct trend *trend, const struct series *series)
{
    trend->boundaries = xcalloc(series->count + 1, sizeof(*trend->boundaries));
    for (size_t i = 1; i < series->count; i++) {
        if (!series->is_start[i])
            continue;
        size_t before = i - level_start(series, i - 1);
        size_t after = level_end(series, i) - i;
        trend->boundaries[trend->boundary_count++] = (struct trend_boundary){
            .night = series->night[i],
            .change = change_at(series, i),
            .confirmed = before >= TREND_CONFIRMED && after >= TREND_CONFIRMED,
            .forced = series->is_forced[i],
        };
    }
}

static void
find_drift(struct trend *trend, const struct series *series, double tolerance)
{
    size_t start = level_start(series, series->count - 1);
    size_t length = series->count - start;
    double *x = xcalloc(length, sizeof(*x));

    for (size_t i = 0; i < length; i++)
        x[i] = (double)(series->night[start + i] - series->night[start]);
    struct line line = theil_sen_fit(x, series->x + start, length);
    double nights = x[length - 1] + 1;
    free(x);
    if (isnan(line.slope))
        return;
    trend->drift = line.slope * nights;
    trend->drifts = fabs(trend->drift) >= log1p(tolerance > 0 ? tolerance : 0) &&
                    mann_kendall_p(series->x + start, length) <= drift_alpha;
}

static void remove_spikes(struct trend *trend, struct series *series)
{
    double distance = fmax(spike_sigmas * trend->sigma, log(least_spike));
    bool *is_spike = xcalloc(series->count, sizeof(*is_spike));
    double *without = xcalloc(series->count, sizeof(*without));
    size_t found = spikes_remove(series->x, series->count, distance, is_spike, without);

    trend->spikes = xcalloc(found + 1, sizeof(*trend->spikes));
    for (size_t i = 0; i < series->count; i++)
        if (is_spike[i])
            trend->spikes[trend->spike_count++] = series->night[i];
    free(series->x);
    series->x = without;
    free(is_spike);
}

void trend_init(struct trend *trend,
                const double *values,
                size_t count,
                const size_t *forced,
                size_t forced_count,
                const struct trend_rule *rule)
{
    struct series series;

    memset(trend, 0, sizeof(*trend));
    series_init(&series, values, count, forced, forced_count);
    trend->nights = series.count;
    if (series.count >= TREND_FEWEST) {
        trend->sigma = noise_of(&series, rule->tick);
        remove_spikes(trend, &series);
        find_levels(&series, trend->sigma);
        double rho = correlation(&series);
        if (rho > least_rho) {
            trend->sigma *= sqrt((1 + rho) / (1 - rho));
            find_levels(&series, trend->sigma);
        }
        if (rule->smallest > 0)
            drop_small_changes(&series, log1p(rule->smallest));
        add_boundaries(trend, &series);
        find_drift(trend, &series, rule->tolerance);
    }
    series_clear(&series);
}

void trend_clear(struct trend *trend)
{
    free(trend->boundaries);
    free(trend->spikes);
    memset(trend, 0, sizeof(*trend));
}
