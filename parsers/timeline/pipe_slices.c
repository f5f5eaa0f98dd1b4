/* pipe_slices.c - active times of the pipes and warps of a 950
 *
 * Their times are AI Core cycles from the start of a separate recording. No relation to
 * device ticks is known, so these slices start at the start of the launch. */
#include "parsers/timeline/pipe_slices.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/records/core_container.h"

static const char *pipe_colour(unsigned pipe)
{
    static const char *const names[PIPES] = {
        [PIPE_SCALAR] = "startup",
        [PIPE_VECTOR] = "rail_idle",
        [PIPE_CUBE] = "rail_response",
        [PIPE_MTE1] = "thread_state_iowait",
        [PIPE_MTE2] = "yellow",
        [PIPE_MTE3] = "rail_animation",
        [PIPE_FIXP] = "thread_state_unknown",
    };

    return names[pipe];
}

static uint64_t cycles_ns(const struct findings *findings, uint64_t cycles)
{
    uint32_t mhz = op_info_clock_mhz(&findings->launch->info);
    unsigned __int128 ns = ((unsigned __int128)cycles * 1000 + mhz / 2) / mhz;

    return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

/* Data for the "args" of an instruction. */
struct instruction {
    const struct region *region; /* from the compiler's map */
    const struct findings *findings;
};

static void instruction_args(struct json_write *json, const void *record)
{
    struct slice_args out = {json, true};
    const struct instruction *instruction = record;

    slice_arg_code(&out, instruction->findings, instruction->region->pc);
    slice_arg_pc(&out,
                 instruction->findings->launch->pc_start + instruction->region->pc);
}

static void name_span(const struct pipe_span *span,
                      const struct region *region,
                      char name[SLICE_NAME_BYTES])
{
    static const char *const numbered[] = {[PIPE_MARK] = "MarkStamp",
                                           [PIPE_REGION] = "Region",
                                           [PIPE_INSTRUCTION] = "Instr"};

    if (span->kind == PIPE_BUSY)
        snprintf(name, SLICE_NAME_BYTES, "%s", pipe_name((enum pipe)span->pipe));
    else if (region)
        snprintf(name, SLICE_NAME_BYTES, "%s", region->opcode);
    else
        snprintf(name, SLICE_NAME_BYTES, "%s%u", numbered[span->kind],
                 (unsigned)span->id);
}

void pipe_slices_add(struct trace_writer *trace,
                     const struct findings *findings,
                     const struct timeline_view *view)
{
    for (size_t i = 0; i < findings->pipes.count; i++) {
        const struct pipe_span *span = &findings->pipes.spans[i];
        uint64_t length =
            span->kind == PIPE_MARK ? 1 : span->end_cycle - span->start_cycle;
        char name[SLICE_NAME_BYTES], channel[32], pid[SLICE_NAME_BYTES];
        struct instruction instruction = {NULL, findings};

        if (span->kind == PIPE_INSTRUCTION)
            instruction.region =
                region_map_find(&findings->regions, (enum pipe)span->pipe, span->id);
        core_channel_name(channel, span->channel);
        snprintf(pid, sizeof(pid), "%s%s", view->label, channel);
        name_span(span, instruction.region, name);
        trace_writer_slice(
            trace, &(struct trace_writer_slice){
                       .pid = pid,
                       .tid = pipe_name((enum pipe)span->pipe),
                       .name = name,
                       .colour_name = instruction.region ? trace_writer_colour(
                                                               instruction.region->kind)
                                                         : pipe_colour(span->pipe),
                       .start = cycles_ns(findings, span->start_cycle),
                       .end = cycles_ns(findings, span->start_cycle + length),
                       .args = instruction.region ? instruction_args : NULL,
                       .record = &instruction,
                   });
    }
}

static void warp_args(struct json_write *json, const void *record)
{
    struct slice_args out = {json, true};
    const struct warp *warp = record;

    slice_arg_u64(&out, "block_id", warp->place);
    slice_arg_u64(&out, "core_id", warp->core);
    slice_arg_text(&out, "core_type", warp_core_kind_name(warp->kind));
    slice_arg_u64(&out, "warp_id", warp->warp);
}

/* Returns the first cycle of any warp on the same core. The trace shows this cycle at
 * the start of its first slice. */
static uint64_t first_cycle(const struct warps *warps, const struct warp *reference)
{
    uint64_t first = reference->start_cycle;

    for (size_t i = 0; i < warps->count; i++) {
        const struct warp *warp = &warps->rows[i];

        if (warp->core == reference->core && warp->kind == reference->kind &&
            warp->start_cycle < first)
            first = warp->start_cycle;
    }
    return first;
}

void warp_slices_add(struct trace_writer *trace,
                     const struct findings *findings,
                     const struct timeline_view *view)
{
    const struct warps *warps = &findings->warps;
    uint64_t first = 0, origin_ns = trace->events ? trace->first : 0;

    for (size_t i = 0; i < warps->count; i++) {
        const struct warp *warp = &warps->rows[i];
        char pid[SLICE_NAME_BYTES], tid[32], name[32];

        if (i == 0 || warp->core != warp[-1].core || warp->kind != warp[-1].kind)
            first = first_cycle(warps, warp);
        snprintf(pid, sizeof(pid), "%swarp.core%" PRIu32 ".%s", view->label, warp->core,
                 warp_core_kind_name(warp->kind));
        snprintf(tid, sizeof(tid), "Warp %u", (unsigned)warp->warp);
        snprintf(name, sizeof(name), "Warp_%u", (unsigned)warp->warp);
        if (i == 0 || warp->place != warp[-1].place || warp->core != warp[-1].core)
            trace_writer_track(trace,
                               &(struct trace_writer_track){pid, tid, warp->warp});
        trace_writer_slice(
            trace,
            &(struct trace_writer_slice){
                .pid = pid,
                .tid = tid,
                .name = name,
                .colour = warp->warp,
                .start = origin_ns + cycles_ns(findings, warp->start_cycle - first),
                .end = origin_ns + cycles_ns(findings, warp->end_cycle - first),
                .args = warp_args,
                .record = warp,
            });
    }
}
