#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"

/* Above these shares of the service time a group is idle: slightly, and much. */
static const double low_ratio = 0.10, high_ratio = 0.30;

static double known(double share)
{
    return isnan(share) ? 0 : share;
}

/* Adds the gaps of all steps and the shares of the host, weighted by length. */
static void sum_gaps(const struct analysis *analysis, struct step_group *group)
{
    double host = 0, sync = 0, comm = 0;

    for (size_t i = 0; i < group->count; i++) {
        const struct step *step = &analysis->steps[group->steps[i]];

        group->gap_total += step->significant_total;
        for (enum label label = 0; label < LABEL_COUNT; label++)
            group->label_time[label] += step->label_time[label];
        for (size_t j = 0; j < step->gap_count; j++) {
            const struct gap *gap = &analysis->gaps[step->first_gap + j];
            double length = (double)(gap->end - gap->start);

            host += known(gap->share.host) * length;
            sync += known(gap->share.sync) * length;
            comm += known(gap->share.comm) * length;
        }
    }
    if (group->gap_total > 0) {
        group->host_mean = host / (double)group->gap_total;
        group->sync_mean = sync / (double)group->gap_total;
        group->comm_mean = comm / (double)group->gap_total;
    }
}

/* Returns the tags that at least half of the steps have. */
static unsigned frequent_tags(const struct analysis *analysis,
                              const struct step_group *group)
{
    unsigned tags = 0;

    for (enum tag tag = 0; tag < TAG_COUNT; tag++) {
        size_t count = 0;

        for (size_t i = 0; i < group->count; i++)
            count += analysis->steps[group->steps[i]].tags >> tag & 1;
        if (count * 2 >= group->count)
            tags |= 1u << tag;
    }
    return tags;
}

/* Hashes of the kernels of a step and of their shapes. */
struct shape {
    uint64_t kernels, shapes;
};

static int compare_shapes(const void *a, const void *b)
{
    const struct shape *left = a, *right = b;

    if (left->kernels != right->kernels)
        return left->kernels < right->kernels ? -1 : 1;
    return left->shapes < right->shapes ? -1 : left->shapes > right->shapes;
}

/* Returns true when two steps run the same kernels with different shapes. */
static bool has_variable_shapes(const struct analysis *analysis,
                                const struct step_group *group)
{
    struct shape *shapes;
    bool found = false;

    if (!analysis->has_shapes || group->count < 2)
        return false;
    shapes = xcalloc(group->count, sizeof(*shapes));
    for (size_t i = 0; i < group->count; i++) {
        const struct step *step = &analysis->steps[group->steps[i]];

        shapes[i] = (struct shape){step->template_hash, step->shape_hash};
    }
    qsort(shapes, group->count, sizeof(*shapes), compare_shapes);
    for (size_t i = 1; i < group->count && !found; i++)
        found = shapes[i].kernels == shapes[i - 1].kernels &&
                shapes[i].shapes != shapes[i - 1].shapes;
    free(shapes);
    return found;
}

static unsigned tags_of_group(const struct analysis *analysis,
                              const struct step_group *group)
{
    unsigned tags = frequent_tags(analysis, group);
    bool underfed = group->metrics[METRIC_UNDERFEED_RATIO].average >= high_ratio;
    bool recurring = group->count > 1 && group->is_recurring;

    if (group->is_recurring_significant)
        tags |= 1u << TAG_RECURRING_BUBBLE_PATTERN;
    if (underfed && recurring && (group->host_mean >= 0.10 || group->sync_mean >= 0.20))
        tags |= 1u << TAG_HOST_ORIGINATED_RISK;
    if (underfed && recurring &&
        (!analysis->input->has_trace || group->host_mean < 0.05))
        tags |= 1u << TAG_UNTRACED_HOST_BLOCKING_RISK;
    if (has_variable_shapes(analysis, group))
        tags |= 1u << TAG_VARIABLE_SHAPE_SAME_TEMPLATE;
    return tags;
}

