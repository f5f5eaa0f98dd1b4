#include "lib/verdict/repeats_needed.h"

#include <math.h>
#include <stdbool.h>

#include "lib/base/mem.h"
#include "lib/verdict/shift.h"

/* Six pairs of the same sign have a probability of 1/64, which is above 1 %. */
enum { FEWEST_PAIRS = 7 };

/* For n + n repeats with normal noise, in standard deviations: the change that is found
 * in 80 % of all cases with p <= 0.01, and the margin for which `same` is proved in 80
 * % of all cases without a change. By simulation. */
static const struct size {
    size_t repeats;
    double change, margin;
} sizes[] = {
    {5, 2.67, 2.13},  {6, 2.33, 1.91},  {7, 2.03, 1.73},
    {8, 1.90, 1.66},  {10, 1.60, 1.42}, {12, 1.45, 1.30},
    {15, 1.25, 1.14}, {20, 1.07, 0.97}, {30, 0.86, 0.79},
};

struct repeats_needed repeats_needed(const struct shift *shift, double delta)
{
    struct repeats_needed needed = {0};
    size_t present =
        shift->base_count < shift->fresh_count ? shift->base_count : shift->fresh_count;
    double size = fabs(shift->theta);

    if (!present || !isfinite(size) || !isfinite(shift->scatter))
        return needed;
    if (shift->paired) {
        needed.more = present < FEWEST_PAIRS ? FEWEST_PAIRS - present : 1;
        return needed;
    }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        bool enough = size >= delta ? sizes[i].change * shift->scatter <= size
                                    : sizes[i].margin * shift->scatter <= delta - size;

        if (sizes[i].repeats > present && enough) {
            needed.more = sizes[i].repeats - present;
            return needed;
        }
    }
    const struct size *last = &sizes[COUNT(sizes) - 1];
    needed.repeats = present > last->repeats ? present : last->repeats;
    double margin = needed.repeats > last->repeats ? 4.33 / sqrt((double)needed.repeats)
                                                   : last->margin;
    needed.tolerance = margin * shift->scatter + size;
    return needed;
}
