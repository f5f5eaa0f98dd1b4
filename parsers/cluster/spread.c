#include "parsers/cluster/spread.h"

#include "lib/base/stats.h"

static const double tolerance = 0.05;

struct spread spread_of(const double *values, const double *totals, size_t count)
{
    struct spread spread = {0};

    if (count == 0)
        return spread;
    for (size_t i = 1; i < count; i++) {
        if (values[i] > values[spread.highest])
            spread.highest = i;
        if (values[i] < values[spread.lowest])
            spread.lowest = i;
    }
    spread.gap = values[spread.highest] - values[spread.lowest];
    spread.mean = stats_mean(values, count);
    if (spread.mean > 0)
        spread.own_ratio = spread.gap / spread.mean;
    if (totals && stats_mean(totals, count) > 0)
        spread.ratio = spread.gap / stats_mean(totals, count);
    spread.is_issue = spread.ratio > tolerance;
    spread.is_own_issue = spread.own_ratio >= tolerance;
    return spread;
}
