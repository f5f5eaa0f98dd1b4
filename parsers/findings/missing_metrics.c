#include "parsers/findings/missing_metrics.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/findings/findings.h"

/* Metrics that only a kernel on the cores has. */
static const struct {
    unsigned metric;
    const char *name;
} of_kernels[] = {
    {METRIC_OCCUPANCY, "Occupancy"},          {METRIC_ROOFLINE, "Roofline"},
    {METRIC_MEMORY_DETAIL, "MemoryDetail"},   {METRIC_SOURCE, "Source"},
    {METRIC_PC_SAMPLING, "PcSampling"},       {METRIC_PIPE_TIMELINE, "PipeTimeline"},
    {METRIC_INSTR_TIMELINE, "InstrTimeline"}, {METRIC_KERNEL_SCALE, "KernelScale"},
};

/* Returns the metrics of the job; PcSampling selects Source too. */
static unsigned named_metrics(const struct source_launch *launch)
{
    return launch->metrics & METRIC_PC_SAMPLING
               ? launch->metrics & ~(unsigned)METRIC_SOURCE
               : launch->metrics;
}

static bool communicates(const struct source_launch *launch)
{
    return launch->info.is_mc2 || launch->info.is_lccl || launch->barriers.count > 0;
}

static const char *reason_of(const struct source_launch *launch, unsigned metric)
{
    if (metric == METRIC_PIPE_TIMELINE)
        return communicates(launch) ? "the pipes of a kernel that communicates with "
                                      "other ranks are not recorded"
                                    : "the first six cores sent no records";
    if (metric == METRIC_PC_SAMPLING && !launch->info.has_simt)
        return "the kernel does not run as threads (SIMT)";
    if (metric == METRIC_PC_SAMPLING)
        return "the first six cores sent no samples";
    return communicates(launch)
               ? "a kernel that communicates with other ranks cannot be instrumented"
               : "the instrumented kernel did not run to its end";
}

/* The launch has no data of these metrics, which users named. */
static void
note(struct findings *findings, const char *names, size_t count, const char *reason)
{
    source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                "metric%s %s %s missing: %s; remove %s from profile.metrics or measure "
                "another kernel",
                count > 1 ? "s" : "", names, count > 1 ? "are" : "is", reason,
                count > 1 ? "them" : "it");
}

/* Adds a note for each reason, with all metrics that it concerns. */
static void note_each_reason(struct findings *findings, unsigned missing)
{
    for (size_t i = 0; i < COUNT(of_kernels); i++) {
        const char *reason = reason_of(findings->launch, of_kernels[i].metric);
        struct text names = {0};
        size_t count = 0;

        for (size_t k = i; k < COUNT(of_kernels); k++) {
            if (!(missing & of_kernels[k].metric) ||
                strcmp(reason_of(findings->launch, of_kernels[k].metric), reason) != 0)
                continue;
            text_printf(&names, "%s'%s'", count++ ? ", " : "", of_kernels[k].name);
            missing &= ~of_kernels[k].metric;
        }
        if (count)
            note(findings, text_get(&names), count, reason);
        text_clear(&names);
    }
}

/* KernelScale counts nothing in a kernel without MetricsProfStart. */
static void note_nothing_counted(struct findings *findings)
{
    const struct pmu *pmu = findings->pmu;
    uint64_t cycles = 0;

    if (!(findings->launch->metrics & METRIC_KERNEL_SCALE) ||
        findings->launch->is_range)
        return; /* the launches of a range have the counters */
    for (size_t i = 0; i < pmu_row_count(pmu); i++)
        cycles += pmu_row(pmu, i)->cycles;
    if (cycles == 0)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "metric 'KernelScale' counted nothing: the kernel marks no part "
                    "with MetricsProfStart and MetricsProfStop; mark one, or remove "
                    "the metric");
}

/* A collective or a message has a duration, and no counters. */
static void note_without_kernel(struct findings *findings, bool rank_has_kernels)
{
    static const char reason[] = "a communication call runs no kernel on the cores";
    const unsigned metrics = named_metrics(findings->launch);
    struct text names = {0};
    size_t count = 0;

    for (size_t i = 0; i < COUNT(of_kernels); i++)
        if (metrics & of_kernels[i].metric)
            text_printf(&names, "%s'%s'", count++ ? ", " : "", of_kernels[i].name);
    if (count && !rank_has_kernels)
        note(findings, text_get(&names), count, reason);
    else if (count)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK, "without %s: %s",
                    text_get(&names), reason);
    else if (metrics & METRIC_TABLES)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "without counters: %s", reason);
    text_clear(&names);
}

void missing_metrics_note(struct findings *findings, bool rank_has_kernels)
{
    const struct source_launch *launch = findings->launch;
    unsigned missing = 0;

    if (!launch->complete)
        return; /* an incomplete launch has a note */
    if (launch->is_collective) {
        note_without_kernel(findings, rank_has_kernels);
        return;
    }
    if (!findings->detail.has_memory)
        missing |= METRIC_MEMORY_DETAIL;
    if (!findings->pipes.count)
        missing |= METRIC_TIMELINES;
    if (!findings->pc_samples.count)
        missing |= METRIC_PC_SAMPLING;
    if (!findings->detail.has_blocks)
        missing |= METRIC_SOURCE;
    note_each_reason(findings, missing & named_metrics(launch));
    note_nothing_counted(findings);
}
