/* ratios.c - ratios and bandwidths, rounded as other tools round them */
#include <math.h>

#include "parsers/cluster/cluster.h"

static double round4(double value)
{
    return round(value * 1e4) / 1e4;
}

double cluster_ratio(double part, double other)
{
    return fabs(part + other) < 1e-15 ? 0 : round4(part / (part + other));
}

double cluster_bandwidth(double size_mb, double time_ms)
{
    return fabs(time_ms) < 1e-15 ? 0 : round4(size_mb / time_ms);
}
