#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "parsers/anomaly/analysis_internal.h"
#include "parsers/anomaly/templates.h"

enum { BINS = 20 }; /* a position bin is 5 % of the service time */

/* The tokens of a step without shadows. */
struct sequence {
    uint32_t *tokens;
    size_t count;
};

static struct sequence sequence_of(const struct analysis *analysis,
                                   const struct step *step)
{
    struct sequence sequence = {
        .tokens = xcalloc(step->window.count + 1, sizeof(*sequence.tokens))};

    for (size_t i = 0; i < step->window.count; i++)
        if (analysis->tokens[step->window.first + i])
            sequence.tokens[sequence.count++] =
                analysis->tokens[step->window.first + i];
    return sequence;
}

static void class_shares(const struct analysis *analysis,
                         const struct step *step,
                         double shares[UNIT_CLASS_COUNT])
{
    for (size_t i = 0; i < UNIT_CLASS_COUNT; i++)
        shares[i] = 0;
    for (size_t i = 0; i < step->window.count; i++) {
        const struct kernel *kernel =
            &analysis->input->kernels.rows[step->window.first + i];

        if (!kernel->is_shadow && step->kernel_sum > 0)
            shares[kernel->unit_class] +=
                (double)kernel_duration(kernel) / (double)step->kernel_sum;
    }
}

static bool
is_alike(const struct analysis *analysis, const struct step *a, const struct step *b)
{
    size_t more = a->window.count > b->window.count ? a->window.count : b->window.count;
    size_t fewer = a->window.count + b->window.count - more;
    double shares[2][UNIT_CLASS_COUNT], difference = 0, likeness;
    struct sequence left, right;

    if (a->template_hash == b->template_hash && a->window.count == b->window.count)
        return true;
    if ((more - fewer) * 20 > more)
        return false;
    class_shares(analysis, a, shares[0]);
    class_shares(analysis, b, shares[1]);
    for (size_t i = 0; i < UNIT_CLASS_COUNT; i++)
        difference += fabs(shares[0][i] - shares[1][i]);
    if (difference > 0.20)
        return false;
    left = sequence_of(analysis, a);
    right = sequence_of(analysis, b);
    likeness = template_likeness(left.tokens, left.count, right.tokens, right.count);
    free(left.tokens);
    free(right.tokens);
    return likeness >= 0.90;
}

/* Adds the step to the first group whose first step is like it. */
static void assign(struct analysis *analysis, size_t index)
{
    struct step_group *group;
    size_t i = 0;

    while (i < analysis->group_count &&
           !is_alike(analysis, &analysis->steps[analysis->groups[i].steps[0]],
                     &analysis->steps[index]))
        i++;
    if (i == analysis->group_count) {
        analysis->groups =
            xreallocarray(analysis->groups, i + 1, sizeof(*analysis->groups));
        analysis->groups[analysis->group_count++] = (struct step_group){0};
    }
    group = &analysis->groups[i];
    group->steps = xreallocarray(group->steps, group->count + 1, sizeof(*group->steps));
    group->steps[group->count++] = index;
    group->service_total += analysis->steps[index].bubbles.service;
}

static int compare_groups(const void *a, const void *b)
{
    const struct step_group *left = a, *right = b;

    if (left->service_total != right->service_total)
        return left->service_total > right->service_total ? -1 : 1;
    return left->steps[0] < right->steps[0] ? -1 : 1;
}

static double metric_of(const struct step *step, enum group_metric metric)
{
    const struct bubbles *bubbles = &step->bubbles;

    switch (metric) {
    case METRIC_SERVICE:
        return ns_to_ms(bubbles->service);
    case METRIC_BUSY:
        return ns_to_ms(bubbles->busy);
    case METRIC_UNDERFEED_RATIO:
        return bubbles_underfeed_ratio(bubbles);
    case METRIC_PRELAUNCH:
        return ns_to_ms(bubbles->prelaunch);
    case METRIC_TAIL:
        return ns_to_ms(bubbles->tail);
    case METRIC_INTERNAL:
        return ns_to_ms(bubbles->internal);
    case METRIC_LARGEST:
        return ns_to_ms(bubbles->largest);
    case GROUP_METRIC_COUNT:
        break;
    }
    return 0;
}

static void compute_statistics(const struct analysis *analysis,
                               struct step_group *group)
{
    double *values = xcalloc(group->count, sizeof(*values));

    for (enum group_metric metric = 0; metric < GROUP_METRIC_COUNT; metric++) {
        for (size_t i = 0; i < group->count; i++)
            values[i] = metric_of(&analysis->steps[group->steps[i]], metric);
        group->metrics[metric] = (struct group_statistics){
            .average = stats_mean(values, group->count),
            .median = stats_median(values, group->count),
            .p90 = stats_quantile(values, group->count, 0.90),
            .p95 = stats_quantile(values, group->count, 0.95),
        };
    }
    free(values);
}

/* Returns true when `part` is at least 60 % of `all`. */
static bool is_most(size_t part, size_t all)
{
    return all > 0 && part * 5 >= all * 3;
}

static uint64_t position_pair(const struct analysis *analysis, const struct gap *gap)
{
    uint32_t before =
        gap->previous_count > 0 ? analysis->tokens[analysis->by_end[gap->previous]] : 0;
    uint32_t after = gap->next_count > 0 ? analysis->tokens[gap->next] : 0;

    return (uint64_t)before << 32 | after;
}

