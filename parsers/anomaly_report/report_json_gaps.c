#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly_report/gap_text.h"
#include "parsers/anomaly_report/report_json_internal.h"

enum { GAPS_MAX = 200, ANCHORS_MAX = 20 };

static void write_line(struct json_write *json, struct text *line)
{
    json_write_bytes(json, text_get(line), line->length);
    text_reset(line);
}

struct evidence {
    struct json_write *json;
    const char *side;
};

static void write_kernel_line(void *arg,
                              const struct analysis *analysis,
                              const struct kernel *kernel)
{
    struct evidence *evidence = arg;
    const struct names *names = analysis->input->names;
    struct text line = {0};

    text_printf(&line, "%s:%s|%s|%.3f|stream ", evidence->side,
                names_text(names, kernel->name), names_text(names, kernel->unit),
                (double)kernel_duration(kernel) / 1000);
    if (kernel->stream >= 0)
        text_printf(&line, "%d", (int)kernel->stream);
    else
        text_add(&line, "N/A");
    write_line(evidence->json, &line);
    text_clear(&line);
}

static void
write_kernel(void *arg, const struct analysis *analysis, const struct kernel *kernel)
{
    struct evidence *evidence = arg;
    struct json_write *json = evidence->json;
    const struct names *names = analysis->input->names;

    json_write_object(json);
    json_put_text(json, "name", names_text(names, kernel->name));
    json_put_text(json, "task_type", names_text(names, kernel->unit));
    json_put_us(json, "duration_us", kernel_duration(kernel));
    json_write_key(json, "stream");
    if (kernel->stream >= 0)
        json_write_i64(json, kernel->stream);
    else
        json_write_null(json);
    json_write_object_end(json);
}

static void write_host_lines(struct json_write *json,
                             const struct analysis *analysis,
                             const struct host_top *top)
{
    struct text line = {0};

    for (size_t i = 0; i < top->count; i++) {
        text_printf(&line, "host:%s|%.3f",
                    names_text(analysis->input->names, top->rows[i].name),
                    (double)top->rows[i].overlap / 1000);
        write_line(json, &line);
    }
    text_clear(&line);
}

/* Names of the arrays of neighbours, before and after. */
static const char *const sides[] = {"next", "prev"};
static const char *const arrays[] = {"next_kernels", "prev_kernels"};

static void write_structure(struct json_write *json,
                            const struct analysis *analysis,
                            const struct gap *gap)
{
    const struct structure *structure = analysis_structure_of(analysis, gap);
    struct text id = {0};

    if (structure)
        gap_text_structure(&id, structure);
    json_put_text(json, "structure_id", structure ? text_get(&id) : NULL);
    json_put_text(json, "relation",
                  gap->kind != GAP_INTERNAL ? "edge"
                  : structure               ? "inside"
                                            : "between");
    text_clear(&id);
}

static void
write_gap(struct json_write *json, const struct analysis *analysis, size_t place)
{
    const struct gap *gap = &analysis->gaps[place];
    const struct step *step = &analysis->steps[gap->step];
    struct text text = {0};

    json_write_object(json);
    gap_text_id(&text, analysis, gap);
    json_put_text(json, "bubble_id", text_get(&text));
    json_put_text(json, "scope", gap_scope(gap));
    json_put_text(json, "step_id",
                  names_text(analysis->input->names, step->window.name));
    json_put_group(json, "group_id", step->group);
    json_put_us(json, "start_us", gap->start);
    json_put_us(json, "end_us", gap->end);
    json_put_ms(json, "duration_ms", gap->end - gap->start);
    json_put_labels(json, "candidate_labels", gap->labels);
    json_put_ratio(json, "host_visible_coverage_ratio", gap->share.host);
    json_put_ratio(json, "sync_marker_overlap_ratio", gap->share.sync);
    json_put_ratio(json, "comm_marker_overlap_ratio", gap->share.comm);
    json_write_key(json, "evidence_ops");
    json_write_array(json);
    for (int before = 1; before >= 0; before--) {
        struct evidence evidence = {json, sides[before]};

        gap_text_each_neighbour(analysis, gap, before, write_kernel_line, &evidence);
    }
    write_host_lines(json, analysis, &analysis->tops[place]);
    json_write_array_end(json);
    json_put_tags(json, "tags",
                  gap->is_boundary ? 1u << TAG_PARTIAL_CAPTURE_BOUNDARY : 0);
    write_structure(json, analysis, gap);
    for (int before = 1; before >= 0; before--) {
        struct evidence evidence = {json, sides[before]};

        json_write_key(json, arrays[before]);
        json_write_array(json);
        gap_text_each_neighbour(analysis, gap, before, write_kernel, &evidence);
        json_write_array_end(json);
    }
    json_put_ratio(json, "host_parallelism", gap->share.parallelism);
    json_put_ratio(json, "leaf_host_coverage_ratio", gap->share.leaf);
    json_put_ratio(json, "device_copy_overlap_ratio", gap->share.copy);
    json_put_ratio(json, "device_wait_overlap_ratio", gap->share.wait);
    json_write_object_end(json);
    text_clear(&text);
}

