#include "lib/verdict/cause/rotation.h"

#include <math.h>

static size_t gcd(size_t a, size_t b)
{
    while (b) {
        size_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

bool rotation_is_identified(size_t ranks, const size_t *shifts, size_t count)
{
    size_t divisor = ranks;

    if (!ranks || !count)
        return false;
    for (size_t i = 1; i < count; i++) {
        size_t a = shifts[i] % ranks, b = shifts[0] % ranks;

        divisor = gcd(divisor, a > b ? a - b : b - a);
    }
    return divisor == 1;
}

/* The times form circulant matrices. Elimination of the rank effects leaves, for the
 * card effects of frequency f, the information k - |sum of e^(2 pi i f s / N)|^2 / k.
 */
double rotation_deviation(size_t ranks, const size_t *shifts, size_t count)
{
    double n = (double)ranks, k = (double)count, sum = 0;

    if (ranks < 2 || !count)
        return NAN;
    if (!rotation_is_identified(ranks, shifts, count))
        return INFINITY;
    for (size_t f = 1; f < ranks; f++) {
        double re = 0, im = 0;

        for (size_t i = 0; i < count; i++) {
            double angle = 2 * M_PI * (double)f * (double)(shifts[i] % ranks) / n;

            re += cos(angle);
            im += sin(angle);
        }
        sum += 1 / (k - (re * re + im * im) / k);
    }
    return n / (n - 1) * sqrt(sum / n);
}

static size_t add_shift(size_t *shifts, size_t used, size_t room, size_t shift)
{
    for (size_t i = 0; i < used; i++)
        if (shifts[i] == shift)
            return used;
    if (used < room)
        shifts[used++] = shift;
    return used;
}

size_t rotation_default_shifts(size_t ranks,
                               size_t cards_per_host,
                               size_t count,
                               size_t *shifts)
{
    size_t room = count < ranks ? count : ranks, used = 0;
    size_t third =
        cards_per_host && cards_per_host < ranks ? cards_per_host : ranks / 2;

    for (size_t i = 0; i < 2 && i < ranks; i++)
        used = add_shift(shifts, used, room, i);
    if (ranks)
        used = add_shift(shifts, used, room, third);
    for (size_t shift = 2; used < room; shift++)
        used = add_shift(shifts, used, room, shift);
    return used;
}
