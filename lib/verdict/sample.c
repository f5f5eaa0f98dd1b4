#include "lib/verdict/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static void sort_values(double *values, size_t count)
{
    if (count > 64) {
        qsort(values, count, sizeof(*values), by_value);
        return;
    }
    for (size_t i = 1; i < count; i++) { /* faster than qsort() for a few values */
        double value = values[i];
        size_t place = i;

        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

static void reverse(double *values, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        double value = values[i];

        values[i] = values[count - 1 - i];
        values[count - 1 - i] = value;
    }
}

void sample_init(struct sample *sample,
                 const double *values,
                 size_t count,
                 bool more_is_better)
{
    size_t zeros = 0;

    memset(sample, 0, sizeof(*sample));
    sample->values = xreallocarray(NULL, count ? count : 1, 2 * sizeof(double));
    sample->logs = sample->values + count;
    for (size_t i = 0; i < count; i++) {
        zeros += values[i] == 0;
        if (values[i] > 0 && isfinite(values[i]))
            sample->values[sample->count++] = values[i];
    }
    sample->dropped = count - sample->count;
    sample->all_zero = count && zeros == count;
    sort_values(sample->values, sample->count);
    if (more_is_better)
        reverse(sample->values, sample->count);
    for (size_t i = 0; i < sample->count; i++)
        sample->logs[i] =
            more_is_better ? -log(sample->values[i]) : log(sample->values[i]);
}

void sample_clear(struct sample *sample)
{
    free(sample->values);
    memset(sample, 0, sizeof(*sample));
}

double sample_median(const struct sample *sample)
{
    if (!sample->count)
        return NAN;
    return sample->values[(sample->count - 1) / 2] / 2 +
           sample->values[sample->count / 2] / 2;
}
