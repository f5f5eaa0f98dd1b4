#include "lib/base/stats.h"

#include <math.h>
#include <stddef.h>
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

static void swap(double *a, double *b)
{
    double kept = *a;

    *a = *b;
    *b = kept;
}

/* Moves the middle one of the first, the middle and the last value to the middle. */
static double middle_of_three(double *values, size_t count)
{
    double *first = values, *middle = values + count / 2, *last = values + count - 1;

    if (*middle < *first)
        swap(first, middle);
    if (*last < *middle)
        swap(middle, last);
    if (*middle < *first)
        swap(first, middle);
    return *middle;
}

/* Moves values: values[place] is what sorting would put there, smaller ones are before
 * and larger ones after (Hoare's selection). Sorts when the halves are too uneven. */
static void select_place(double *values, size_t count, size_t place)
{
    enum { SORTED_COUNT = 12, ROUNDS_MAX = 64 };

    for (int round = 0; count > SORTED_COUNT && round < ROUNDS_MAX; round++) {
        double pivot = middle_of_three(values, count);
        ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;

        while (low <= high) {
            while (values[low] < pivot)
                low++;
            while (pivot < values[high])
                high--;
            if (low <= high)
                swap(&values[low++], &values[high--]);
        }
        if ((ptrdiff_t)place <= high) {
            count = (size_t)high + 1;
        } else if ((ptrdiff_t)place >= low) {
            values += low;
            place -= (size_t)low;
            count -= (size_t)low;
        } else {
            return; /* between the halves all values are equal to the pivot */
        }
    }
    qsort(values, count, sizeof(*values), by_value);
}

double stats_quantile(const double *values, size_t count, double q)
{
    if (!count || !(q >= 0 && q <= 1))
        return NAN;
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    double part = place - (double)below;
    double *moved = xmemdup(values, count * sizeof(*values));

    select_place(moved, count, below);
    double result = moved[below];
    if (below + 1 < count && part > 0)
        result = result * (1 - part) +
                 stats_min(moved + below + 1, count - below - 1) * part;
    free(moved);
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
