/* The exact distribution: each way to choose m of n + m values is equally likely. The
 * midranks are doubled, so all sums are integers. counts[t][s] is the number of ways to
 * choose t of the values seen so far with the sum s; each value extends it by one step.
 * There are at most C(40, 20) = 1.4e11 ways, so 64 bits hold every count. */
#include "lib/verdict/statistics/rank_sum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/verdict/statistics/normal.h"

enum {
    PLACES = 512,         /* of the cache; a place holds 5 KiB on average for 20 + 20 */
    MOST = RANK_SUM_EXACT /* values in both samples */
};

struct distribution {
    unsigned n, m;    /* m is the count of the sample whose sum is distributed */
    uint64_t ties;    /* bit i: sorted value i equals value i + 1 */
    size_t top;       /* highest sum */
    uint64_t *shares; /* [top + 1]: ways with at most this sum */
};

struct rank_sum_cache {
    struct distribution places[PLACES];
    double interval_alpha;
    unsigned char intervals[MOST + 1][MOST + 1]; /* k + 1; 0: not computed yet */
};

struct rank_sum_cache *rank_sum_cache_create(void)
{
    return xcalloc(1, sizeof(struct rank_sum_cache));
}

void rank_sum_cache_destroy(struct rank_sum_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < PLACES; i++)
        free(cache->places[i].shares);
    free(cache);
}

/* Sets the doubled midranks of `total` sorted values with these ties. */
static void doubled_midranks(unsigned *ranks, unsigned total, uint64_t ties)
{
    for (unsigned first = 0, last; first < total; first = last + 1) {
        for (last = first; last + 1 < total && (ties >> last & 1); last++)
            ;
        for (unsigned i = first; i <= last; i++)
            ranks[i] = first + last + 2;
    }
}

/* Computes the distribution of the sum of m of n + m doubled midranks. */
static void distribution_compute(struct distribution *d)
{
    unsigned ranks[MOST], total = d->n + d->m;

    doubled_midranks(ranks, total, d->ties);
    d->top = 0;
    for (unsigned i = total - d->m; i < total; i++)
        d->top += ranks[i];
    size_t width = d->top + 1;
    uint64_t *counts = xcalloc((d->m + 1) * width, sizeof(*counts));
    counts[0] = 1;
    size_t highest = 0; /* sum of the m highest ranks so far */
    for (unsigned i = 0; i < total; i++) {
        unsigned taken = i < d->m ? i + 1 : d->m;

        highest += ranks[i] - (i >= d->m ? ranks[i - d->m] : 0);
        for (; taken > 0; taken--) {
            uint64_t *to = counts + taken * width;
            const uint64_t *from = to - width;

            for (size_t sum = ranks[i]; sum <= highest; sum++)
                to[sum] += from[sum - ranks[i]];
        }
    }
    d->shares = xmemdup(counts + d->m * width, width * sizeof(*counts));
    for (size_t sum = 1; sum < width; sum++)
        d->shares[sum] += d->shares[sum - 1];
    free(counts);
}

/* Returns the distribution from the cache, or computes it in place of another one. */
static const struct distribution *
cached(struct rank_sum_cache *cache, unsigned n, unsigned m, uint64_t ties)
{
    uint64_t hash = (ties * MOST + m) * MOST + n;

    hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15u;
    struct distribution *place = &cache->places[(hash >> 32) % PLACES];
    if (place->shares && place->n == n && place->m == m && place->ties == ties)
        return place;
    free(place->shares);
    *place = (struct distribution){.n = n, .m = m, .ties = ties};
    distribution_compute(place);
    return place;
}

struct value {
    double value;
    bool fresh;
};

static int by_value(const void *left, const void *right)
{
    const struct value *a = left, *b = right;

    return (a->value > b->value) - (a->value < b->value);
}

