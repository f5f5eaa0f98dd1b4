#include "parsers/anomaly_report/report_json.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/anomaly_report/report_json_internal.h"

enum { TOP_WINDOWS = 10 };

struct top_windows {
    struct interval rows[TOP_WINDOWS];
    size_t count;
};

static void add_window(void *arg, enum gap_kind kind, int64_t start, int64_t end)
{
    struct top_windows *top = arg;
    size_t i;

    (void)kind;
    if (top->count < TOP_WINDOWS)
        top->count++;
    else if (top->rows[TOP_WINDOWS - 1].end - top->rows[TOP_WINDOWS - 1].start >=
             end - start)
        return;
    for (i = top->count - 1;
         i > 0 && top->rows[i - 1].end - top->rows[i - 1].start < end - start; i--)
        top->rows[i] = top->rows[i - 1];
    top->rows[i] = (struct interval){start, end};
}

static void write_device(struct json_write *json, const struct analysis *analysis)
{
    const struct bubbles *device = &analysis->device;
    struct top_windows top = {.count = 0};

    bubbles_each_gap(&analysis->busy.all, analysis->busy.start, analysis->busy.end, 1,
                     add_window, &top);
    json_write_object(json);
    json_put_ms(json, "capture_span_ms", device->service);
    json_put_ms(json, "device_busy_union_ms", device->busy);
    json_put_ms(json, "device_gap_ms", device->underfeed);
    json_put_ratio(json, "device_gap_ratio", bubbles_underfeed_ratio(device));
    json_put_ms(json, "largest_gap_ms", device->largest);
    json_write_key(json, "top_gap_windows");
    json_write_array(json);
    for (size_t i = 0; i < top.count; i++) {
        json_write_object(json);
        json_put_us(json, "start_us", top.rows[i].start);
        json_put_us(json, "end_us", top.rows[i].end);
        json_put_ms(json, "duration_ms", top.rows[i].end - top.rows[i].start);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_statistics(struct json_write *json, const struct step_group *group)
{
    for (enum group_metric metric = 0; metric < GROUP_METRIC_COUNT; metric++) {
        const struct group_statistics *values = &group->metrics[metric];
        const struct {
            const char *ending;
            double value;
        } rows[] = {
            {"avg", values->average},
            {"median", values->median},
            {"p90", values->p90},
            {"p95", values->p95},
        };

        for (size_t i = 0; i < COUNT(rows); i++) {
            char *key = xasprintf("%s_%s", group_metric_name(metric), rows[i].ending);

            json_put_ratio(json, key, rows[i].value);
            free(key);
        }
    }
}

static void
write_group(struct json_write *json, const struct analysis *analysis, size_t index)
{
    const struct step_group *group = &analysis->groups[index];

    json_write_object(json);
    json_put_group(json, "group_id", index);
    json_put_count(json, "group_size", group->count);
    write_statistics(json, group);
    json_put_text(json, "dominant_idle_pattern", idle_pattern_name(group->idle));
    json_put_tags(json, "dominant_anomaly_tags", group->tags);
    json_put_bool(json, "requires_followup", group->requires_followup);
    json_put_bool(json, "requires_host_followup", group->requires_host_followup);
    json_put_bool(json, "recurring_bubble_pattern", group->is_recurring);
    json_put_bool(json, "recurring_significant_pattern",
                  group->is_recurring_significant);
    json_put_bool(json, "hidden_issue_present", group->has_hidden_issue);
    json_put_text(json, "severity", severity_name(group->severity));
    json_put_text(json, "host_risk", severity_name(group->host_risk));
    json_write_key(json, "step_ids");
    json_write_array(json);
    for (size_t i = 0; i < group->count; i++)
        json_write_text(json, names_text(analysis->input->names,
                                         analysis->steps[group->steps[i]].window.name));
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_cause(struct json_write *json, const struct cause *cause)
{
    bool is_global = cause->group == CAUSE_GLOBAL;
    struct text text = {0};

    json_write_object(json);
    json_put_text(json, "label", label_name(cause->label));
    json_put_text(json, "confidence", confidence_name(cause->confidence));
    json_put_text(json, "scope", is_global ? "global" : "group");
    json_put_group(json, "target_id", is_global ? SIZE_MAX : (size_t)cause->group);
    json_write_key(json, "evidence");
    json_write_array(json);
    text_printf(&text, "share of examined idle time %.6f", cause->share);
    json_write_text(json, text_get(&text));
    text_reset(&text);
    text_printf(&text, "total %.6f ms", ns_to_ms(cause->total));
    json_write_text(json, text_get(&text));
    text_reset(&text);
    text_printf(&text, "weighted ratios: host %.6f, sync %.6f, comm %.6f",
                cause->host_mean, cause->sync_mean, cause->comm_mean);
    json_write_text(json, text_get(&text));
    json_write_array_end(json);
    json_write_object_end(json);
    text_clear(&text);
}

/* The labels of a step, by falling time of their gaps. */
static void write_step_labels(struct json_write *json, const struct step *step)
{
    bool written[LABEL_COUNT] = {false};

    json_write_key(json, "soft_root_cause_labels");
    json_write_array(json);
    for (;;) {
        enum label best = LABEL_COUNT;

        for (enum label label = 0; label < LABEL_COUNT; label++)
            if (!written[label] && step->label_time[label] > 0 &&
                (best == LABEL_COUNT ||
                 step->label_time[label] > step->label_time[best]))
                best = label;
        if (best == LABEL_COUNT)
            break;
        written[best] = true;
        json_write_text(json, label_name(best));
    }
    json_write_array_end(json);
}

static void write_inventory(struct json_write *json,
                            const struct analysis *analysis,
                            const struct step *step)
{
    json_put_count(json, "total_kernel_count", step->window.count);
    json_put_count(json, "ai_core_count", step->class_counts[UNIT_CORE]);
    json_put_count(json, "ai_cpu_count", step->class_counts[UNIT_AICPU]);
    json_put_count(json, "hccl_count", step->class_counts[UNIT_COMM]);
    json_put_ms(json, "kernel_duration_sum_ms", step->kernel_sum);
    json_put_ms(json, "kernel_wait_sum_ms", step->total_cost - step->kernel_sum);
    json_put_ms(json, "total_cost_ms", step->total_cost);
    json_put_count(json, "stream_count", step->stream_count);
    json_write_key(json, "distinct_streams");
    json_write_streams(json, analysis, step);
    json_put_ratio(json, "comm_total_ms", step->comm_times.elapse_ms);
    json_put_ratio(json, "comm_transit_ms", step->comm_times.transit_ms);
    json_put_ratio(json, "comm_wait_ms", step->comm_times.wait_ms);
    json_put_ratio(json, "comm_sync_ms", step->comm_times.sync_ms);
    json_put_ratio(json, "comm_idle_ms", step->comm_times.idle_ms);
}

static void
write_step(struct json_write *json, const struct analysis *analysis, size_t index)
{
    const struct step *step = &analysis->steps[index];
    const struct bubbles *bubbles = &step->bubbles;
    const struct step_window *window = &step->window;

    json_write_object(json);
    json_put_text(json, "step_id", names_text(analysis->input->names, window->name));
    json_put_group(json, "group_id", step->group);
    json_put_text(json, "step_source", step_source_name(analysis->windows.source));
    json_put_us(json, "start_us", window->start);
    json_put_us(json, "end_us", window->end);
    if (analysis->windows.source == STEP_SOURCE_MARKER) {
        json_put_us(json, "marker_end_us", window->marker_end);
        if (index + 1 == analysis->step_count && window->marker_end > window->end)
            json_put_ms(json, "marker_tail_ms", window->marker_end - window->end);
    }
    json_put_ms(json, "service_ms", bubbles->service);
    json_put_ms(json, "device_busy_union_ms", bubbles->busy);
    json_put_ms(json, "underfeed_ms", bubbles->underfeed);
    json_put_ratio(json, "underfeed_ratio", bubbles_underfeed_ratio(bubbles));
    json_put_ms(json, "prelaunch_gap_ms", bubbles->prelaunch);
    json_put_ms(json, "tail_gap_ms", bubbles->tail);
    json_put_ms(json, "internal_bubble_total_ms", bubbles->internal);
    json_put_ms(json, "largest_internal_bubble_ms", bubbles->largest);
    json_put_count(json, "bubble_count", bubbles->count);
    json_put_count(json, "significant_bubble_count", step->significant_count);
    json_put_ms(json, "significant_bubble_total_ms", step->significant_total);
    json_put_ms(json, "compute_busy_union_ms", step->compute);
    json_put_ms(json, "comm_busy_union_ms", step->comm);
    json_put_ms(json, "overlap_ms", step->overlap);
    json_put_ms(json, "comm_not_overlapped_ms", step->comm - step->overlap);
    if (step->copy >= 0) {
        json_put_ms(json, "device_copy_ms", step->copy);
        json_put_ms(json, "device_copy_alone_ms", step->copy_alone);
    }
    write_inventory(json, analysis, step);
    json_put_tags(json, "anomaly_tags", step->tags);
    write_step_labels(json, step);
    json_put_text(json, "severity", severity_name(step->severity));
    json_write_object_end(json);
}

static void write_recommendation(struct json_write *json,
                                 const struct recommendation *row)
{
    char priority[] = {'P', (char)('0' + row->priority % 10), '\0'};

    json_write_object(json);
    json_put_text(json, "scope", row->scope);
    json_put_text(json, "target_id", row->target);
    json_put_text(json, "text", row->text);
    json_put_bool(json, "followup_required", row->followup_required);
    json_put_text(json, "evidence_gap", row->evidence_gap);
    json_put_text(json, "priority", priority);
    json_write_object_end(json);
}

/* Writes each line of the text as an element. */
static void write_lines(struct json_write *json, const struct text *lines)
{
    const char *at = text_get(lines);

    json_write_array(json);
    while (*at) {
        size_t length = strcspn(at, "\n");

        json_write_bytes(json, at, length);
        at += length + (at[length] == '\n');
    }
    json_write_array_end(json);
}

static void write_end(struct json_write *json, int64_t rank)
{
    json_write_key(json, "tool");
    json_write_object(json);
    json_put_text(json, "name", "muster");
    json_put_text(json, "version", MUSTER_VERSION);
    json_put_count(json, "rank", (uint64_t)rank);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_lists(struct json_write *json, const struct analysis *analysis)
{
    json_write_key(json, "step_group_anomalies");
    json_write_array(json);
    for (size_t i = 0; i < analysis->group_count; i++)
        write_group(json, analysis, i);
    json_write_array_end(json);
    json_write_key(json, "bubble_windows");
    json_write_gaps(json, analysis);
    json_write_key(json, "wait_anchor_ops");
    json_write_anchors(json, analysis);
    json_write_key(json, "soft_root_cause_summary");
    json_write_array(json);
    for (size_t i = 0; i < analysis->cause_count; i++)
        write_cause(json, &analysis->causes[i]);
    json_write_array_end(json);
}

void report_json_write(struct json_write *json, const struct analysis *analysis)
{
    const struct rank_input *input = analysis->input;

    json_write_object(json);
    json_put_bool(json, "enabled", true);
    json_put_group(json, "dominant_group_id", 0);
    json_write_key(json, "global_device_gap_analysis");
    write_device(json, analysis);
    write_lists(json, analysis);
    json_put_bool(json, "requires_host_followup", analysis->requires_host_followup);
    json_put_text(json, "confidence", confidence_name(analysis->confidence));
    json_write_key(json, "steps");
    json_write_array(json);
    for (size_t i = 0; i < analysis->step_count; i++)
        write_step(json, analysis, i);
    json_write_array_end(json);
    json_write_key(json, "structures");
    json_write_structures(json, analysis);
    json_write_key(json, "ops");
    json_write_ops(json, analysis, false);
    json_write_key(json, "aicpu_ops");
    json_write_ops(json, analysis, true);
    json_write_key(json, "host_ops");
    json_write_host_ops(json, analysis);
    json_write_key(json, "recommendations");
    json_write_array(json);
    for (size_t i = 0; i < analysis->recommendation_count; i++)
        write_recommendation(json, &analysis->recommendations[i]);
    json_write_array_end(json);
    json_write_key(json, "inventory");
    json_write_object(json);
    json_put_count(json, "rows_read", input->kernels.rows_read);
    json_put_count(json, "rows_skipped", input->kernels.rows_skipped);
    json_put_count(json, "kernels", input->kernels.count);
    json_put_count(json, "duplicates", analysis->busy.duplicates);
    json_put_count(json, "comm_shadows", analysis->busy.shadows);
    json_put_count(json, "from_comm_json", analysis->busy.from_comm_json);
    json_put_count(json, "unassigned_kernels", analysis->windows.unassigned);
    json_write_object_end(json);
    json_write_key(json, "evidence_gaps");
    write_lines(json, &analysis->evidence_gaps);
    json_write_key(json, "limitations");
    write_lines(json, &input->limitations);
    write_end(json, input->rank);
}

void report_json_write_disabled(struct json_write *json,
                                int64_t rank,
                                const char *reason)
{
    static const char *const arrays[] = {"step_group_anomalies", "bubble_windows",
                                         "wait_anchor_ops", "soft_root_cause_summary"};

    json_write_object(json);
    json_put_bool(json, "enabled", false);
    json_put_text(json, "dominant_group_id", NULL);
    json_write_key(json, "global_device_gap_analysis");
    json_write_object(json);
    json_put_ms(json, "capture_span_ms", 0);
    json_put_ms(json, "device_busy_union_ms", 0);
    json_put_ms(json, "device_gap_ms", 0);
    json_put_ratio(json, "device_gap_ratio", 0);
    json_put_ms(json, "largest_gap_ms", 0);
    json_write_key(json, "top_gap_windows");
    json_write_array(json);
    json_write_array_end(json);
    json_write_object_end(json);
    for (size_t i = 0; i < COUNT(arrays); i++) {
        json_write_key(json, arrays[i]);
        json_write_array(json);
        json_write_array_end(json);
    }
    json_put_bool(json, "requires_host_followup", true);
    json_put_text(json, "confidence", confidence_name(CONFIDENCE_LOW));
    json_write_key(json, "limitations");
    json_write_array(json);
    json_write_text(json, reason);
    json_write_array_end(json);
    write_end(json, rank);
}
