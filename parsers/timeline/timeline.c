#include "parsers/timeline/timeline.h"

#include "parsers/timeline/block_slices.h"
#include "parsers/timeline/communication_slices.h"
#include "parsers/timeline/pipe_slices.h"
#include "parsers/timeline/slice.h"
#include "parsers/timeline/stamp_slices.h"
#include "parsers/timeline/token_slices.h"

static bool has_user_stamps(const struct stamps *stamps)
{
    for (size_t i = 0; i < stamps->count; i++)
        if (stamps->rows[i].id >= STAMP_USER_FIRST)
            return true;
    return false;
}

bool timeline_has_data(const struct findings *findings)
{
    const struct op_info *info = &findings->launch->info;

    if (findings->pipes.count || findings->warps.count)
        return true;
    if (!info->ticks_khz || !pmu_row_count(findings->pmu))
        return false;
    if (findings->launch->tokens.experts && !findings->launch->as_vendor)
        return true;
    if (info->is_mc2 || info->is_lccl)
        return info->chip == CHIP_A2;
    return info->chip != CHIP_310P && has_user_stamps(&findings->stamps);
}

/* Lowers *least to `ticks`; 0 means that the time is unknown. */
static void lower_to(uint64_t *least, uint64_t ticks)
{
    if (ticks && ticks < *least)
        *least = ticks;
}

uint64_t timeline_origin(const struct findings *findings)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++)
        lower_to(&least, pmu_row(findings->pmu, i)->start_ticks);
    if (findings->durations.has_duration)
        lower_to(&least, findings->durations.start_ticks);
    if (findings->launch->info.is_mc2)
        lower_to(&least, findings->tasks.ai_cpu_start_ticks);
    return least == UINT64_MAX ? 0 : least;
}

/* Adds the AI Core task above the blocks. For a fused operator communication_slices.c
 * writes it among the other tasks. */
static void add_operator(struct trace_writer *trace,
                         const struct findings *findings,
                         const struct timeline_view *view)
{
    if (!findings->durations.has_duration)
        return;
    slice_add(trace, view,
              &(struct slice){
                  .pid = slice_pid(SLICE_AI_CORE),
                  .tid = "AI_CORE",
                  .name = "AI_CORE",
                  .start_ticks = findings->durations.start_ticks,
                  .end_ticks = findings->durations.end_ticks,
              });
}

/* Pipes replace blocks and stamps when they were recorded. */
static void add_cores(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view)
{
    if (findings->pipes.count) {
        pipe_slices_add(trace, findings, view);
        return;
    }
    if (!view->clock.ticks_khz)
        return;
    slice_process(trace, view, SLICE_AI_CORE);
    block_slices_add(trace, findings, view);
    stamp_slices_add(trace, findings, view);
    if (findings->launch->info.is_mc2)
        communication_slices_add(trace, findings, view);
    else
        add_operator(trace, findings, view);
    token_slices_add(trace, findings, view);
}

void timeline_add(struct trace_writer *trace,
                  const struct findings *findings,
                  const struct timeline_view *view)
{
    add_cores(trace, findings, view);
    warp_slices_add(trace, findings, view);
}

static void write_limit(struct json_write *json, uint64_t shortest_ns)
{
    json_write_key(json, "muster");
    json_write_object(json);
    json_write_key(json, "leftOutBelowUs");
    json_write_scaled(json, (int64_t)shortest_ns, 3);
    json_write_object_end(json);
}

/* Writes the document without slices below `shortest_ns`; returns how many it left out.
 */
static uint64_t
write_above(const struct findings *findings, uint64_t shortest_ns, struct text *out)
{
    struct timeline_view view = {
        .clock = {timeline_origin(findings), 0, findings->launch->info.ticks_khz},
        .label = "",
    };
    struct json_write json;
    struct trace_writer trace;
    struct err err;

    text_reset(out);
    json_write_to_text(&json, out);
    trace_writer_open_head(&trace, &json);
    trace.shortest = shortest_ns;
    if (shortest_ns)
        write_limit(&json, shortest_ns);
    trace_writer_open_list(&trace, true);
    timeline_add(&trace, findings, &view);
    trace_writer_close(&trace);
    json_write_finish(&json, &err); /* writing to memory cannot fail */
    if (!trace.events)
        text_reset(out);
    return trace.left_out;
}

void timeline_write(const struct findings *findings,
                    size_t most,
                    struct text *out,
                    struct timeline_cut *cut)
{
    enum { FIRST_NS = 100, FACTOR = 2 };

    *cut = (struct timeline_cut){0};
    write_above(findings, 0, out);
    while (out->length > most) {
        cut->shortest_ns = cut->shortest_ns ? cut->shortest_ns * FACTOR : FIRST_NS;
        cut->left_out = write_above(findings, cut->shortest_ns, out);
    }
}
