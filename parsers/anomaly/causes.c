#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"

static enum confidence
confidence_of(enum label label, double share, double host, bool has_stacks)
{
    bool is_vague = label == LABEL_UNTRACED || label == LABEL_INSUFFICIENT;

    if (share >= 0.5 && host >= 0.5 && has_stacks && !is_vague)
        return CONFIDENCE_HIGH;
    return share >= 0.2 ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
}

static void add(struct analysis *analysis, struct cause cause)
{
    cause.confidence =
        confidence_of(cause.label, cause.share, cause.host_mean, analysis->has_stacks);
    analysis->causes = xreallocarray(analysis->causes, analysis->cause_count + 1,
                                     sizeof(*analysis->causes));
    analysis->causes[analysis->cause_count++] = cause;
}

/* Returns true when the label has the largest share of this group. */
static bool leads(const struct step_group *group, enum label label)
{
    for (enum label other = 0; other < LABEL_COUNT; other++)
        if (group->label_time[other] > group->label_time[label])
            return false;
    return group->label_time[label] > 0;
}

/* Adds the label that leads in all groups that have gaps. */
static void add_global(struct analysis *analysis, enum label label)
{
    struct cause cause = {.label = label, .group = CAUSE_GLOBAL};
    int64_t all = 0;

    for (size_t i = 0; i < analysis->group_count; i++) {
        const struct step_group *group = &analysis->groups[i];
        double weight = (double)group->gap_total;

        if (group->gap_total == 0)
            continue;
        if (!leads(group, label))
            return;
        all += group->gap_total;
        cause.total += group->label_time[label];
        cause.host_mean += group->host_mean * weight;
        cause.sync_mean += group->sync_mean * weight;
        cause.comm_mean += group->comm_mean * weight;
    }
    if (all == 0)
        return;
    cause.share = (double)cause.total / (double)all;
    cause.host_mean /= (double)all;
    cause.sync_mean /= (double)all;
    cause.comm_mean /= (double)all;
    add(analysis, cause);
}

static int compare(const void *a, const void *b)
{
    const struct cause *left = a, *right = b;

    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    return (int)left->label - (int)right->label;
}

void analysis_find_causes(struct analysis *analysis)
{
    for (enum label label = 0; label < LABEL_COUNT; label++)
        add_global(analysis, label);
    for (size_t i = 0; i < analysis->group_count; i++) {
        const struct step_group *group = &analysis->groups[i];

        for (enum label label = 0; label < LABEL_COUNT; label++)
            if (group->label_time[label] > 0)
                add(analysis, (struct cause){.label = label,
                                             .group = (long)i,
                                             .share = (double)group->label_time[label] /
                                                      (double)group->gap_total,
                                             .total = group->label_time[label],
                                             .host_mean = group->host_mean,
                                             .sync_mean = group->sync_mean,
                                             .comm_mean = group->comm_mean});
    }
    if (analysis->cause_count > 0)
        qsort(analysis->causes, analysis->cause_count, sizeof(*analysis->causes),
              compare);
}
