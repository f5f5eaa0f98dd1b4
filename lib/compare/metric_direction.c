#include "lib/compare/metric_direction.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static const double tick_us = 0.02;

bool metric_more_is_better(const char *metric)
{
    static const char *const patterns[] = {
        "*_bw",   "*_bw_*",   "*bandwidth*", "*hit_rate*", "*throughput*",
        "*tops*", "*gflops*", "*_mhz",       "*in_step*",
    };

    for (size_t i = 0; i < COUNT(patterns); i++)
        if (text_matches(metric, patterns[i]))
            return true;
    return false;
}

double metric_tick(const char *metric, const char *unit)
{
    return strcmp(unit, "us") == 0 && text_matches(metric, "*duration*") ? tick_us : 0;
}
