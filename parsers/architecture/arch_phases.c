#include "parsers/architecture/arch_phases.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const int64_t prefill_ns = 10000000, decode_ns = 1000000;

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static double queries_of(const struct arch_attention *row)
{
    return row->queries;
}

static double duration_of(const struct arch_attention *row)
{
    return (double)row->duration;
}

/* Divides the rows at the largest ratio between neighbouring values. Returns false when
 * it is below `least`. */
static bool divide(struct arch_attention *rows,
                   size_t count,
                   double (*value)(const struct arch_attention *),
                   double least)
{
    double *sorted = xcalloc(count, sizeof(*sorted)), most = 0, limit = 0;

    for (size_t i = 0; i < count; i++)
        sorted[i] = value(&rows[i]);
    qsort(sorted, count, sizeof(*sorted), compare_numbers);
    for (size_t i = 1; i < count && sorted[0] > 0; i++)
        if (sorted[i] / sorted[i - 1] > most) {
            most = sorted[i] / sorted[i - 1];
            limit = sorted[i];
        }
    free(sorted);
    if (most < least)
        return false;
    for (size_t i = 0; i < count; i++)
        rows[i].is_prefill = value(&rows[i]) >= limit;
    return true;
}

static double median_of(const struct arch_attention *rows,
                        size_t count,
                        double (*value)(const struct arch_attention *))
{
    double *sorted = xcalloc(count + 1, sizeof(*sorted)), median;

    for (size_t i = 0; i < count; i++)
        sorted[i] = value(&rows[i]);
    qsort(sorted, count, sizeof(*sorted), compare_numbers);
    median = count == 0       ? 0
             : count % 2 == 1 ? sorted[count / 2]
                              : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
    free(sorted);
    return median;
}

bool arch_phases_find(struct arch_attention *rows, size_t count)
{
    bool has_prefill = false, has_between = false, is_decode;

    for (size_t i = 0; i < count; i++) {
        rows[i].is_prefill = rows[i].duration > prefill_ns;
        has_prefill |= rows[i].is_prefill;
        has_between |= !rows[i].is_prefill && rows[i].duration >= decode_ns;
    }
    if (has_prefill && !has_between)
        return true;
    if (count == 0 || divide(rows, count, queries_of, 4) ||
        divide(rows, count, duration_of, 5))
        return false;
    is_decode = median_of(rows, count, duration_of) < (double)decode_ns;
    for (size_t i = 0; i < count; i++)
        rows[i].is_prefill = !is_decode;
    return false;
}

/* The median distance from one row to the next of the same phase. */
static double
median_distance(const struct arch_attention *rows, size_t count, bool is_prefill)
{
    struct arch_attention *distances = xcalloc(count + 1, sizeof(*distances));
    size_t used = 0;
    double median;

    for (size_t i = 1; i < count; i++)
        if (rows[i].is_prefill == is_prefill && rows[i - 1].is_prefill == is_prefill)
            distances[used++].duration = rows[i].start - rows[i - 1].start;
    median = median_of(distances, used, duration_of);
    free(distances);
    return median;
}

size_t arch_passes_find(const struct arch_attention *rows, size_t count, bool *begins)
{
    double prefill = median_distance(rows, count, true);
    double decode = median_distance(rows, count, false);
    bool any_prefill = false, any_sampling = false;
    size_t passes = 0;

    for (size_t i = 0; i < count; i++) {
        any_prefill |= rows[i].is_prefill;
        any_sampling |= i > 0 && rows[i].samples_before;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t distance = i > 0 ? rows[i].start - rows[i - 1].start : 0;

        begins[i] = i == 0;
        if (i > 0 && any_prefill)
            begins[i] = rows[i].is_prefill &&
                        (!rows[i - 1].is_prefill ||
                         ((double)distance > 3 * prefill && distance > 1000000));
        else if (i > 0)
            begins[i] =
                any_sampling ? rows[i].samples_before : (double)distance > 3 * decode;
        passes += begins[i];
    }
    return passes;
}
