#include "lib/verdict/verdict.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "lib/base/mem.h"
#include "lib/verdict/margin.h"
#include "lib/verdict/shift.h"

const struct verdict_limits verdict_limits_default = {.alpha = 0.01,
                                                      .discoveries = 0.05};

/* A shift of exactly the margin, such as 102 after 100, must not depend on the rounding
 * of logarithms. */
static const double rounding = 1e-12;

static bool is_proved(double p,
                      double adjusted,
                      double size,
                      const struct margin *margin,
                      const struct verdict_limits *limits)
{
    return p <= limits->alpha && adjusted <= limits->discoveries &&
           size >= margin->change - rounding;
}

/* Returns true when the interval, widened on both sides, lies inside the margin. */
static bool is_inside(const struct shift *shift, double delta, double widened)
{
    return shift->low - widened > -delta + rounding &&
           shift->high + widened < delta - rounding;
}

static enum verdict_reason reason_of(const struct shift *shift,
                                     const struct margin *margin,
                                     const struct verdict_limits *limits)
{
    double size = fabs(shift->theta);
    double p = shift->p_worse < shift->p_better ? shift->p_worse : shift->p_better;

    if (size >= margin->delta - rounding && size < margin->change - rounding)
        return REASON_NIGHTS;
    if (is_inside(shift, margin->delta, 0))
        return REASON_NIGHTS; /* only the noise of the nights reaches the margin */
    if (p <= limits->alpha && size >= margin->change - rounding)
        return REASON_FAMILY;
    return REASON_SPREAD;
}

struct verdict verdict_judge(const struct shift *shift,
                             const struct margin *margin,
                             const struct verdict_limits *limits,
                             double p_worse_adjusted,
                             double p_better_adjusted)
{
    struct verdict verdict = {.nights_unknown = !margin->nights_known};
    bool dropped = shift->base_dropped || shift->fresh_dropped;

    if (!shift->base_count || !shift->fresh_count) {
        verdict.reason = REASON_NOT_MEASURED;
        return verdict;
    }
    if (shift->p_worse <= limits->alpha)
        verdict.differs = SIDE_WORSE;
    else if (shift->p_better <= limits->alpha)
        verdict.differs = SIDE_BETTER;
    if (shift->base_count < 3 || shift->fresh_count < 3 || isnan(shift->low))
        verdict.reason = dropped ? REASON_NOT_MEASURED : REASON_FEW;
    else if (is_proved(shift->p_worse, p_worse_adjusted, shift->theta, margin, limits))
        verdict.kind = VERDICT_REGRESSED;
    else if (is_proved(shift->p_better, p_better_adjusted, -shift->theta, margin,
                       limits))
        verdict.kind = VERDICT_IMPROVED;
    else if (is_inside(shift, margin->delta, margin->inside))
        verdict.kind = VERDICT_SAME;
    else
        verdict.reason = reason_of(shift, margin, limits);
    if (verdict.kind != VERDICT_INCONCLUSIVE)
        return verdict;
    if (fabs(shift->theta) >= margin->delta - rounding)
        verdict.leaning = shift->theta > 0 ? SIDE_WORSE : SIDE_BETTER;
    if (verdict.reason != REASON_NIGHTS)
        verdict.more = repeats_needed(shift, margin->delta);
    return verdict;
}

const char *verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[] = {
        [VERDICT_INCONCLUSIVE] = "inconclusive",
        [VERDICT_SAME] = "same",
        [VERDICT_IMPROVED] = "improved",
        [VERDICT_REGRESSED] = "regressed",
    };

    assert((size_t)kind < COUNT(names));
    return names[kind];
}

const char *verdict_reason_name(enum verdict_reason reason)
{
    static const char *const names[] = {
        [REASON_NONE] = "",
        [REASON_MEASURED_OTHERWISE] = "measured-otherwise",
        [REASON_NOT_MEASURED] = "not-measured",
        [REASON_FEW] = "few",
        [REASON_NIGHTS] = "nights",
        [REASON_FAMILY] = "family",
        [REASON_SPREAD] = "spread",
    };

    assert((size_t)reason < COUNT(names));
    return names[reason];
}

const char *verdict_side_name(enum verdict_side side)
{
    static const char *const names[] = {
        [SIDE_NONE] = "",
        [SIDE_WORSE] = "worse",
        [SIDE_BETTER] = "better",
    };

    assert((size_t)side < COUNT(names));
    return names[side];
}