static void sort_values(struct value *values, size_t count)
{
    if (count > MOST) {
        qsort(values, count, sizeof(*values), by_value);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct value value = values[i];
        size_t place = i;

        for (; place > 0 && values[place - 1].value > value.value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

static struct rank_sum_p exact_test(struct rank_sum_cache *cache,
                                    const struct value *values,
                                    unsigned n,
                                    unsigned m)
{
    unsigned ranks[MOST], total = n + m;
    uint64_t ties = 0;
    size_t sum = 0, sum_of_others = 0;

    for (unsigned i = 0; i + 1 < total; i++)
        ties |= (uint64_t)(values[i].value == values[i + 1].value) << i;
    doubled_midranks(ranks, total, ties);
    for (unsigned i = 0; i < total; i++)
        *(values[i].fresh ? &sum : &sum_of_others) += ranks[i];
    /* The distribution of the smaller sample is the smaller table. */
    bool swapped = m > n;
    const struct distribution *d =
        swapped ? cached(cache, m, n, ties) : cached(cache, n, m, ties);
    size_t own = swapped ? sum_of_others : sum;
    double ways = (double)d->shares[d->top];
    double below = (double)d->shares[own] / ways;
    double above = (ways - (double)(own ? d->shares[own - 1] : 0)) / ways;
    return swapped ? (struct rank_sum_p){.above = below, .below = above}
                   : (struct rank_sum_p){.above = above, .below = below};
}

static struct rank_sum_p normal_test(const struct value *values, size_t n, size_t m)
{
    double total = (double)n + (double)m, sum = 0, ties = 0;

    for (size_t first = 0, last; first < n + m; first = last + 1) {
        size_t fresh = 0;

        for (last = first;
             last + 1 < n + m && values[last + 1].value == values[first].value; last++)
            ;
        for (size_t i = first; i <= last; i++)
            fresh += values[i].fresh;
        double same = (double)(last - first + 1);
        sum += (double)fresh * ((double)first + (double)last + 2) / 2;
        ties += same * same * same - same;
    }
    double mean = (double)m * (total + 1) / 2;
    double variance =
        (double)n * (double)m / 12 * (total + 1 - ties / (total * (total - 1)));
    if (!(variance > 0)) /* all values are equal */
        return (struct rank_sum_p){1, 1};
    double deviation = sqrt(variance);
    return (struct rank_sum_p){.above = normal_above((sum - mean - 0.5) / deviation),
                               .below = normal_above((mean - sum - 0.5) / deviation)};
}

struct rank_sum_p rank_sum_test(struct rank_sum_cache *cache,
                                const double *base,
                                size_t n,
                                const double *fresh,
                                size_t m)
{
    struct value few[MOST], *values = few;
    struct rank_sum_p p;

    if (!n || !m)
        return (struct rank_sum_p){1, 1};
    if (n > MOST || m > MOST || n + m > MOST)
        values = xreallocarray(NULL, n + m, sizeof(*values));
    for (size_t i = 0; i < n; i++)
        values[i] = (struct value){base[i], false};
    for (size_t i = 0; i < m; i++)
        values[n + i] = (struct value){fresh[i], true};
    sort_values(values, n + m);
    if (values == few)
        p = exact_test(cache, values, (unsigned)n, (unsigned)m);
    else
        p = normal_test(values, n, m);
    if (values != few)
        free(values);
    return p;
}

double rank_sum_probability(size_t n, size_t m, size_t u)
{
    assert(n + m <= RANK_SUM_EXACT);
    if (!n || !m)
        return 1;
    struct distribution d = {.n = (unsigned)n, .m = (unsigned)m};
    distribution_compute(&d);
    size_t sum = 2 * u + m * (m + 1); /* U = W - m (m + 1) / 2, and sums are doubled */
    double p = (double)d.shares[sum < d.top ? sum : d.top] / (double)d.shares[d.top];
    free(d.shares);
    return p;
}

static size_t exact_interval(size_t n, size_t m, double alpha)
{
    size_t k = 0;
    struct distribution d = {.n = (unsigned)n, .m = (unsigned)m};

    distribution_compute(&d);
    double ways = (double)d.shares[d.top];
    while (k < n * m && (double)d.shares[2 * k + m * (m + 1)] <= alpha * ways)
        k++;
    free(d.shares);
    return k;
}

size_t rank_sum_interval(struct rank_sum_cache *cache, size_t n, size_t m, double alpha)
{
    if (!n || !m)
        return 0;
    if (n > MOST || m > MOST || n + m > MOST) {
        double a = (double)n, b = (double)m;
        double k = a * b / 2 + normal_quantile(alpha) * sqrt(a * b * (a + b + 1) / 12);

        return k > 0 ? (size_t)k : 0;
    }
    if (cache->interval_alpha != alpha) {
        memset(cache->intervals, 0, sizeof(cache->intervals));
        cache->interval_alpha = alpha;
    }
    unsigned char *k = &cache->intervals[n][m];
    if (!*k)
        *k = (unsigned char)(exact_interval(n, m, alpha) + 1);
    return *k - 1u;
}
