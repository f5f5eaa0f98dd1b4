/* analysis.h - the findings in a capture of one rank: steps, gaps, groups of steps,
 * causes
 *
 * A gap is a fact; its labels are possible causes. Times are in ns. */
#ifndef PARSERS_ANOMALY_ANALYSIS_H
#define PARSERS_ANOMALY_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/anomaly/device_busy.h"
#include "parsers/anomaly/host_evidence.h"
#include "parsers/anomaly/labels.h"
#include "parsers/anomaly/ops.h"
#include "parsers/anomaly/rank_input.h"
#include "parsers/anomaly/steps.h"
#include "parsers/anomaly/structures.h"
#include "parsers/anomaly/tags.h"
#include "parsers/busy_time/bubbles.h"

enum severity { SEVERITY_NONE, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };
enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* A gap that is long enough to be examined. */
struct gap {
    int64_t start, end;
    enum gap_kind kind;
    size_t step;
    unsigned number; /* within its step, from 1 */
    struct host_share share;
    unsigned labels;  /* bits of enum label */
    bool is_boundary; /* at the start or end of the capture, maybe an artefact */
    /* Kernels that end last before the gap: places in by_end; and that start first
     * after it: places in the list of kernels. Several when they tie. */
    size_t previous, previous_count, next, next_count;
};

struct step {
    struct step_window window;
    struct bubbles bubbles;
    int64_t compute, comm, overlap; /* busy with computation, communication, both */
    /* Copies by the device, and those outside of both; -1: there is no trace. */
    int64_t copy, copy_alone;
    size_t significant_count;
    int64_t significant_total;
    size_t first_gap, gap_count; /* in the gaps of the analysis */
    size_t class_counts[UNIT_CLASS_COUNT];
    int64_t kernel_sum, total_cost; /* durations; durations and waits */
    size_t stream_count;
    struct comm_times comm_times; /* of communication.json, or sums of the rows */
    struct ops ops;
    struct structures structures;
    int32_t main_stream;             /* of computation; -1: none */
    unsigned tags;                   /* bits of enum tag */
    int64_t label_time[LABEL_COUNT]; /* of the gaps with this label */
    double host_mean, sync_mean;     /* shares, weighted by the length of the gaps */
    uint64_t template_hash, shape_hash;
    size_t group;
    enum severity severity;
};

enum group_metric {
    METRIC_SERVICE,
    METRIC_BUSY,
    METRIC_UNDERFEED_RATIO,
    METRIC_PRELAUNCH,
    METRIC_TAIL,
    METRIC_INTERNAL,
    METRIC_LARGEST,
    GROUP_METRIC_COUNT,
};

/* In ms; the ratio in 0..1. */
struct group_statistics {
    double average, median, p90, p95;
};

enum idle_pattern {
    IDLE_NONE,
    IDLE_PRELAUNCH,
    IDLE_TAIL,
    IDLE_INTERNAL,
    IDLE_INTER_STEP,
    IDLE_MIXED,
};

/* Steps with the same sequence of kernels. */
struct step_group {
    size_t *steps; /* by time */
    size_t count;
    struct group_statistics metrics[GROUP_METRIC_COUNT];
    bool is_recurring;             /* 60 % of the steps have a gap */
    bool is_recurring_significant; /* with examined gaps at a stable position */
    enum idle_pattern idle;
    unsigned tags;
    bool has_hidden_issue;
    enum severity severity;
    enum severity host_risk; /* low, medium or high */
    bool requires_followup, requires_host_followup;
    int64_t service_total, gap_total, label_time[LABEL_COUNT];
    double host_mean, sync_mean, comm_mean;
};

enum { CAUSE_GLOBAL = -1 };
/* A possible cause of the idle time of a group, or of all groups. */
struct cause {
    enum label label;
    long group;   /* or CAUSE_GLOBAL */
    double share; /* of the examined idle time */
    int64_t total;
    enum confidence confidence;
    double host_mean, sync_mean, comm_mean;
};

struct recommendation {
    const char *scope; /* global, step_group, structure, side or op */
    char *target;      /* "" for global */
    const char *text;
    bool followup_required;
    const char *evidence_gap; /* or NULL */
    unsigned priority;        /* 0 is the most urgent */
};

struct analysis {
    struct rank_input *input; /* borrowed */
    struct device_busy busy;
    struct bubbles device; /* of the whole capture */
    struct step_windows windows;
    struct host_evidence *evidence;
    uint32_t *tokens;      /* per kernel */
    uint32_t *layer_marks; /* per kernel: its marked layer, from 1; NULL: no marks */
    size_t *by_end;        /* kernels by their end */
    int64_t start, end;    /* of the capture, with the events of the host */
    struct step *steps;
    size_t step_count;
    struct gap *gaps; /* by time */
    size_t gap_count;
    struct host_top *tops;     /* per gap */
    struct step_group *groups; /* by service time, longest first */
    size_t group_count;
    struct cause *causes;
    size_t cause_count;
    struct recommendation *recommendations;
    size_t recommendation_count;
    struct text evidence_gaps; /* one per line */
    bool has_shapes, has_stacks;
    bool requires_host_followup;
    enum confidence confidence;
};

/* Marks shadows and removes duplicates in the input, and borrows it. */
struct analysis *analysis_create(struct rank_input *input);
void analysis_destroy(struct analysis *analysis); /* NULL is allowed */

const char *severity_name(enum severity severity);
const char *confidence_name(enum confidence confidence);
const char *idle_pattern_name(enum idle_pattern idle);
const char *group_metric_name(enum group_metric metric);
const char *gap_scope(const struct gap *gap);
/* Returns the part of the step that contains the gap, or NULL: it is between two parts.
 */
const struct structure *analysis_structure_of(const struct analysis *analysis,
                                              const struct gap *gap);
/* Returns the places of the gaps, longest first. The caller frees them. */
size_t *analysis_longest_gaps(const struct analysis *analysis);

static inline double ns_to_ms(int64_t ns)
{
    return (double)ns / 1e6;
}

#endif
