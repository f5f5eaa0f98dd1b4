#include "lib/verdict/night_noise.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/sample.h"
#include "lib/verdict/statistics/pairwise.h"
#include "lib/verdict/statistics/student.h"

/* 1 / (0.6744898 sqrt 2): makes the median distance of two normal values the standard
 * deviation. Distances use more of five to ten values than the MAD does. */
static const double distance_to_deviation = 1.0483579;

struct night_noise night_noise_with(double s, size_t nights, size_t base_nights)
{
    struct night_noise noise = {.nights = nights};

    if (nights >= NIGHT_NOISE_FEWEST) {
        double base =
            (double)(base_nights && base_nights < nights ? base_nights : nights);

        noise.known = true;
        noise.s = s;
        double of_a_new_night = noise.s * sqrt(1 + 1 / base);
        noise.h = student_quantile(0.99, (double)nights - 1) * of_a_new_night;
        noise.w = student_quantile(0.95, (double)nights - 1) * of_a_new_night;
    }
    return noise;
}

struct night_noise
night_noise_of(const double *medians, size_t count, size_t base_nights)
{
    struct night_noise noise = {0};
    struct sample sample;

    sample_init(&sample, medians, count, false);
    noise.nights = sample.count;
    if (sample.count >= NIGHT_NOISE_FEWEST)
        noise = night_noise_with(
            distance_to_deviation * pairwise_median_distance(sample.logs, sample.count),
            sample.count, base_nights);
    sample_clear(&sample);
    return noise;
}
