/* The midranks are doubled, so all sums are integers. There are at most 2^50 ways, so a
 * double holds every count without rounding. */
#include "lib/verdict/statistics/signed_rank.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/statistics/normal.h"

enum {
    MOST = SIGNED_RANK_EXACT,
    SUMS = MOST * (MOST + 1) + 1 /* of doubled ranks, with 0 */
};

struct distance {
    double size;
    bool positive;
};

static int by_size(const void *left, const void *right)
{
    const struct distance *a = left, *b = right;

    return (a->size > b->size) - (a->size < b->size);
}

/* Sets shares[s] to the number of ways with a sum of at most s; returns all ways. */
static double sum_distribution(double *shares, const size_t *ranks, size_t count)
{
    size_t top = 0;

    for (size_t s = 0; s < SUMS; s++)
        shares[s] = s == 0;
    for (size_t i = 0; i < count; i++) {
        top += ranks[i];
        for (size_t s = top; s >= ranks[i]; s--)
            shares[s] += shares[s - ranks[i]];
    }
    for (size_t s = 1; s < SUMS; s++)
        shares[s] += shares[s - 1];
    return shares[SUMS - 1];
}

/* Returns the end of the group of equal distances that begins at `first`. */
static size_t
end_of_ties(const struct distance *list, size_t count, size_t first, double resolution)
{
    size_t end = first + 1;

    while (end < count && list[end].size - list[end - 1].size <= resolution)
        end++;
    return end;
}

static struct signed_rank_p
exact_test(const struct distance *list, size_t count, double resolution)
{
    size_t ranks[MOST] = {0}, sum = 0;
    double shares[SUMS];

    for (size_t first = 0, end; first < count; first = end) {
        end = end_of_ties(list, count, first, resolution);
        for (size_t i = first; i < end; i++) {
            ranks[i] = first + end + 1;
            sum += list[i].positive ? ranks[i] : 0;
        }
    }
    double ways = sum_distribution(shares, ranks, count);
    return (struct signed_rank_p){.above = (ways - (sum ? shares[sum - 1] : 0)) / ways,
                                  .below = shares[sum] / ways};
}

static struct signed_rank_p
normal_test(const struct distance *list, size_t count, double resolution)
{
    double n = (double)count, sum = 0, ties = 0;

    for (size_t first = 0, end; first < count; first = end) {
        end = end_of_ties(list, count, first, resolution);
        double rank = ((double)first + (double)end + 1) / 2;
        double same = (double)(end - first);
        for (size_t i = first; i < end; i++)
            sum += list[i].positive ? rank : 0;
        ties += same * same * same - same;
    }
    double mean = n * (n + 1) / 4;
    double deviation = sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48);
    return (struct signed_rank_p){.above = normal_above((sum - mean - 0.5) / deviation),
                                  .below =
                                      normal_above((mean - sum - 0.5) / deviation)};
}

struct signed_rank_p
signed_rank_test(const double *differences, size_t count, double resolution)
{
    struct distance *list = xreallocarray(NULL, count ? count : 1, sizeof(*list));
    struct signed_rank_p p = {1, 1};
    size_t left = 0;

    for (size_t i = 0; i < count; i++)
        if (fabs(differences[i]) > resolution)
            list[left++] = (struct distance){fabs(differences[i]), differences[i] > 0};
    qsort(list, left, sizeof(*list), by_size);
    if (left)
        p = left <= MOST ? exact_test(list, left, resolution)
                         : normal_test(list, left, resolution);
    free(list);
    return p;
}

double signed_rank_probability(size_t count, size_t limit)
{
    size_t ranks[MOST] = {0};
    double shares[SUMS];

    assert(count <= MOST);
    for (size_t i = 0; i < count; i++)
        ranks[i] = 2 * (i + 1);
    double ways = sum_distribution(shares, ranks, count);
    return limit < SUMS / 2 ? shares[2 * limit] / ways : 1;
}

size_t signed_rank_interval(size_t count, double alpha)
{
    double n = (double)count;
    size_t k = 0;

    if (!count)
        return 0;
    if (count > MOST) {
        double place = n * (n + 1) / 4 +
                       normal_quantile(alpha) * sqrt(n * (n + 1) * (2 * n + 1) / 24);

        return place > 0 ? (size_t)place : 0;
    }
    size_t ranks[MOST] = {0};
    double shares[SUMS];
    for (size_t i = 0; i < count; i++)
        ranks[i] = 2 * (i + 1);
    double ways = sum_distribution(shares, ranks, count);
    while (k < count * (count + 1) / 2 && shares[2 * k] <= alpha * ways)
        k++;
    return k;
}
