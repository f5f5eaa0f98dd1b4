#include "lib/verdict/statistics/false_discovery.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"

struct entry {
    double p;
    size_t index;
};

static int by_p(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    return (a->p > b->p) - (a->p < b->p);
}

void false_discovery_adjust(const double *p, size_t count, double *adjusted)
{
    struct entry *entries = xreallocarray(NULL, count ? count : 1, sizeof(*entries));
    double least = 1;
    size_t family = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isnan(p[i]))
            entries[family++] = (struct entry){p[i], i};
        adjusted[i] = p[i];
    }
    qsort(entries, family, sizeof(*entries), by_p);
    for (size_t i = family; i-- > 0;) {
        double value = entries[i].p * (double)family / (double)(i + 1);

        least = value < least ? value : least;
        adjusted[entries[i].index] = least;
    }
    free(entries);
}

double false_discovery_dependence(size_t count)
{
    double sum = 0;

    for (size_t i = count; i > 0; i--)
        sum += 1 / (double)i;
    return sum;
}
