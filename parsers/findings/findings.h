/* findings.h - one launch with all that was read out of its bytes, once, for everybody
 *
 * What the parsers share: counters, times and records as tables. What is odd in the
 * bytes is a note and does not stop the rest. */
#ifndef PARSERS_FINDINGS_FINDINGS_H
#define PARSERS_FINDINGS_FINDINGS_H

#include "lib/base/text.h"
#include "parsers/findings/findings_detail.h"
#include "parsers/metrics/measure.h"
#include "parsers/records/ai_cpu.h"
#include "parsers/records/live_registers.h"
#include "parsers/records/operands.h"
#include "parsers/records/pc_samples.h"
#include "parsers/records/pipe_timeline.h"
#include "parsers/records/pmu.h"
#include "parsers/records/region_map.h"
#include "parsers/records/scheduler_tasks.h"
#include "parsers/records/stamps.h"
#include "parsers/records/task_durations.h"
#include "parsers/records/warps.h"
#include "parsers/source/source.h"

struct findings {
    const struct source_launch *launch; /* borrowed */
    struct source_notes notes;
    struct pmu *pmu;
    size_t shared_passes; /* its first passes are those of like ranks: */
    uint32_t shared_by[PMU_PASSES_MAX];
    struct measure measure;
    struct task_durations durations; /* when the operator ran */
    struct scheduler_tasks tasks;    /* of the last pass that has a task log */
    struct stamps stamps;            /* what the kernel stamped, earlier launches too */
    struct ai_cpu ai_cpu;
    struct pipe_timeline pipes; /* of a 950, as are the next five */
    struct region_map regions;
    struct warps warps;
    struct pc_samples pc_samples;
    struct operands operands;
    struct live_registers registers;
    struct findings_detail detail; /* of instrumented launches */
    /* The timeline made of the above, as JSON; empty where there is nothing to show. */
    struct text trace;
};

void findings_read(struct findings *findings, const struct source_launch *launch);
void findings_clear(struct findings *findings);

#endif