static bool has_stable_bin(const struct analysis *analysis,
                           const struct step_group *group)
{
    size_t steps[BINS] = {0};

    for (size_t i = 0; i < group->count; i++) {
        const struct step *step = &analysis->steps[group->steps[i]];
        bool seen[BINS + 2] = {false};

        for (size_t j = 0; j < step->gap_count; j++) {
            const struct gap *gap = &analysis->gaps[step->first_gap + j];
            double middle = ((double)(gap->start - step->window.start) +
                             (double)(gap->end - step->window.start)) /
                            (2 * (double)step->bubbles.service);
            int bin = (int)(middle * BINS);

            if (bin >= 0 && bin < BINS)
                seen[bin] = seen[bin + 1] = seen[bin + 2] = true;
        }
        for (size_t bin = 0; bin < BINS; bin++)
            steps[bin] += seen[bin + 1];
    }
    for (size_t bin = 0; bin < BINS; bin++)
        if (is_most(steps[bin], group->count))
            return true;
    return false;
}

static int compare_pairs(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* Returns the different pairs of tokens around the gaps of a step, sorted. */
static size_t
step_pairs(const struct analysis *analysis, const struct step *step, uint64_t *pairs)
{
    size_t kept = 0;

    for (size_t i = 0; i < step->gap_count; i++)
        pairs[i] = position_pair(analysis, &analysis->gaps[step->first_gap + i]);
    qsort(pairs, step->gap_count, sizeof(*pairs), compare_pairs);
    for (size_t i = 0; i < step->gap_count; i++)
        if (kept == 0 || pairs[kept - 1] != pairs[i])
            pairs[kept++] = pairs[i];
    return kept;
}

static bool has_stable_pair(const struct analysis *analysis,
                            const struct step_group *group)
{
    uint64_t *pairs = xcalloc(analysis->gap_count + 1, sizeof(*pairs));
    size_t used = 0;
    bool found = false;

    for (size_t i = 0; i < group->count; i++)
        used += step_pairs(analysis, &analysis->steps[group->steps[i]], pairs + used);
    qsort(pairs, used, sizeof(*pairs), compare_pairs);
    for (size_t i = 0, next; i < used && !found; i = next) {
        for (next = i; next < used && pairs[next] == pairs[i];)
            next++;
        found = is_most(next - i, group->count);
    }
    free(pairs);
    return found;
}

static void find_recurrence(const struct analysis *analysis, struct step_group *group)
{
    size_t any = 0, significant = 0;

    for (size_t i = 0; i < group->count; i++) {
        any += analysis->steps[group->steps[i]].bubbles.count > 0;
        significant += analysis->steps[group->steps[i]].significant_count > 0;
    }
    group->is_recurring = is_most(any, group->count);
    group->is_recurring_significant =
        group->count > 1 && is_most(significant, group->count) &&
        (has_stable_bin(analysis, group) || has_stable_pair(analysis, group));
}

/* Returns the average of tail and next prelaunch gap of adjacent steps, in ms, or -1.
 */
static double adjacent_gap(const struct analysis *analysis,
                           const struct step_group *group)
{
    double tail = 0, prelaunch = 0;
    size_t count = 0;

    for (size_t i = 1; i < group->count; i++) {
        if (group->steps[i] != group->steps[i - 1] + 1)
            continue;
        tail += ns_to_ms(analysis->steps[group->steps[i - 1]].bubbles.tail);
        prelaunch += ns_to_ms(analysis->steps[group->steps[i]].bubbles.prelaunch);
        count++;
    }
    return tail > 0 && prelaunch > 0 ? (tail + prelaunch) / (double)count : -1;
}

enum idle_pattern analysis_idle_pattern(double service,
                                        double prelaunch,
                                        double tail,
                                        double internal,
                                        double adjacent)
{
    double largest = fmax(prelaunch, fmax(tail, internal));
    double smallest = fmin(prelaunch, fmin(tail, internal));
    double second = prelaunch + tail + internal - largest - smallest;

    if (prelaunch + tail + internal < 0.005 * service || largest <= 0)
        return IDLE_NONE;
    if (adjacent >= 3 * internal && adjacent > 0)
        return IDLE_INTER_STEP;
    if (second >= 0.8 * largest)
        return IDLE_MIXED;
    if (prelaunch >= largest)
        return IDLE_PRELAUNCH;
    return tail >= largest ? IDLE_TAIL : IDLE_INTERNAL;
}

void analysis_group_steps(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->step_count; i++)
        assign(analysis, i);
    qsort(analysis->groups, analysis->group_count, sizeof(*analysis->groups),
          compare_groups);
    for (size_t i = 0; i < analysis->group_count; i++) {
        struct step_group *group = &analysis->groups[i];

        for (size_t j = 0; j < group->count; j++)
            analysis->steps[group->steps[j]].group = i;
        compute_statistics(analysis, group);
        find_recurrence(analysis, group);
        group->idle = analysis_idle_pattern(group->metrics[METRIC_SERVICE].average,
                                            group->metrics[METRIC_PRELAUNCH].average,
                                            group->metrics[METRIC_TAIL].average,
                                            group->metrics[METRIC_INTERNAL].average,
                                            adjacent_gap(analysis, group));
    }
}
