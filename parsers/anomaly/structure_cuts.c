#include "parsers/anomaly/structure_cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/busy_time/bubbles.h"

enum { REPEATS_MIN = 3, GAPS_MIN = 2 };
static const double unevenness_max = 0.5; /* standard deviation / mean of distances */

/* Where a token occurs. */
struct repeat {
    uint32_t token;
    size_t first, last, count;
    double sum, squares; /* of the distances between neighbours */
};

static double unevenness(const struct repeat *repeat)
{
    double n = (double)(repeat->count - 1), mean = repeat->sum / n;
    double variance = repeat->squares / n - mean * mean;

    return mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : 0;
}

/* The share of the kernels' time in the segments that the token starts. */
static double share_of(const struct cut_step *step, const struct repeat *repeat)
{
    int64_t all = 0, inside = 0;

    for (size_t i = 0; i < step->count; i++) {
        int64_t duration = kernel_duration(&step->kernels->rows[step->rows[i]]);

        all += duration;
        if (i >= repeat->first)
            inside += duration;
    }
    return all > 0 ? (double)inside / (double)all : 0;
}

/* Collects the tokens in the order of their first occurrence. */
static struct repeat *find_repeats(const struct cut_step *step, size_t *count)
{
    struct repeat *repeats = xcalloc(step->count + 1, sizeof(*repeats));
    uint32_t *place = xcalloc(names_count(step->kernels->names) + 1, sizeof(*place));

    *count = 0;
    for (size_t i = 0; i < step->count; i++) {
        uint32_t token = step->tokens[i];
        struct repeat *repeat;

        if (!place[token]) {
            repeats[*count] = (struct repeat){.token = token, .first = i};
            place[token] = (uint32_t)++ * count;
        }
        repeat = &repeats[place[token] - 1];
        if (repeat->count++ > 0) {
            double distance = (double)(i - repeat->last);

            repeat->sum += distance;
            repeat->squares += distance * distance;
        }
        repeat->last = i;
    }
    free(place);
    return repeats;
}

size_t structure_cuts_by_repetition(const struct cut_step *step, bool *is_start)
{
    size_t count, starts = 0;
    struct repeat *repeats = find_repeats(step, &count);
    const struct repeat *best = NULL;
    double most = 0;

    for (size_t i = 0; i < count; i++) {
        double score;

        if (repeats[i].count < REPEATS_MIN)
            continue;
        score = (double)repeats[i].count / (1 + unevenness(&repeats[i])) *
                share_of(step, &repeats[i]);
        if (score > most) {
            most = score;
            best = &repeats[i];
        }
    }
    if (best && unevenness(best) <= unevenness_max)
        for (size_t i = 0; i < step->count; i++)
            if (step->tokens[i] == best->token) {
                is_start[i] = true;
                starts++;
            }
    free(repeats);
    return starts;
}

static int compare_lengths(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return left < right ? -1 : left > right;
}

/* Returns the value at the share q of sorted values, between two of them if need be. */
static double quantile(const int64_t *sorted, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t low = (size_t)place;
    double part = place - (double)low;

    return count == 0 ? 0
           : low + 1 < count
               ? (double)sorted[low] * (1 - part) + (double)sorted[low + 1] * part
               : (double)sorted[low];
}

/* The idle time before each kernel. */
static int64_t *gaps_of(const struct cut_step *step)
{
    int64_t *gaps = xcalloc(step->count + 1, sizeof(*gaps)), end = 0;

    for (size_t i = 0; i < step->count; i++) {
        const struct kernel *kernel = &step->kernels->rows[step->rows[i]];

        if (i > 0 && kernel->start > end)
            gaps[i] = kernel->start - end;
        if (i == 0 || kernel->end > end)
            end = kernel->end;
    }
    return gaps;
}

/* Returns the length from which a gap divides the step. */
static double dividing_length(const struct cut_step *step, const int64_t *gaps)
{
    int64_t *sorted = xcalloc(step->count + 1, sizeof(*sorted));
    int64_t least = 0, all;
    size_t count = 0, first = 0;
    double length;

    for (size_t i = 0; i < step->count; i++)
        if (gaps[i] > 0)
            sorted[count++] = gaps[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), compare_lengths);
    all = step->count > 0 ? step->kernels->rows[step->rows[step->count - 1]].end -
                                step->kernels->rows[step->rows[0]].start
                          : 0;
    least = bubbles_significant_ns(all);
    while (first < count && sorted[first] < least)
        first++;
    length = fmax(5 * quantile(sorted + first, count - first, 0.5),
                  3 * quantile(sorted, count, 0.9));
    length = fmax(length, (double)least);
    free(sorted);
    return length;
}

/* Returns the most common pair of tokens around gaps of at least this length. */
static uint64_t
common_pair(const struct cut_step *step, const int64_t *gaps, double least)
{
    int64_t *pairs = xcalloc(step->count + 1, sizeof(*pairs));
    size_t count = 0, most = 0;
    uint64_t best = 0;

    for (size_t i = 1; i < step->count; i++)
        if ((double)gaps[i] >= least)
            pairs[count++] =
                (int64_t)((uint64_t)step->tokens[i - 1] << 32 | step->tokens[i]);
    if (count > 0)
        qsort(pairs, count, sizeof(*pairs), compare_lengths);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && pairs[next] == pairs[i];)
            next++;
        if (next - i > most) {
            most = next - i;
            best = (uint64_t)pairs[i];
        }
    }
    free(pairs);
    return best;
}

size_t structure_cuts_by_gaps(const struct cut_step *step, bool *is_start)
{
    int64_t *gaps = gaps_of(step);
    double least = dividing_length(step, gaps);
    uint64_t usual = common_pair(step, gaps, 1);
    size_t starts = 0;

    for (size_t i = 1; i < step->count; i++)
        if (gaps[i] > 0 && (double)gaps[i] >= least &&
            ((uint64_t)step->tokens[i - 1] << 32 | step->tokens[i]) != usual) {
            is_start[i] = true;
            starts++;
        }
    free(gaps);
    if (starts < GAPS_MIN) {
        memset(is_start, 0, step->count * sizeof(*is_start));
        return 0;
    }
    is_start[0] = true;
    return starts + 1;
}
