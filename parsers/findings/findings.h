/* findings.h - all data of one launch: counters, times, records and instrumentation
 *
 * The bytes are read once, and all parsers use the result. Damaged bytes become notes
 * and do not stop the reader. */
#ifndef PARSERS_FINDINGS_FINDINGS_H
#define PARSERS_FINDINGS_FINDINGS_H

#include "lib/base/text.h"
#include "parsers/findings/findings_detail.h"
#include "parsers/findings/rank_times.h"
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
#include "parsers/records/task_log.h"
#include "parsers/records/warps.h"
#include "parsers/source/source.h"

struct range_figures;

struct findings {
    const struct source_launch *launch; /* borrowed */
    struct source_notes notes;
    struct pmu *pmu;
    size_t shared_passes; /* the first passes of `pmu`, executed by other ranks: */
    uint32_t shared_by[PMU_PASSES_MAX];
    struct measure measure;
    struct task_durations durations; /* start and end of the operator */
    struct task_durations plain;     /* likewise, in the execution without counters */
    struct scheduler_tasks tasks;    /* of the last pass that has a task log */
    struct stamps stamps;            /* time stamps, including earlier launches */
    struct ai_cpu ai_cpu;
    struct rank_times rank_times; /* of a launch of several ranks */
    struct pipe_timeline pipes;   /* this and the next five: 950 only */
    struct region_map regions;
    struct warps warps;
    struct pc_samples pc_samples;
    struct operands operands;
    struct live_registers registers;
    struct findings_detail detail;     /* of instrumented launches */
    const struct range_figures *range; /* borrowed; NULL unless it is a range */
    /* the timeline of the launch as JSON; empty when it has no slices */
    struct text trace;
};

void findings_read(struct findings *findings, const struct source_launch *launch);
void findings_clear(struct findings *findings);

#endif
