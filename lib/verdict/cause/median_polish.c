#include "lib/verdict/cause/median_polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

static const int most_rounds = 20;
static const double settled = 1e-6; /* 0.0001 per cent */

/* Returns the median of every `step`-th value, without NaN; NaN when none is left. */
static double
median_of(const double *values, size_t count, size_t step, double *scratch)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i * step]))
            scratch[kept++] = values[i * step];
    return stats_median(scratch, kept);
}

/* Moves the median of each line of residuals into the effect of the line. Returns the
 * largest move. `step` is the distance of two residuals of a line, `next` that of two
 * lines. */
static double sweep_lines(double *residuals,
                          double *effects,
                          size_t lines,
                          size_t length,
                          size_t next,
                          size_t step,
                          double *scratch)
{
    double largest = 0;

    for (size_t line = 0; line < lines; line++) {
        double *first = residuals + line * next;
        double median = median_of(first, length, step, scratch);

        if (isnan(median)) {
            effects[line] = NAN;
            continue;
        }
        for (size_t i = 0; i < length; i++)
            first[i * step] -= median;
        effects[line] += median;
        largest = fmax(largest, fabs(median));
    }
    return largest;
}

/* Moves the median of the effects into the overall shift. Returns the move. */
static double
sweep_effects(double *effects, size_t count, double *overall, double *scratch)
{
    double median = median_of(effects, count, 1, scratch);

    if (isnan(median))
        return 0;
    for (size_t i = 0; i < count; i++)
        effects[i] -= median;
    *overall += median;
    return fabs(median);
}

void median_polish_init(struct median_polish *polish,
                        const double *cells,
                        size_t row_count,
                        size_t column_count)
{
    size_t count = row_count * column_count, measured = 0;
    size_t longest = row_count > column_count ? row_count : column_count;
    double *scratch = xreallocarray(NULL, longest + 1, sizeof(*scratch));

    *polish =
        (struct median_polish){.row_count = row_count, .column_count = column_count};
    polish->rows = xcalloc(row_count + 1, sizeof(double));
    polish->columns = xcalloc(column_count + 1, sizeof(double));
    polish->residuals = xcalloc(count + 1, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        polish->residuals[i] = isfinite(cells[i]) ? cells[i] : NAN;
        measured += isfinite(cells[i]);
    }
    for (int round = 0; round < most_rounds; round++) {
        double moved = sweep_lines(polish->residuals, polish->rows, row_count,
                                   column_count, column_count, 1, scratch);

        moved = fmax(moved, sweep_effects(polish->columns, column_count,
                                          &polish->overall, scratch));
        moved =
            fmax(moved, sweep_lines(polish->residuals, polish->columns, column_count,
                                    row_count, 1, column_count, scratch));
        moved = fmax(moved,
                     sweep_effects(polish->rows, row_count, &polish->overall, scratch));
        if (moved < settled)
            break;
    }
    if (!measured)
        polish->overall = NAN;
    free(scratch);
}

void median_polish_clear(struct median_polish *polish)
{
    free(polish->rows);
    free(polish->columns);
    free(polish->residuals);
    memset(polish, 0, sizeof(*polish));
}
