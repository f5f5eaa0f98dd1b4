#include "lib/verdict/cause/lateness.h"

#include <math.h>

double lateness_p(size_t ranks, size_t collectives, size_t last)
{
    double n = (double)collectives, share = 1 / (double)ranks, sum = 0;
    int sign;

    if (ranks < 2 || !collectives || !last)
        return 1;
    if (last > collectives)
        return 0;
    for (size_t k = last; k <= collectives; k++) {
        double i = (double)k;
        double term =
            exp(lgamma_r(n + 1, &sign) - lgamma_r(i + 1, &sign) -
                lgamma_r(n - i + 1, &sign) + i * log(share) + (n - i) * log1p(-share));

        sum += term;
        if (i > n * share && term < sum * 1e-17)
            break; /* the terms only fall from here on */
    }
    double p = (double)ranks * sum;
    return p < 1 ? p : 1;
}
