#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly_report/gap_text.h"
#include "parsers/anomaly_report/part_times.h"
#include "parsers/anomaly_report/report_json_internal.h"
#include "parsers/block_side/block_side.h"

static void put_share(struct json_write *json,
                      const char *key,
                      const struct structure *row,
                      enum unit_class class)
{
    json_put_ratio(json, key,
                   row->kernel_sum > 0
                       ? (double)row->class_sums[class] / (double)row->kernel_sum
                       : 0);
}

static void put_kernels(struct json_write *json,
                        const char *key,
                        const struct analysis *analysis,
                        const struct top_kernels *top)
{
    const struct kernel_list *kernels = &analysis->input->kernels;

    json_write_key(json, key);
    json_write_array(json);
    for (size_t i = 0; i < top->count; i++) {
        const struct kernel *kernel = &kernels->rows[top->rows[i]];

        json_write_object(json);
        json_put_text(json, "name", names_text(kernels->names, kernel->name));
        json_put_us(json, "duration_us", kernel_duration(kernel));
        json_put_us(json, "wait_us", kernel->wait);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* Writes the four clocks, and for the parts of the dominant step the rest. */
static void write_clocks(struct json_write *json,
                         const char *key,
                         const struct analysis *analysis,
                         const struct kernel_clocks *clocks,
                         bool in_full)
{
    char words[64];

    block_side_interpret(clocks, words);
    json_write_key(json, key);
    json_write_object(json);
    json_put_count(json, "kernel_count", clocks->count);
    json_put_ms(json, "wall_ms", clocks->wall);
    json_put_ms(json, "busy_union_ms", clocks->busy);
    json_put_ms(json, "kernel_sum_ms", clocks->kernel_sum);
    json_put_ms(json, "total_cost_ms", clocks->total_cost);
    json_put_text(json, "interpretation", words);
    if (in_full && clocks->count > 0) {
        json_put_text(json, "dominant_task_type",
                      names_text(analysis->input->names, clocks->unit));
        json_write_key(json, "dominant_stream");
        if (clocks->stream >= 0)
            json_write_i64(json, clocks->stream);
        else
            json_write_null(json);
        json_put_ms(json, "internal_bubble_total_ms", clocks->bubbles.internal);
        json_put_ms(json, "largest_internal_bubble_ms", clocks->bubbles.largest);
        json_put_count(json, "bubble_count", clocks->bubbles.count);
        put_kernels(json, "top_kernels_by_duration", analysis, &clocks->durations);
        put_kernels(json, "top_kernels_by_total_cost", analysis, &clocks->costs);
        put_kernels(json, "wait_heavy_kernels", analysis, &clocks->waits);
        json_put_count(json, "wait_heavy_count", clocks->wait_heavy_count);
    }
    json_write_object_end(json);
}

static void write_sides(struct json_write *json,
                        const struct analysis *analysis,
                        const struct step *step,
                        const struct structure *row)
{
    bool in_full = step == &analysis->steps[analysis->groups[0].steps[0]];
    struct block_side sides;

    block_side_measure(&sides, &analysis->input->kernels,
                       step->structures.kernels + row->first, row->count,
                       step->main_stream);
    write_clocks(json, "block", analysis, &sides.block, in_full);
    write_clocks(json, "side", analysis, &sides.side, in_full);
    json_put_ratio(json, "comm_overlap_ratio", sides.comm_overlap);
    json_put_ms(json, "block_side_apart_ms", sides.apart);
}

static void write_structure(struct json_write *json,
                            const struct analysis *analysis,
                            const struct step *step,
                            size_t index)
{
    const struct structure *row = &step->structures.rows[index];
    int64_t gap = part_gap_before(analysis, step, index);
    struct text type = {0}, id = {0};

    structure_add_type(&type, row);
    gap_text_structure(&id, row);
    json_write_object(json);
    json_put_text(json, "step_id",
                  names_text(analysis->input->names, step->window.name));
    json_put_text(json, "structure_id", text_get(&id));
    json_put_text(json, "structure_type", text_get(&type));
    json_put_text(json, "method", structure_method_name(step->structures.method));
    json_put_count(json, "kernel_count", row->count);
    json_put_bool(json, "ends_pass", row->ends_pass);
    json_put_us(json, "start_us", row->start);
    json_put_us(json, "end_us", row->end);
    json_put_ms(json, "wall_ms", row->end - row->start);
    json_put_ms(json, "device_busy_union_ms", row->busy);
    json_put_ms(json, "kernel_sum_ms", row->kernel_sum);
    json_put_ms(json, "total_cost_ms", row->total_cost);
    put_share(json, "ai_core_pct", row, UNIT_CORE);
    put_share(json, "ai_cpu_pct", row, UNIT_AICPU);
    put_share(json, "hccl_pct", row, UNIT_COMM);
    json_put_ratio(json, "structure_share",
                   step->bubbles.service > 0
                       ? (double)(row->end - row->start) / (double)step->bubbles.service
                       : 0);
    json_put_ms(json, "inside_gap_ms", row->end - row->start - row->busy);
    json_put_ms(json, "inter_structure_gap_ms", gap);
    write_sides(json, analysis, step, row);
    json_put_bool(json, "has_leading_gap",
                  gap > 0 && gap >= bubbles_significant_ns(step->bubbles.service));
    json_write_object_end(json);
    text_clear(&type);
    text_clear(&id);
}

void json_write_structures(struct json_write *json, const struct analysis *analysis)
{
    json_write_array(json);
    for (size_t i = 0; i < analysis->step_count; i++)
        for (size_t j = 0; j < analysis->steps[i].structures.count; j++)
            write_structure(json, analysis, &analysis->steps[i], j);
    json_write_array_end(json);
}