void json_write_gaps(struct json_write *json, const struct analysis *analysis)
{
    size_t *places = analysis_longest_gaps(analysis);

    json_write_array(json);
    for (size_t i = 0; i < analysis->gap_count && i < GAPS_MAX; i++)
        write_gap(json, analysis, places[i]);
    json_write_array_end(json);
    free(places);
}

/* Returns the gap that ends where the kernel starts, or NULL. */
static const struct gap *
gap_before(const struct analysis *analysis, const struct step *step, int64_t start)
{
    for (size_t i = 0; i < step->gap_count; i++)
        if (analysis->gaps[step->first_gap + i].end == start)
            return &analysis->gaps[step->first_gap + i];
    return NULL;
}

static void write_anchor(struct json_write *json,
                         const struct analysis *analysis,
                         const struct step *step,
                         const struct op *op)
{
    const struct names *names = analysis->input->names;
    const struct kernel *kernel = &analysis->input->kernels.rows[op->anchor];
    const struct gap *gap = gap_before(analysis, step, kernel->start);
    double calls = (double)op->calls;
    struct text text = {0};

    json_write_object(json);
    json_put_text(json, "op_name", names_text(names, op->name));
    json_put_ratio(json, "duration_us_avg", (double)op->duration / calls / 1000);
    json_put_ratio(json, "wait_us_avg", (double)op->wait / calls / 1000);
    json_put_ratio(json, "total_cost_us_avg",
                   (double)(op->duration + op->wait) / calls / 1000);
    json_put_ratio(json, "wait_ratio", op_wait_ratio(op));
    json_put_bool(json, "is_false_hotspot_risk", op->is_anchor);
    text_printf(&text, "step %s", names_text(names, step->window.name));
    json_put_text(json, "location", text_get(&text));
    json_write_key(json, "evidence");
    json_write_array(json);
    for (int before = 1; gap && before >= 0; before--) {
        struct evidence evidence = {json, sides[before]};

        gap_text_each_neighbour(analysis, gap, before, write_kernel_line, &evidence);
    }
    json_write_array_end(json);
    json_put_text(json, "step_id", names_text(names, step->window.name));
    json_put_count(json, "total_cost_rank", op->cost_rank);
    json_put_count(json, "call_count", op->calls);
    if (gap) {
        text_reset(&text);
        gap_text_id(&text, analysis, gap);
        json_put_text(json, "bubble_id", text_get(&text));
    }
    json_write_object_end(json);
    text_clear(&text);
}

/* First the anchors, then up to 20 rows with other operators that mostly wait. */
void json_write_anchors(struct json_write *json, const struct analysis *analysis)
{
    size_t written = 0;

    json_write_array(json);
    for (int anchors = 1; anchors >= 0; anchors--)
        for (size_t i = 0; i < analysis->step_count; i++)
            for (size_t j = 0; j < analysis->steps[i].ops.count; j++) {
                const struct step *step = &analysis->steps[i];
                const struct op *op = &step->ops.rows[j];

                if (op->is_anchor != anchors ||
                    (!anchors && (op_wait_ratio(op) <= 0.95 || written >= ANCHORS_MAX)))
                    continue;
                write_anchor(json, analysis, step, op);
                written++;
            }
    json_write_array_end(json);
}
