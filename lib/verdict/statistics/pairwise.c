#include "lib/verdict/statistics/pairwise.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

/* Up to this number of pairs a sorted list of them is faster than counting. */
enum { LISTED_PAIRS = 1024 };

struct pairs {
    const double *left, *right;
    size_t left_count, right_count;
    uint64_t total;
    /* Returns how many pairs are not above the limit. */
    uint64_t (*count_to)(const struct pairs *pairs, double limit);
    /* Writes all pairs. */
    void (*list)(const struct pairs *pairs, double *out);
};

static uint64_t count_differences(const struct pairs *pairs, double limit)
{
    uint64_t count = 0;
    size_t j = 0;

    for (size_t i = 0; i < pairs->left_count; i++) {
        while (j < pairs->right_count && pairs->right[j] - pairs->left[i] <= limit)
            j++;
        count += j;
    }
    return count;
}

static void list_differences(const struct pairs *pairs, double *out)
{
    for (size_t i = 0; i < pairs->left_count; i++)
        for (size_t j = 0; j < pairs->right_count; j++)
            *out++ = pairs->right[j] - pairs->left[i];
}

static double average(double a, double b)
{
    return a / 2 + b / 2; /* the sum could overflow */
}

static uint64_t count_averages(const struct pairs *pairs, double limit)
{
    const double *values = pairs->left;
    uint64_t count = 0;
    size_t end = pairs->left_count;

    for (size_t i = 0; i < end; i++) {
        while (end > i && average(values[i], values[end - 1]) > limit)
            end--;
        count += end - i;
    }
    return count;
}

static void list_averages(const struct pairs *pairs, double *out)
{
    for (size_t i = 0; i < pairs->left_count; i++)
        for (size_t j = i; j < pairs->left_count; j++)
            *out++ = average(pairs->left[i], pairs->left[j]);
}

static uint64_t count_distances(const struct pairs *pairs, double limit)
{
    const double *values = pairs->left;
    uint64_t count = 0;
    size_t first = 0;

    for (size_t j = 1; j < pairs->left_count; j++) {
        while (first < j && values[j] - values[first] > limit)
            first++;
        count += j - first;
    }
    return count;
}

static void list_distances(const struct pairs *pairs, double *out)
{
    for (size_t j = 1; j < pairs->left_count; j++)
        for (size_t i = 0; i < j; i++)
            *out++ = pairs->left[j] - pairs->left[i];
}

/* Maps doubles to integers of the same order and back, so that a search over the
 * integers visits at most 64 doubles. */
static int64_t order_of(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_at(int64_t order)
{
    int64_t bits = order < 0 ? INT64_MIN - order : order;
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns the k-th smallest pair: the least value that k pairs do not exceed. */
static double find_by_counting(const struct pairs *pairs, uint64_t k)
{
    int64_t low = order_of(-INFINITY), high = order_of(INFINITY);

    while (low < high) {
        int64_t middle =
            (int64_t)((uint64_t)low + ((uint64_t)high - (uint64_t)low) / 2);

        if (pairs->count_to(pairs, value_at(middle)) >= k)
            high = middle;
        else
            low = middle + 1;
    }
    return value_at(low);
}

/* Sorts a short list; several times faster than qsort() at these lengths. */
static void sort_list(double *values, size_t count)
{
    static const size_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};

    for (size_t g = 0; g < COUNT(gaps); g++)
        for (size_t i = gaps[g]; i < count; i++) {
            double value = values[i];
            size_t place = i;

            for (; place >= gaps[g] && values[place - gaps[g]] > value;
                 place -= gaps[g])
                values[place] = values[place - gaps[g]];
            values[place] = value;
        }
}

static struct pairwise_range describe(const struct pairs *pairs, uint64_t k)
{
    struct pairwise_range range = {NAN, NAN, NAN};
    uint64_t total = pairs->total;
    double list[LISTED_PAIRS];

    if (!total)
        return range;
    if (total <= LISTED_PAIRS) {
        pairs->list(pairs, list);
        sort_list(list, total);
        range.centre = average(list[(total - 1) / 2], list[total / 2]);
        if (k > 0 && k <= total) {
            range.low = list[k - 1];
            range.high = list[total - k];
        }
        return range;
    }
    range.centre = find_by_counting(pairs, (total + 1) / 2);
    if (total % 2 == 0)
        range.centre = average(range.centre, find_by_counting(pairs, total / 2 + 1));
    if (k > 0 && k <= total) {
        range.low = find_by_counting(pairs, k);
        range.high = find_by_counting(pairs, total - k + 1);
    }
    return range;
}

struct pairwise_range pairwise_differences(const double *base,
                                           size_t n,
                                           const double *fresh,
                                           size_t m,
                                           size_t k)
{
    struct pairs pairs = {.left = base,
                          .right = fresh,
                          .left_count = n,
                          .right_count = m,
                          .total = (uint64_t)n * m,
                          .count_to = count_differences,
                          .list = list_differences};

    return describe(&pairs, k);
}

struct pairwise_range pairwise_averages(const double *values, size_t count, size_t k)
{
    struct pairs pairs = {.left = values,
                          .left_count = count,
                          .total = (uint64_t)count * (count + 1) / 2,
                          .count_to = count_averages,
                          .list = list_averages};

    return describe(&pairs, k);
}

double pairwise_median_distance(const double *values, size_t count)
{
    struct pairs pairs = {.left = values,
                          .left_count = count,
                          .total = count ? (uint64_t)count * (count - 1) / 2 : 0,
                          .count_to = count_distances,
                          .list = list_distances};

    return describe(&pairs, 0).centre;
}
