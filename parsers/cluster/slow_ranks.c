#include "parsers/cluster/slow_ranks.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

enum { DIXON_MOST = 100 };

/* Critical values of Dixon's test at 0.995; between the sizes they are interpolated. */
static const struct {
    size_t count;
    double limit;
} limits[] = {
    {3, .994},  {4, .920},  {5, .823},   {6, .744},  {7, .680},  {8, .723},  {9, .676},
    {10, .638}, {11, .707}, {12, .675},  {13, .649}, {14, .672}, {15, .649}, {16, .629},
    {17, .611}, {18, .595}, {19, .580},  {20, .568}, {21, .556}, {22, .545}, {23, .536},
    {24, .526}, {25, .519}, {26, .510},  {27, .503}, {28, .496}, {29, .489}, {30, .484},
    {32, .473}, {34, .463}, {36, .454},  {38, .446}, {40, .439}, {45, .423}, {50, .409},
    {55, .398}, {60, .388}, {64, .382},  {70, .372}, {75, .366}, {80, .360}, {85, .355},
    {90, .350}, {95, .345}, {100, .341},
};

double slow_ranks_limit(size_t count)
{
    size_t i = 0;
    double part;

    while (i + 1 < COUNT(limits) && limits[i].count < count)
        i++;
    if (limits[i].count <= count || i == 0)
        return limits[i].limit;
    part = (double)(count - limits[i - 1].count) /
           (double)(limits[i].count - limits[i - 1].count);
    return limits[i - 1].limit + part * (limits[i].limit - limits[i - 1].limit);
}

double slow_ranks_dixon(const double *sorted, size_t count)
{
    size_t next = count <= 10 ? 1 : 2;
    size_t last = count <= 7 ? count - 1 : count <= 13 ? count - 2 : count - 3;
    double range = sorted[last] - sorted[0];

    return range > 0 ? (sorted[next] - sorted[0]) / range : 0;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static size_t count_different(const double *sorted, size_t count)
{
    size_t different = 1;

    for (size_t i = 1; i < count; i++)
        different += sorted[i] != sorted[i - 1];
    return different;
}

static size_t place_of_smallest(const double *values, size_t count)
{
    size_t place = 0;

    for (size_t i = 1; i < count; i++)
        if (values[i] < values[place])
            place = i;
    return place;
}

/* Marks values below the mean by 3 deviations. When only a high value is far away, the
 * smallest one is marked. */
static size_t mark_by_deviation(const double *values, size_t count, bool *slow)
{
    double mean = stats_mean(values, count);
    double deviation =
        stats_deviation(values, count) * sqrt((double)(count - 1) / (double)count);
    size_t marked = 0, place = place_of_smallest(values, count);

    for (size_t i = 0; i < count; i++) {
        slow[i] = values[i] < mean - 3 * deviation;
        marked += slow[i];
    }
    if (stats_max(values, count) > mean + 3 * deviation && !slow[place]) {
        slow[place] = true;
        marked++;
    }
    return marked;
}

size_t slow_ranks_of(const double *durations, size_t count, bool *slow)
{
    double *sorted;
    size_t marked = 0;

    for (size_t i = 0; i < count; i++)
        slow[i] = false;
    if (count < 3)
        return 0;
    sorted = xmemdup(durations, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare);
    if (count_different(sorted, count) > 3) {
        if (count > DIXON_MOST) {
            marked = mark_by_deviation(durations, count, slow);
        } else if (slow_ranks_dixon(sorted, count) > slow_ranks_limit(count)) {
            slow[place_of_smallest(durations, count)] = true;
            marked = 1;
        }
    }
    free(sorted);
    return marked;
}
