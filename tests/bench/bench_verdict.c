/* bench_verdict.c - time of verdicts on cells and of trends over nights */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/mem.h"
#include "lib/verdict/cell.h"
#include "lib/verdict/trend/trend.h"
#include "tests/bench/ratio.h"

enum { CELLS = 20000, REPEATS = 7, NIGHTS = 400, SERIES = 1000 };

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Returns the processor time in seconds: other programs of the machine do not add to
 * it. */
static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct cells {
    double values[CELLS][2][REPEATS];
    struct cell cells[CELLS];
};

static double time_of_verdicts(void *arg)
{
    struct cells *all = arg;
    double start = cpu_seconds();

    cells_judge(all->cells, CELLS, false, &verdict_limits_default);
    return cpu_seconds() - start;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* The floor: each value is read and each side is sorted once. */
static double time_of_sorting(void *arg)
{
    struct cells *all = arg;
    double start = cpu_seconds(), sum = 0;

    for (size_t i = 0; i < CELLS; i++)
        for (size_t side = 0; side < 2; side++) {
            double sorted[REPEATS];

            memcpy(sorted, all->values[i][side], sizeof(sorted));
            qsort(sorted, REPEATS, sizeof(*sorted), by_value);
            sum += sorted[REPEATS / 2];
        }
    if (!(sum > 0))
        exit(1);
    return cpu_seconds() - start;
}

static void fill_cells(struct cells *all)
{
    for (size_t i = 0; i < CELLS; i++) {
        for (size_t j = 0; j < 2 * REPEATS; j++)
            all->values[i][j / REPEATS][j % REPEATS] =
                rint(10 * exp(0.01 * normal()) / 0.02) * 0.02;
        all->cells[i] = (struct cell){.base = all->values[i][0],
                                      .fresh = all->values[i][1],
                                      .base_count = REPEATS,
                                      .fresh_count = REPEATS,
                                      .tolerance = 0.02,
                                      .tick = 0.02,
                                      .alternating = true};
    }
}

struct nights {
    double (*values)[NIGHTS];
    size_t series;
};

static double time_of_trends(void *arg)
{
    const struct nights *nights = arg;
    const struct trend_rule rule = {.tolerance = 0.02, .smallest = 0.01};
    double start = cpu_seconds();
    size_t boundaries = 0;

    for (size_t i = 0; i < nights->series; i++) {
        struct trend trend;

        trend_init(&trend, nights->values[i], NIGHTS, NULL, 0, &rule);
        boundaries += trend.boundary_count;
        trend_clear(&trend);
    }
    if (!boundaries)
        exit(1);
    return cpu_seconds() - start;
}

static double time_of_tenth(void *arg)
{
    struct nights few = *(const struct nights *)arg;

    few.series /= 10;
    return time_of_trends(&few);
}

/* Every second series has changes of its level; the others are quiet, and quiet series
 * are the most expensive ones. */
static void fill_nights(struct nights *nights)
{
    for (size_t i = 0; i < nights->series; i++) {
        double level = 0;

        for (size_t j = 0; j < NIGHTS; j++) {
            if (i % 2 && uniform() < 0.02)
                level = 0.1 * uniform();
            nights->values[i][j] = 100 * exp(level + 0.005 * normal());
        }
    }
}

int main(void)
{
    struct cells *cells = xcalloc(1, sizeof(*cells));
    struct nights nights = {xcalloc(SERIES, sizeof(double[NIGHTS])), SERIES};

    fill_cells(cells);
    double ratio = ratio_median(time_of_verdicts, time_of_sorting, cells);
    ratio_print("verdicts on cells of 7 + 7", ratio, "sorting their values", "<= 20",
                ratio <= 20);
    fill_nights(&nights);
    double seconds = time_of_trends(&nights);
    ratio_print("trends of 1,000 series of 400 nights", seconds, "a second of one core",
                "<= 10", seconds <= 10);
    ratio = ratio_median(time_of_trends, time_of_tenth, &nights);
    ratio_print("trends of 1,000 series", ratio, "100 series", "<= 12", ratio <= 12);
    free(cells);
    free(nights.values);
    return 0;
}