static enum severity severity_of(double ratio, unsigned tags, bool recurring)
{
    if (ratio >= high_ratio)
        return recurring ? SEVERITY_HIGH : SEVERITY_MEDIUM;
    if (ratio < low_ratio && !(tags & 1u << TAG_INTERNAL_BUBBLE_HEAVY))
        return SEVERITY_NONE;
    return tags & TAGS_HEAVY ? SEVERITY_MEDIUM : SEVERITY_LOW;
}

static void judge_steps(struct analysis *analysis, const struct step_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        struct step *step = &analysis->steps[group->steps[i]];

        step->severity = severity_of(bubbles_underfeed_ratio(&step->bubbles),
                                     step->tags, group->is_recurring_significant);
        for (size_t j = 0; j < step->ops.count; j++)
            if (step->ops.rows[j].aicpu == AICPU_EXPOSED &&
                step->ops.rows[j].exposed_in_gap && step->severity > SEVERITY_NONE &&
                step->severity < SEVERITY_HIGH) {
                step->severity++;
                break;
            }
    }
}

static enum severity host_risk_of(const struct step_group *group)
{
    if (group->metrics[METRIC_UNDERFEED_RATIO].average < high_ratio)
        return SEVERITY_LOW;
    return group->host_mean >= 0.10 && group->sync_mean >= 0.20 ? SEVERITY_HIGH
                                                                : SEVERITY_MEDIUM;
}

static enum label leading_label(const struct step_group *group)
{
    enum label leading = 0;

    for (enum label label = 1; label < LABEL_COUNT; label++)
        if (group->label_time[label] > group->label_time[leading])
            leading = label;
    return leading;
}

static bool needs_followup(const struct analysis *analysis,
                           const struct step_group *group)
{
    enum label leading = leading_label(group);
    bool weak = leading == LABEL_UNTRACED || leading == LABEL_INSUFFICIENT ||
                group->label_time[leading] * 5 < group->gap_total;

    if (!group->has_hidden_issue)
        return false;
    return (group->severity == SEVERITY_HIGH && weak) || !analysis->has_stacks ||
           (!analysis->has_shapes && analysis->group_count > 1) ||
           group->tags & 1u << TAG_WAIT_POLLUTION_RISK;
}

static bool has_polluted_top(const struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->step_count; i++)
        if (analysis->steps[i].tags & 1u << TAG_WAIT_POLLUTION_RISK)
            return true;
    return false;
}

static enum confidence confidence_of(const struct analysis *analysis)
{
    const struct kernel_list *kernels = &analysis->input->kernels;
    enum step_source source = analysis->windows.source;
    int level = CONFIDENCE_HIGH;

    level -= analysis->input->has_trace ? 0 : 2;
    level -= !analysis->has_stacks;
    level -= analysis->step_count == 1 || source == STEP_SOURCE_PSEUDO;
    level -= !analysis->has_shapes && analysis->group_count > 1;
    level -= kernels->rows_skipped * 100 > kernels->rows_read;
    level -= has_polluted_top(analysis);
    level -= source != STEP_SOURCE_MARKER;
    return level > CONFIDENCE_LOW ? (enum confidence)level : CONFIDENCE_LOW;
}

void analysis_decide(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->group_count; i++) {
        struct step_group *group = &analysis->groups[i];

        sum_gaps(analysis, group);
        group->tags = tags_of_group(analysis, group);
        group->severity = severity_of(group->metrics[METRIC_UNDERFEED_RATIO].average,
                                      group->tags, group->is_recurring_significant);
        group->has_hidden_issue = group->severity != SEVERITY_NONE;
        judge_steps(analysis, group);
        for (size_t j = 0; j < group->count; j++)
            if (analysis->steps[group->steps[j]].severity > group->severity &&
                group->severity != SEVERITY_NONE && group->count == 1)
                group->severity = analysis->steps[group->steps[j]].severity;
        group->host_risk = host_risk_of(group);
        group->requires_followup = needs_followup(analysis, group);
        group->requires_host_followup =
            !analysis->input->has_trace ||
            group->tags & 1u << TAG_UNTRACED_HOST_BLOCKING_RISK;
        analysis->requires_host_followup |= group->requires_host_followup;
    }
    analysis->confidence = confidence_of(analysis);
}
