#include "parsers/findings/missing_metrics.h"

#include "parsers/findings/findings.h"

static const char *reason_of(const struct source_launch *launch, unsigned metric)
{
    if (metric == METRIC_PIPE_TIMELINE)
        return launch->info.is_mc2 || launch->info.is_lccl || launch->barriers.count > 0
                   ? "the pipes of a kernel that communicates with other ranks are not "
                     "recorded"
                   : "the first six cores sent no records";
    if (metric == METRIC_PC_SAMPLING && !launch->info.has_simt)
        return "the kernel does not run as threads (SIMT)";
    if (metric == METRIC_PC_SAMPLING)
        return "the first six cores sent no samples";
    return launch->info.is_mc2 || launch->info.is_lccl || launch->barriers.count > 0
               ? "a kernel that communicates with other ranks cannot be instrumented"
               : "the instrumented kernel did not run to its end";
}

/* The launch that a metric needs has no data of it. */
static void note(struct findings *findings, unsigned metric, const char *name)
{
    if (findings->launch->metrics & metric)
        source_note(&findings->notes, true, SOURCE_NO_BLOCK,
                    "metric '%s' is missing: %s; remove it from profile.metrics or "
                    "measure another kernel",
                    name, reason_of(findings->launch, metric));
}

/* KernelScale counts nothing in a kernel without MetricsProfStart. */
static void note_nothing_counted(struct findings *findings)
{
    const struct pmu *pmu = findings->pmu;
    uint64_t cycles = 0;

    if (!(findings->launch->metrics & METRIC_KERNEL_SCALE))
        return;
    for (size_t i = 0; i < pmu_row_count(pmu); i++)
        cycles += pmu_row(pmu, i)->cycles;
    if (cycles == 0)
        source_note(&findings->notes, true, SOURCE_NO_BLOCK,
                    "metric 'KernelScale' counted nothing: the kernel marks no part "
                    "with MetricsProfStart and MetricsProfStop; mark one, or remove "
                    "the metric");
}

void missing_metrics_note(struct findings *findings)
{
    const struct source_launch *launch = findings->launch;

    if (!launch->complete || launch->is_collective)
        return; /* an incomplete launch has a note; a collective has no kernel */
    if (!findings->detail.has_memory)
        note(findings, METRIC_MEMORY_DETAIL, "MemoryDetail");
    if (!findings->pipes.count) {
        note(findings, METRIC_PIPE_TIMELINE, "PipeTimeline");
        note(findings, METRIC_INSTR_TIMELINE, "InstrTimeline");
    }
    if (!findings->pc_samples.count)
        note(findings, METRIC_PC_SAMPLING, "PcSampling");
    if (!findings->detail.has_blocks)
        note(findings, METRIC_SOURCE, "Source");
    note_nothing_counted(findings);
}
