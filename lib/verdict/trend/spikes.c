#include "lib/verdict/trend/spikes.h"

#include "lib/base/stats.h"

enum { NEIGHBOURS = 3, FEWEST = 2 };

size_t spikes_remove(const double *values,
                     size_t count,
                     double distance,
                     bool *is_spike,
                     double *without)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t before = i < NEIGHBOURS ? i : NEIGHBOURS;
        size_t after = count - i - 1 < NEIGHBOURS ? count - i - 1 : NEIGHBOURS;

        is_spike[i] = false;
        without[i] = values[i];
        if (before < FEWEST || after < FEWEST)
            continue;
        double left = stats_median(values + i - before, before);
        double right = stats_median(values + i + 1, after);
        double high = left > right ? left : right, low = left > right ? right : left;
        if (high - low > distance ||
            (values[i] <= high + distance && values[i] >= low - distance))
            continue;
        is_spike[i] = true;
        without[i] = left / 2 + right / 2;
        found++;
    }
    return found;
}
