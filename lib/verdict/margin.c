#include "lib/verdict/margin.h"

#include <math.h>

#include "lib/verdict/night_noise.h"

static double usable(double value)
{
    return isfinite(value) && value > 0 ? value : 0;
}

struct margin margin_of(double tolerance,
                        double tick,
                        double median,
                        const struct night_noise *nights)
{
    struct margin margin = {.delta = log1p(usable(tolerance)), .nights_known = true};

    if (usable(median) > 0) {
        double resolution = log1p(usable(usable(tick) / median * 2));

        margin.delta = resolution > margin.delta ? resolution : margin.delta;
    }
    margin.change = margin.delta;
    if (nights) {
        margin.nights_known = nights->known;
        margin.change = nights->h > margin.delta ? nights->h : margin.delta;
        margin.inside = nights->w;
    }
    return margin;
}
