#include "parsers/anomaly/analysis.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"
#include "parsers/anomaly/templates.h"

static int compare_ends(const void *a, const void *b, void *rows)
{
    const struct kernel *left = (struct kernel *)rows + *(const size_t *)a;
    const struct kernel *right = (struct kernel *)rows + *(const size_t *)b;

    if (left->end != right->end)
        return left->end < right->end ? -1 : 1;
    return left < right ? -1 : left > right;
}

static size_t *sort_by_end(const struct kernel_list *kernels)
{
    size_t *places = xcalloc(kernels->count + 1, sizeof(*places));

    for (size_t i = 0; i < kernels->count; i++)
        places[i] = i;
    qsort_r(places, kernels->count, sizeof(*places), compare_ends, kernels->rows);
    return places;
}

/* Finds the marked layer of each kernel by the start of the kernel. */
static uint32_t *find_layer_marks(const struct rank_input *input)
{
    const struct trace_view *trace = &input->trace;
    uint32_t *marks;
    size_t at = 0;

    if (trace->launch_count == 0)
        return NULL;
    marks = xcalloc(input->kernels.count + 1, sizeof(*marks));
    for (size_t i = 0; i < input->kernels.count; i++) {
        while (at < trace->launch_count &&
               trace->launches[at].start < input->kernels.rows[i].start)
            at++;
        if (at < trace->launch_count &&
            trace->launches[at].start == input->kernels.rows[i].start)
            marks[i] = trace->launches[at].layer + 1;
    }
    return marks;
}

static bool has_shapes(const struct kernel_list *kernels)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->rows[i].shapes)
            return true;
    return false;
}

/* The capture lasts from the first to the last event of the host or the device. */
static void find_span(struct analysis *analysis)
{
    const struct trace_view *trace = &analysis->input->trace;

    analysis->start = analysis->busy.start;
    analysis->end = analysis->busy.end;
    if (!trace->has_host)
        return;
    if (trace->host_start < analysis->start)
        analysis->start = trace->host_start;
    if (trace->host_end > analysis->end)
        analysis->end = trace->host_end;
}

static void list_evidence_gaps(struct analysis *analysis)
{
    const struct rank_input *input = analysis->input;
    const struct {
        bool applies;
        const char *text;
    } gaps[] = {
        {!input->has_trace, "no_host_trace"},
        {!analysis->has_stacks, "no_call_stacks"},
        {!analysis->has_shapes, "no_shapes"},
        {!input->has_comm, "no_communication_json"},
        {analysis->step_count == 1, "single_step"},
        {analysis->windows.unassigned > 0, "kernels_before_the_first_step"},
    };

    text_add(&analysis->evidence_gaps, "");
    for (size_t i = 0; i < COUNT(gaps); i++)
        if (gaps[i].applies)
            text_printf(&analysis->evidence_gaps, "%s\n", gaps[i].text);
}

struct analysis *analysis_create(struct rank_input *input)
{
    struct analysis *analysis = xcalloc(1, sizeof(*analysis));

    analysis->input = input;
    device_busy_find(&analysis->busy, input);
    bubbles_measure(&analysis->device, &analysis->busy.all, analysis->busy.start,
                    analysis->busy.end);
    step_windows_find(&analysis->windows, input);
    find_span(analysis);
    analysis->has_shapes = has_shapes(&input->kernels);
    analysis->has_stacks =
        input->info.with_stack >= 0 ? input->info.with_stack : input->trace.has_stacks;
    analysis->evidence = host_evidence_create(input->has_trace ? &input->trace : NULL);
    analysis->tokens = template_tokens(&input->kernels);
    analysis->layer_marks = find_layer_marks(input);
    analysis->by_end = sort_by_end(&input->kernels);
    analysis->step_count = analysis->windows.count;
    analysis->steps = xcalloc(analysis->step_count, sizeof(*analysis->steps));
    for (size_t i = 0; i < analysis->step_count; i++)
        analysis->steps[i].window = analysis->windows.rows[i];
    analysis_find_gaps(analysis);
    analysis_measure_steps(analysis);
    analysis_group_steps(analysis);
    analysis_decide(analysis);
    analysis_find_causes(analysis);
    analysis_recommend(analysis);
    list_evidence_gaps(analysis);
    return analysis;
}

void analysis_destroy(struct analysis *analysis)
{
    if (!analysis)
        return;
    for (size_t i = 0; i < analysis->step_count; i++) {
        ops_clear(&analysis->steps[i].ops);
        structures_clear(&analysis->steps[i].structures);
    }
    for (size_t i = 0; i < analysis->group_count; i++)
        free(analysis->groups[i].steps);
    for (size_t i = 0; i < analysis->recommendation_count; i++)
        free(analysis->recommendations[i].target);
    free(analysis->steps);
    free(analysis->gaps);
    free(analysis->tops);
    free(analysis->groups);
    free(analysis->causes);
    free(analysis->recommendations);
    free(analysis->tokens);
    free(analysis->layer_marks);
    free(analysis->by_end);
    text_clear(&analysis->evidence_gaps);
    host_evidence_destroy(analysis->evidence);
    step_windows_clear(&analysis->windows);
    device_busy_clear(&analysis->busy);
    free(analysis);
}

const char *severity_name(enum severity severity)
{
    static const char *const names[] = {"none", "low", "medium", "high"};

    return names[severity];
}

const char *confidence_name(enum confidence confidence)
{
    static const char *const names[] = {"low", "medium", "high"};

    return names[confidence];
}

const char *idle_pattern_name(enum idle_pattern idle)
{
    static const char *const names[] = {
        [IDLE_NONE] = "none",
        [IDLE_PRELAUNCH] = "prelaunch",
        [IDLE_TAIL] = "tail",
        [IDLE_INTERNAL] = "internal_bubble",
        [IDLE_INTER_STEP] = "inter_step",
        [IDLE_MIXED] = "mixed",
    };

    return names[idle];
}

const char *group_metric_name(enum group_metric metric)
{
    static const char *const names[] = {
        [METRIC_SERVICE] = "service_ms",
        [METRIC_BUSY] = "device_busy_union_ms",
        [METRIC_UNDERFEED_RATIO] = "underfeed_ratio",
        [METRIC_PRELAUNCH] = "prelaunch_gap_ms",
        [METRIC_TAIL] = "tail_gap_ms",
        [METRIC_INTERNAL] = "internal_bubble_total_ms",
        [METRIC_LARGEST] = "largest_internal_bubble_ms",
    };

    return names[metric];
}

const char *gap_scope(const struct gap *gap)
{
    static const char *const names[] = {
        [GAP_PRELAUNCH] = "prelaunch",
        [GAP_INTERNAL] = "step_internal",
        [GAP_TAIL] = "tail",
    };

    return names[gap->kind];
}
