#include "lib/verdict/statistics/student.h"

#include <math.h>

/* Returns the continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);

    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int i = 1; i < 10000; i++) {
        double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
        double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));

        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        result *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        result *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return result;
}

static double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* Returns the regularised incomplete beta function I_x(a, b). */
static double beta_share(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) +
                       b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Returns P(T >= t) for t >= 0. */
static double student_above(double t, double freedom)
{
    return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

double student_quantile(double p, double freedom)
{
    double low = 0, high = 1;

    if (!(p >= 0.5 && p < 1) || !(freedom >= 1))
        return NAN;
    while (student_above(high, freedom) > 1 - p && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + (high - low) / 2;

        if (student_above(middle, freedom) > 1 - p)
            low = middle;
        else
            high = middle;
    }
    return high;
}
