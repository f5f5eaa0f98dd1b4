/* F(e) = min over s of F(s) + cost(s, e) + penalty, with F(0) = -penalty.
 *
 * Pruning: when F(s) + cost(s, e) > F(e), a later end e' is cheaper with its last start
 * at e than at s, because the cost of a segment is never less than that of its parts. A
 * start at e needs e' >= e + shortest, so s is dropped only from there on. A small
 * slack keeps rounding from deciding. */
#include "lib/verdict/trend/partition.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

struct sums {
    double sum, squares;
};

struct candidate {
    size_t start;
    size_t dropped_at; /* end from which on the start is not used */
};

/* Sums of the first i values, moved to their median so that little is cancelled. */
static struct sums *sums_of(const double *values, size_t count)
{
    struct sums *sums = xcalloc(count + 1, sizeof(*sums));
    double middle = stats_median(values, count);

    for (size_t i = 0; i < count; i++) {
        double value = values[i] - middle;

        sums[i + 1].sum = sums[i].sum + value;
        sums[i + 1].squares = sums[i].squares + value * value;
    }
    return sums;
}

static double cost_of(const struct sums *sums, size_t start, size_t end)
{
    double sum = sums[end].sum - sums[start].sum;
    double cost =
        sums[end].squares - sums[start].squares - sum * sum / (double)(end - start);

    return cost > 0 ? cost : 0;
}

/* Writes the starts in order, following the best start of each end backwards. */
static size_t follow_back(const size_t *best_start, size_t count, size_t *starts)
{
    size_t found = 0;

    for (size_t end = count; end > 0; end = best_start[end])
        starts[found++] = best_start[end];
    for (size_t i = 0; i < found / 2; i++) {
        size_t start = starts[i];

        starts[i] = starts[found - 1 - i];
        starts[found - 1 - i] = start;
    }
    return found;
}

size_t partition_find(const double *values,
                      size_t count,
                      size_t shortest,
                      double penalty,
                      size_t *starts)
{
    size_t live = 0;

    if (!count)
        return 0;
    starts[0] = 0;
    if (count < 2 * shortest)
        return 1;
    struct sums *sums = sums_of(values, count);
    double *best = xcalloc(count + 1, sizeof(*best));
    size_t *best_start = xcalloc(count + 1, sizeof(*best_start));
    struct candidate *candidates = xcalloc(count + 1, sizeof(*candidates));

    best[0] = -penalty;
    for (size_t end = shortest; end <= count; end++) {
        size_t newest = end - shortest, kept = 0;

        if (newest == 0 || newest >= shortest)
            candidates[live++] = (struct candidate){newest, (size_t)-1};
        best[end] = INFINITY;
        for (size_t i = 0; i < live; i++) {
            size_t start = candidates[i].start;

            if (candidates[i].dropped_at <= end)
                continue;
            candidates[kept++] = candidates[i];
            double total = best[start] + cost_of(sums, start, end) + penalty;
            if (total < best[end]) {
                best[end] = total;
                best_start[end] = start;
            }
        }
        live = kept;
        double limit = best[end] + penalty + 1e-9 * (1 + fabs(best[end]));
        for (size_t i = 0; i < live; i++) {
            size_t start = candidates[i].start;

            if (candidates[i].dropped_at == (size_t)-1 &&
                best[start] + cost_of(sums, start, end) + penalty > limit)
                candidates[i].dropped_at = end + shortest;
        }
    }
    size_t found = follow_back(best_start, count, starts);
    free(sums);
    free(best);
    free(best_start);
    free(candidates);
    return found;
}
