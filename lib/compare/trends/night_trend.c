#include "lib/compare/trends/night_trend.h"

double night_trend_last_change(const struct night_trend *row)
{
    const struct trend *trend = &row->trend;
    double change =
        trend->boundary_count ? trend->boundaries[trend->boundary_count - 1].change : 0;

    return row->more_is_better ? -change : change;
}

bool night_trend_drifts_from_anchor(const struct night_trend *row)
{
    enum verdict_kind kind = row->anchor.verdict.kind;

    return row->anchor.is_compared &&
           (kind == VERDICT_REGRESSED || kind == VERDICT_IMPROVED);
}

bool night_trend_drifts(const struct night_trend *row)
{
    return row->trend.drifts || night_trend_drifts_from_anchor(row);
}
