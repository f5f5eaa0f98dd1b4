#include "cli/trend/text_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"

static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
/* A share: noise of 1 % does not fill the height. */
static const double least_span = 0.02;
static const char *const ascii[] = {"_", ".", "-", "=", "*", "#"};

/* Returns the median of the values from `first` to before `end`; NaN: there is none. */
static double median_of(const double *values, size_t first, size_t end, double *space)
{
    size_t count = 0;

    for (size_t i = first; i < end; i++)
        if (isfinite(values[i]))
            space[count++] = values[i];
    return count ? stats_median(space, count) : NAN;
}

void text_plot_add(struct text *out,
                   const double *values,
                   size_t count,
                   size_t width,
                   bool utf8)
{
    const char *const *heights = utf8 ? blocks : ascii;
    size_t height_count = utf8 ? COUNT(blocks) : COUNT(ascii);
    size_t columns = count < width ? count : width;
    double *medians = xreallocarray(NULL, columns + count + 1, sizeof(*medians));
    double *space = medians + columns;
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < columns; i++) {
        medians[i] =
            median_of(values, i * count / columns, (i + 1) * count / columns, space);
        low = fmin(low, medians[i]);
        high = fmax(high, medians[i]);
    }
    double widen = (least_span * fabs(high + low) / 2 - (high - low)) / 2;
    if (widen > 0) {
        low -= widen;
        high += widen;
    }
    for (size_t i = 0; i < columns; i++) {
        double share = high > low ? (medians[i] - low) / (high - low) : 0.5;
        size_t height = (size_t)(share * (double)height_count);

        text_add(out, !isfinite(medians[i])    ? " "
                      : height >= height_count ? heights[height_count - 1]
                                               : heights[height]);
    }
    free(medians);
}
