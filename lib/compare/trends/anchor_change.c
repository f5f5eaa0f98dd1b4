#include "lib/compare/trends/anchor_change.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/compare/metric_direction.h"
#include "lib/compare/trends/night_series.h"
#include "lib/verdict/cell.h"

/* Writes the values of the last nights that have one. Returns their number. */
static size_t last_nights(const struct value_slots *nights, double *values)
{
    size_t count = 0;

    for (size_t i = nights->room; i-- > 0 && count < ANCHOR_NIGHTS;)
        if (isfinite(nights->values[i]))
            values[count++] = nights->values[i];
    return count;
}

/* Returns the values of the anchor without the gaps, which the caller frees. */
static double *repeats_of(const struct value_slots *anchor, size_t *count)
{
    double *values = xreallocarray(NULL, anchor->room + 1, sizeof(*values));

    *count = 0;
    for (size_t i = 0; i < anchor->room; i++)
        if (isfinite(anchor->values[i]))
            values[(*count)++] = anchor->values[i];
    return values;
}

void anchor_change_judge(struct series *const *series,
                         size_t count,
                         size_t jobs,
                         double tolerance)
{
    struct cell *cells = xcalloc(count + 1, sizeof(*cells));
    struct series **judged = xcalloc(count + 1, sizeof(*judged));
    double *fresh = xcalloc((count + 1) * ANCHOR_NIGHTS, sizeof(*fresh));
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const struct trend *trend = &series[i]->row.trend;
        struct cell *cell = &cells[found];
        double *values = &fresh[found * ANCHOR_NIGHTS];
        size_t base_count;

        if (last_nights(&series[i]->nights, values) < ANCHOR_NIGHTS)
            continue;
        double *base = repeats_of(&series[i]->anchor, &base_count);
        if (base_count == 0) {
            free(base);
            continue;
        }
        *cell = (struct cell){
            .base = base,
            .base_count = base_count,
            .fresh = values,
            .fresh_count = ANCHOR_NIGHTS,
            .tolerance = tolerance,
            .tick = series[i]->unit[0] ? metric_tick(series[i]->metric, series[i]->unit,
                                                     series[i]->tick_ns)
                                       : 0,
            .nights = night_noise_with(trend->sigma, trend->nights, jobs),
        };
        judged[found++] = series[i];
    }
    if (found > 0)
        cells_judge(cells, found, metric_more_is_better(judged[0]->metric),
                    &verdict_limits_default);
    for (size_t i = 0; i < found; i++) {
        double theta = cells[i].shift.theta;

        judged[i]->row.anchor = (struct night_trend_anchor){
            .is_compared = true,
            .change = judged[i]->row.more_is_better ? -theta : theta,
            .verdict = cells[i].verdict,
        };
        free((double *)cells[i].base);
    }
    free(cells);
    free(judged);
    free(fresh);
}
