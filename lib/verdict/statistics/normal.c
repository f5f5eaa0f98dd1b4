#include "lib/verdict/statistics/normal.h"

#include <math.h>

double normal_above(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

double normal_quantile(double p)
{
    double low = -40, high = 40; /* p is 0 or 1 beyond */

    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;

        if (normal_above(-middle) < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}
