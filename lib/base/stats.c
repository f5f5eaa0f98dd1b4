#include "lib/base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"

double stats_min(const double *values, size_t count)
{
    double least = count ? values[0] : NAN;

    for (size_t i = 1; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

double stats_max(const double *values, size_t count)
{
    double most = count ? values[0] : NAN;

    for (size_t i = 1; i < count; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

double stats_mean(const double *values, size_t count)
{
    double mean = 0;

    for (size_t i = 0; i < count; i++) /* a running mean, so that no sum overflows */
        mean += values[i] / (double)(i + 1) - mean / (double)(i + 1);
    return count ? mean : NAN;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double quantile_of_sorted(const double *sorted, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] * (1 - part) + sorted[below + 1] * part;
}

double stats_quantile(const double *values, size_t count, double q)
{
    if (!count || !(q >= 0 && q <= 1))
        return NAN;
    double *sorted = xmemdup(values, count * sizeof(*values));
    qsort(sorted, count, sizeof(*sorted), by_value);
    double result = quantile_of_sorted(sorted, count, q);
    free(sorted);
    return result;
}

double stats_median(const double *values, size_t count)
{
    return stats_quantile(values, count, 0.5);
}

double stats_deviation(const double *values, size_t count)
{
    double mean = stats_mean(values, count), squares = 0;

    if (count < 2)
        return count ? 0 : NAN;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)(count - 1));
}

double stats_mad(const double *values, size_t count)
{
    if (!count)
        return NAN;
    double median = stats_median(values, count);
    double *distances = xmalloc(count * sizeof(*distances));
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(values[i] - median);
    double result = stats_median(distances, count);
    free(distances);
    return result;
}

double stats_variation(const double *values, size_t count)
{
    double mean = stats_mean(values, count);

    return mean != 0 ? stats_deviation(values, count) / fabs(mean) : NAN;
}
