#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"
#include "parsers/block_side/block_side.h"

enum { TOP_OPS = 10 };

static const uint64_t hash_start = 0xcbf29ce484222325u; /* FNV-1a */

static uint64_t hash_add(uint64_t hash, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        hash = (hash ^ (value >> (8 * i) & 0xff)) * 0x100000001b3u;
    return hash;
}

static int compare_streams(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return left < right ? -1 : left > right;
}

static size_t count_streams(const struct kernel_list *kernels,
                            const struct step_window *window)
{
    int32_t *streams = xcalloc(window->count + 1, sizeof(*streams));
    size_t used = 0, count = 0;

    for (size_t i = 0; i < window->count; i++)
        if (kernels->rows[window->first + i].stream >= 0)
            streams[used++] = kernels->rows[window->first + i].stream;
    qsort(streams, used, sizeof(*streams), compare_streams);
    for (size_t i = 0; i < used; i++)
        count += i == 0 || streams[i] != streams[i - 1];
    free(streams);
    return count;
}

static void count_kernels(struct step *step, const struct analysis *analysis)
{
    const struct kernel_list *kernels = &analysis->input->kernels;

    step->template_hash = step->shape_hash = hash_start;
    for (size_t i = 0; i < step->window.count; i++) {
        size_t place = step->window.first + i;
        const struct kernel *kernel = &kernels->rows[place];

        step->class_counts[kernel->unit_class]++;
        if (kernel->is_shadow)
            continue;
        step->kernel_sum += kernel_duration(kernel);
        step->total_cost += kernel_duration(kernel) + kernel->wait;
        step->template_hash = hash_add(step->template_hash, analysis->tokens[place]);
        step->shape_hash = hash_add(step->shape_hash, kernel->shapes);
    }
}

/* Returns true when communication.json lists the operator in this step. */
static bool is_in_step(const struct rank_input *input,
                       const struct comm_op *op,
                       const struct step *step,
                       enum step_source source)
{
    const char *name = names_text(input->names, op->step);

    if (source == STEP_SOURCE_PSEUDO)
        return true;
    return strncmp(name, "step", 4) == 0 &&
           strcmp(name + 4, names_text(input->names, step->window.name)) == 0;
}

/* Adds the collectives of communication.json, or the durations of their rows. */
static void add_comm_times(struct step *step, const struct analysis *analysis)
{
    const struct rank_input *input = analysis->input;
    struct comm_times *sum = &step->comm_times;

    for (size_t i = 0; i < input->comm.count; i++) {
        const struct comm_op *op = &input->comm.rows[i];

        if (!is_in_step(input, op, step, analysis->windows.source))
            continue;
        sum->elapse_ms += op->times.elapse_ms;
        sum->transit_ms += op->times.transit_ms;
        sum->wait_ms += op->times.wait_ms;
        sum->sync_ms += op->times.sync_ms;
        sum->idle_ms += op->times.idle_ms;
    }
    for (size_t i = 0; !input->has_comm && i < step->window.count; i++) {
        const struct kernel *kernel = &input->kernels.rows[step->window.first + i];

        if (kernel->unit_class == UNIT_COMM && !kernel->is_shadow)
            sum->elapse_ms += ns_to_ms(kernel_duration(kernel));
    }
}

static void measure_copies(struct step *step, const struct analysis *analysis)
{
    const struct intervals *copies = host_evidence_copies(analysis->evidence);
    const struct step_window *window = &step->window;

    step->copy = step->copy_alone = -1;
    if (!analysis->input->has_trace)
        return;
    step->copy = intervals_cover(copies, window->start, window->end);
    step->copy_alone = step->copy - intervals_shared(copies, &analysis->busy.work,
                                                     window->start, window->end);
}

static void measure(struct step *step, const struct analysis *analysis)
{
    const struct device_busy *busy = &analysis->busy;
    const struct step_window *window = &step->window;

    bubbles_measure(&step->bubbles, &busy->all, window->start, window->end);
    step->compute = intervals_cover(&busy->compute, window->start, window->end);
    step->comm = intervals_cover(&busy->comm, window->start, window->end);
    step->overlap =
        intervals_shared(&busy->compute, &busy->comm, window->start, window->end);
    measure_copies(step, analysis);
    step->stream_count = count_streams(&analysis->input->kernels, window);
    count_kernels(step, analysis);
    add_comm_times(step, analysis);
    ops_collect(&step->ops, analysis->input, busy, window->first, window->count,
                step->bubbles.service);
    structures_find(&step->structures, &analysis->input->kernels, analysis->tokens,
                    analysis->layer_marks, window->first, window->count);
    step->main_stream =
        block_side_main_stream(&analysis->input->kernels, step->structures.kernels,
                               step->structures.kernel_count);
}

