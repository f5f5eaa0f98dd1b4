/* comparison_rows.c - the judged cells as rows, and their totals */
#include <math.h>

#include "lib/base/stats.h"
#include "lib/compare/comparison_internal.h"

size_t comparison_count(const struct comparison *comparison)
{
    return comparison->count;
}

struct comparison_row comparison_row(const struct comparison *comparison, size_t index)
{
    const struct compared *compared = comparison->cells[index];
    const struct cell *cell = &compared->cell;
    const struct repeat_values *base = &compared->sides[COMPARISON_BASE];
    const struct repeat_values *fresh = &compared->sides[COMPARISON_NEW];
    struct comparison_row row = {
        .outcome = compared->outcome,
        .point = compared->point,
        .kernel = compared->kernel,
        .metric = compared->metric,
        .unit = compared->unit,
        .card = compared->card,
        .host = compared->host,
        .task_point = compared->task_point,
        .placed_serial = compared->placement.serial ? compared->placement.serial : "",
        .placed_host = compared->placement.host ? compared->placement.host : "",
        .more_is_better = compared->rule.more_is_better,
        .rank = compared->rank,
        .base_count = base->count,
        .new_count = fresh->count,
        .missing = compared->missing,
        .base_median = stats_median(base->values, base->count),
        .new_median = stats_median(fresh->values, fresh->count),
        .shift = NAN,
        .low = NAN,
        .high = NAN,
        .p_worse = NAN,
        .p_better = NAN,
        .p_worse_adjusted = NAN,
        .p_better_adjusted = NAN,
        .margin = NAN,
        .measured_otherwise = cell->measured_otherwise,
        .reason = compared->reason ? compared->reason : "",
        .leaning = "",
        .quarantine = compared->quarantine,
        .simulated = base->simulated || fresh->simulated,
    };

    if (!comparison_has_both(compared))
        return row;
    row.shift = cell->shift.theta;
    row.low = cell->shift.low;
    row.high = cell->shift.high;
    row.p_worse = cell->shift.p_worse;
    row.p_better = cell->shift.p_better;
    row.p_worse_adjusted = cell->p_worse_adjusted;
    row.p_better_adjusted = cell->p_better_adjusted;
    row.margin = cell->delta;
    row.nights = cell->nights.nights;
    row.night_spread = cell->nights.s;
    row.night_noise = cell->nights.h;
    row.usual_night_noise = cell->nights.w;
    if (!compared->reason)
        row.reason = verdict_reason_name(cell->verdict.reason);
    row.leaning = verdict_side_name(cell->verdict.leaning);
    row.differs = cell->verdict.differs != SIDE_NONE;
    row.nights_unknown = cell->verdict.nights_unknown;
    row.more = cell->verdict.more.more;
    return row;
}

size_t comparison_total(const struct comparison *comparison,
                        enum comparison_outcome outcome)
{
    return comparison->totals[outcome];
}

size_t comparison_quarantined(const struct comparison *comparison)
{
    return comparison->quarantined;
}

size_t comparison_missing(const struct comparison *comparison)
{
    return comparison->missing;
}

bool comparison_is_simulated(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison_count(comparison); i++)
        if (comparison_row(comparison, i).simulated)
            return true;
    return false;
}

const char *comparison_outcome_name(enum comparison_outcome outcome)
{
    static const char *const names[OUTCOME_COUNT] = {
        [OUTCOME_REGRESSED] = "regressed",
        [OUTCOME_IMPROVED] = "improved",
        [OUTCOME_SAME] = "same",
        [OUTCOME_INCONCLUSIVE] = "inconclusive",
        [OUTCOME_NOT_MEASURED] = "not-measured",
        [OUTCOME_GONE] = "gone",
        [OUTCOME_ADDED] = "added",
    };

    return names[outcome];
}
