#include "parsers/capture_report/step_figures.h"

#include <math.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis.h"

/* A group, and the means of its steps that have no statistics of the group; in us. */
struct place {
    const struct step_group *group;
    double compute, comm, overlap, waiting;
};

static double us_of(const struct place *is, enum group_metric metric)
{
    return is->group->metrics[metric].average * 1000;
}

static double transfer(const struct place *is)
{
    return fmax(is->comm - is->overlap - is->waiting, 0);
}

#define READ(name, expression)                                                         \
    static double read_##name(const struct place *is)                                  \
    {                                                                                  \
        return (double)(expression);                                                   \
    }

READ(service, us_of(is, METRIC_SERVICE))
READ(compute, is->compute)
READ(transfer, transfer(is))
READ(wait, us_of(is, METRIC_SERVICE) - is->compute - transfer(is))
READ(steps, is->group->count)
READ(busy, us_of(is, METRIC_BUSY) / us_of(is, METRIC_SERVICE))
READ(p95, is->group->metrics[METRIC_SERVICE].p95 * 1000)
READ(prelaunch, us_of(is, METRIC_PRELAUNCH))
READ(internal, us_of(is, METRIC_INTERNAL))
READ(tail, us_of(is, METRIC_TAIL))
READ(largest, us_of(is, METRIC_LARGEST))
READ(comm, is->comm)
READ(overlap, is->overlap)
READ(comm_wait, is->waiting)

static const struct row {
    struct step_metric metric;
    double (*read)(const struct place *is);
} rows[] = {
    {{"duration_us", "us", "mean service time of a step of the group"}, read_service},
    {{"compute_us", "us", "part of it in which the device computes"}, read_compute},
    {{"transfer_us", "us",
      "part of it in which the device only communicates and does "
      "not wait for other ranks"},
     read_transfer},
    {{"wait_us", "us", "the rest: the device is idle, or waits for other ranks"},
     read_wait},
    {{"step_count", "count", "steps of the group"}, read_steps},
    {{"step_busy_ratio", "ratio",
      "part of the service time in which the device is "
      "busy"},
     read_busy},
    {{"step_p95_us", "us", "95th percentile of the service time"}, read_p95},
    {{"step_prelaunch_us", "us", "idle time before the first kernel of a step"},
     read_prelaunch},
    {{"step_internal_us", "us", "idle time between kernels of a step"}, read_internal},
    {{"step_tail_us", "us", "idle time after the last kernel of a step"}, read_tail},
    {{"step_largest_gap_us", "us", "longest idle time between two kernels of a step"},
     read_largest},
    {{"step_comm_us", "us", "time of communication in a step"}, read_comm},
    {{"step_comm_overlap_us", "us", "part of it that computation hides"}, read_overlap},
    {{"step_comm_wait_us", "us",
      "time in collectives in which the rank waits for "
      "others"},
     read_comm_wait},
};

const struct step_metric *step_metric_at(size_t index)
{
    static const struct step_metric tags = {
        STEP_TAG_PREFIX "*", "count",
        "steps of the group with this tag of anomaly_discovery.json"};

    return index < COUNT(rows)    ? &rows[index].metric
           : index == COUNT(rows) ? &tags
                                  : NULL;
}

static void each_tag(const struct analysis *analysis,
                     const struct step_group *group,
                     step_figure_fn *fn,
                     void *arg)
{
    for (enum tag tag = 0; tag < TAG_COUNT; tag++) {
        char metric[64];
        size_t steps = 0;

        for (size_t i = 0; i < group->count; i++)
            steps += analysis->steps[group->steps[i]].tags >> tag & 1;
        if (steps == 0 && group->tags >> tag & 1)
            steps = group->count; /* a tag of the group as a whole */
        if (steps == 0)
            continue;
        snprintf(metric, sizeof(metric), STEP_TAG_PREFIX "%s", tag_name(tag));
        fn(&(struct step_figure){metric, (double)steps, "count"}, arg);
    }
}

void step_figures_each(const struct analysis *analysis,
                       size_t group,
                       step_figure_fn *fn,
                       void *arg)
{
    struct place place = {.group = &analysis->groups[group]};

    for (size_t i = 0; i < place.group->count; i++) {
        const struct step *step = &analysis->steps[place.group->steps[i]];
        double share = 1000 * (double)place.group->count;

        place.compute += (double)step->compute / share;
        place.comm += (double)step->comm / share;
        place.overlap += (double)step->overlap / share;
        place.waiting += step->comm_times.wait_ms * 1000 / (double)place.group->count;
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        double value = rows[i].read(&place);

        if (isfinite(value))
            fn(&(struct step_figure){rows[i].metric.metric, value, rows[i].metric.unit},
               arg);
    }
    each_tag(analysis, place.group, fn, arg);
}