static double known(double share)
{
    return isnan(share) ? 0 : share;
}

static void sum_gaps(struct step *step, const struct analysis *analysis)
{
    double host = 0, sync = 0;

    step->significant_count = step->gap_count;
    for (size_t i = 0; i < step->gap_count; i++) {
        const struct gap *gap = &analysis->gaps[step->first_gap + i];
        int64_t length = gap->end - gap->start;

        step->significant_total += length;
        host += known(gap->share.host) * (double)length;
        sync += known(gap->share.sync) * (double)length;
        for (enum label label = 0; label < LABEL_COUNT; label++)
            if (gap->labels & 1u << label)
                step->label_time[label] += length;
    }
    if (step->significant_total > 0) {
        step->host_mean = host / (double)step->significant_total;
        step->sync_mean = sync / (double)step->significant_total;
    }
}

static bool has_comm_risk(const struct step *step)
{
    int64_t labelled = step->label_time[LABEL_COMM];

    return (labelled > 0 && labelled * 5 >= step->significant_total &&
            labelled >= bubbles_heavy_ns(step->bubbles.service)) ||
           (step->comm_times.wait_ms > 0 &&
            step->comm_times.wait_ms * 10 >= ns_to_ms(step->bubbles.service));
}

static unsigned tags_of_ops(const struct step *step)
{
    unsigned tags = 0;

    for (size_t i = 0; i < step->ops.count; i++) {
        const struct op *op = &step->ops.rows[i];

        if (op->is_anchor)
            tags |= 1u << TAG_WAIT_ANCHOR_FALSE_HOTSPOT;
        if (op->is_polluted && op->cost_rank <= TOP_OPS)
            tags |= 1u << TAG_WAIT_POLLUTION_RISK;
        if (op->aicpu == AICPU_EXPOSED || (op->aicpu == AICPU_PARTLY_EXPOSED &&
                                           op->exposed * 100 >= step->bubbles.service))
            tags |= 1u << TAG_AICPU_EXPOSED_RISK;
    }
    return tags;
}

static bool has_boundary_gap(const struct step *step, const struct analysis *analysis)
{
    for (size_t i = 0; i < step->gap_count; i++)
        if (analysis->gaps[step->first_gap + i].is_boundary)
            return true;
    return false;
}

/* Returns true when the capture began inside of the step: the step begins with the
 * capture and has far fewer or more kernels than the next one. */
static bool is_cut(const struct step *step, const struct analysis *analysis)
{
    size_t kernels = step->window.count, other;

    if (analysis->windows.source == STEP_SOURCE_PSEUDO)
        return true;
    if (step != analysis->steps || analysis->step_count < 2 ||
        step->window.start - analysis->start > (analysis->end - analysis->start) / 100)
        return false;
    other = step[1].window.count;
    return kernels * 10 < other * 8 || kernels * 10 > other * 12;
}

static unsigned tags_of_step(const struct step *step, const struct analysis *analysis)
{
    unsigned tags = tags_of_bubbles(&step->bubbles) | tags_of_ops(step);
    bool underfed = tags_is_underfed(&step->bubbles) && step->significant_count >= 2;

    if (underfed && (step->host_mean >= 0.10 || step->sync_mean >= 0.20))
        tags |= 1u << TAG_HOST_ORIGINATED_RISK;
    if (underfed && (!analysis->input->has_trace || step->host_mean < 0.05))
        tags |= 1u << TAG_UNTRACED_HOST_BLOCKING_RISK;
    if (has_comm_risk(step))
        tags |= 1u << TAG_COMM_SYNC_RISK;
    if (has_boundary_gap(step, analysis) || is_cut(step, analysis))
        tags |= 1u << TAG_PARTIAL_CAPTURE_BOUNDARY;
    return tags;
}

void analysis_measure_steps(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->step_count; i++) {
        struct step *step = &analysis->steps[i];

        measure(step, analysis);
        sum_gaps(step, analysis);
        step->tags = tags_of_step(step, analysis);
    }
}
