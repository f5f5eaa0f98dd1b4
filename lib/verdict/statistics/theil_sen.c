#include "lib/verdict/statistics/theil_sen.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/statistics/normal.h"

/* Moves the k-th smallest value (from 0) to its place, with no larger value before it,
 * and returns it (Hoare's FIND). On average this takes linear time: 400 nights have
 * 80,000 slopes, and sorting them would take most of the time of a trend. */
static double select_value(double *values, size_t count, size_t k)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, place = (ptrdiff_t)k;

    while (low < high) {
        double pivot = values[place];
        ptrdiff_t i = low, j = high;

        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                double value = values[i];

                values[i++] = values[j];
                values[j--] = value;
            }
        }
        if (j < place)
            low = i;
        if (i > place)
            high = j;
    }
    return values[place];
}

/* Returns the median, and changes the order of the values. */
static double select_median(double *values, size_t count)
{
    double upper = select_value(values, count, count / 2);

    return count % 2 ? upper
                     : select_value(values, count, count / 2 - 1) / 2 + upper / 2;
}

struct line theil_sen_fit(const double *x, const double *y, size_t count)
{
    bool all = count <= THEIL_SEN_ALL_PAIRS;
    size_t pairs = all ? count * (count ? count - 1 : 0) / 2 : count - count / 2;
    double *list =
        xreallocarray(NULL, pairs > count ? pairs : count + 1, sizeof(*list));
    struct line line = {NAN, NAN};
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t j = all ? i + 1 : i + count / 2, end = all ? count : j + 1;

        for (; j < end && j < count; j++)
            if (x[j] != x[i])
                list[found++] = (y[j] - y[i]) / (x[j] - x[i]);
    }
    if (found) {
        line.slope = select_median(list, found);
        for (size_t i = 0; i < count; i++)
            list[i] = y[i] - line.slope * x[i];
        line.intercept = select_median(list, count);
    }
    free(list);
    return line;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Returns the sum of t (t - 1) (2 t + 5) over the groups of t equal values. */
static double correction_of_ties(const double *values, size_t count)
{
    double *sorted = xmemdup(values, count * sizeof(*sorted)), sum = 0;

    qsort(sorted, count, sizeof(*sorted), by_value);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sorted[end] == sorted[first]; end++)
            ;
        double t = (double)(end - first);
        sum += t * (t - 1) * (2 * t + 5);
    }
    free(sorted);
    return sum;
}

double mann_kendall_p(const double *values, size_t count)
{
    double s = 0;

    if (count > THEIL_SEN_ALL_PAIRS) {
        values += count - THEIL_SEN_ALL_PAIRS;
        count = THEIL_SEN_ALL_PAIRS;
    }
    if (count < 3)
        return 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            s += (values[j] > values[i]) - (values[j] < values[i]);
    double n = (double)count;
    double variance =
        (n * (n - 1) * (2 * n + 5) - correction_of_ties(values, count)) / 18;
    if (!(variance > 0) || s == 0)
        return 1;
    double p = 2 * normal_above((fabs(s) - 1) / sqrt(variance));
    return p < 1 ? p : 1;
}
