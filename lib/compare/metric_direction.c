#include "lib/compare/metric_direction.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Of the 50 MHz clock that most chips have, for figures of an unknown clock. */
static const double usual_tick_ns = 20;

bool metric_more_is_better(const char *metric)
{
    static const char *const patterns[] = {
        "*_bw",   "*_bw_*",   "*bandwidth*", "*hit_rate*", "*throughput*",
        "*tops*", "*gflops*", "*_mhz",       "*in_step*",  "overlap_*",
    };

    for (size_t i = 0; i < COUNT(patterns); i++)
        if (text_matches(metric, patterns[i]))
            return true;
    return false;
}

double metric_tick(const char *metric, const char *unit, double tick_ns)
{
    if (strcmp(unit, "us") != 0 || !text_matches(metric, "*duration*"))
        return 0;
    return (tick_ns > 0 ? tick_ns : usual_tick_ns) / 1000;
}
