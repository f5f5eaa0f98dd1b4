#include "parsers/timeline/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/base/decimal.h"
#include "parsers/code/code_map.h"
#include "parsers/records/mark_names.h"
#include "parsers/timeline/slice.h"

uint64_t slice_ns(const struct timeline_view *view, uint64_t ticks)
{
    unsigned __int128 ns = ticks - view->clock.origin_ticks;

    ns = (ns * 1000000 + view->clock.ticks_khz / 2) / view->clock.ticks_khz +
         view->clock.origin_ns;
    return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

static const char *
labelled(const struct timeline_view *view, const char *pid, char out[SLICE_NAME_BYTES])
{
    if (!view->label[0])
        return pid;
    snprintf(out, SLICE_NAME_BYTES, "%s%s", view->label, pid);
    return out;
}

static void add(struct trace_writer *trace,
                const struct timeline_view *view,
                const struct slice_slice *slice)
{
    char pid[SLICE_NAME_BYTES];

    trace_writer_slice(trace, &(struct trace_writer_slice){
                                  .pid = labelled(view, slice->pid, pid),
                                  .tid = slice->tid,
                                  .name = slice->name,
                                  .colour = slice->colour,
                                  .start_ns = slice_ns(view, slice->start_ticks),
                                  .end_ns = slice_ns(view, slice->end_ticks),
                                  .args = slice->args,
                                  .record = slice->record,
                              });
}

void slice_add(struct trace_writer *trace,
               const struct timeline_view *view,
               const struct slice_slice *slice)
{
    if (slice->start_ticks >= view->clock.origin_ticks &&
        slice->end_ticks > slice->start_ticks)
        add(trace, view, slice);
}

void slice_add_instant(struct trace_writer *trace,
                       const struct timeline_view *view,
                       const struct slice_slice *slice)
{
    if (slice->start_ticks >= view->clock.origin_ticks)
        add(trace, view, slice);
}

void slice_add_track(struct trace_writer *trace,
                     const struct timeline_view *view,
                     const char *pid,
                     const char *tid,
                     int sort)
{
    char label[SLICE_NAME_BYTES];

    trace_writer_lane(
        trace, &(struct trace_writer_lane){labelled(view, pid, label), tid, sort});
}

const char *slice_pid(enum slice_process process)
{
    static const char *const pids[] = {
        [SLICE_AI_CORE] = "AI CORE", [SLICE_AI_CPU] = "AI CPU",
        [SLICE_HCCL] = "HCCL",       [SLICE_HCCL_TASK] = "HCCL TASK",
        [SLICE_BLOCK] = "BLOCK",
    };

    return pids[process];
}

void slice_process(struct trace_writer *trace,
                   const struct timeline_view *view,
                   enum slice_process process)
{
    enum { PROCESSES = SLICE_BLOCK + 1 };
    char label[SLICE_NAME_BYTES];
    const char *pid = labelled(view, slice_pid(process), label);

    if (view->label[0])
        trace_writer_process(trace, pid, pid, (int)(view->place * PROCESSES + process));
}

void slice_arg_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void slice_arg_u64(struct json_write *json, const char *key, uint64_t value)
{
    char digits[DECIMAL_INT_ROOM];

    json_write_key(json, key);
    json_write_bytes(json, digits, decimal_put_u64(digits, value));
}

void slice_arg_hex(struct json_write *json, const char *key, uint64_t value)
{
    char digits[DECIMAL_INT_ROOM];

    json_write_key(json, key);
    json_write_bytes(json, digits, decimal_put_hex(digits, value));
}

void slice_arg_fixed(struct json_write *json, const char *key, double value)
{
    char digits[DECIMAL_FIXED_ROOM];
    size_t length = isfinite(value) ? decimal_put_fixed(digits, value, 6) : 0;

    json_write_key(json, key);
    json_write_bytes(json, digits, length);
}

static const struct mark_names *marks_of(const struct findings *findings)
{
    return findings->launch->info.is_mc2 ? NULL : findings->launch->marks;
}

const char *slice_mark_name(const struct findings *findings, uint32_t id)
{
    const struct mark_names *marks = marks_of(findings);

    return marks ? mark_names_find(marks, id) : NULL;
}

bool slice_hides_blocks(const struct findings *findings)
{
    const struct mark_names *marks = marks_of(findings);

    return marks && marks->hides_blocks;
}

/* Innermost first, a line each. */
void slice_arg_code(struct json_write *json,
                    const struct findings *findings,
                    uint64_t address)
{
    enum { FRAMES_MAX = 16 };
    struct code_map *map = findings->detail.code;
    struct code_frame frames[FRAMES_MAX];
    struct text stack = {0};
    size_t count;

    if (!map)
        return;
    count = code_map_find(map, address, frames, FRAMES_MAX);
    for (size_t i = 0; i < count && i < FRAMES_MAX; i++)
        if (frames[i].file)
            text_printf(&stack, "%s%s:%" PRIu32, stack.length ? "\n" : "",
                        frames[i].file, frames[i].line);
    if (stack.length)
        slice_arg_text(json, "code", text_get(&stack));
    text_clear(&stack);
}

static bool has_user_stamps(const struct stamps *stamps)
{
    for (size_t i = 0; i < stamps->count; i++)
        if (stamps->rows[i].id >= STAMP_USER_FIRST)
            return true;
    return false;
}

bool timeline_is_there(const struct findings *findings)
{
    const struct op_info *info = &findings->launch->info;

    if (findings->pipes.count || findings->warps.count)
        return true;
    if (!info->ticks_khz || !pmu_row_count(findings->pmu))
        return false;
    if (info->is_mc2 || info->is_lccl)
        return info->chip == CHIP_A2;
    return info->chip != CHIP_310P && has_user_stamps(&findings->stamps);
}

static void take_smaller(uint64_t *least, uint64_t ticks)
{
    if (ticks && ticks < *least)
        *least = ticks;
}

uint64_t timeline_origin(const struct findings *findings)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++)
        take_smaller(&least, pmu_row(findings->pmu, i)->start_ticks);
    if (findings->log.has_duration)
        take_smaller(&least, findings->log.start_ticks);
    if (findings->launch->info.is_mc2)
        take_smaller(&least, findings->tasks.ai_cpu_start_ticks);
    return least == UINT64_MAX ? 0 : least;
}

/* Of an operator that is not fused the task itself is the one slice above its blocks;
 * of a fused one it stands among the tasks. */
static void add_operator(struct trace_writer *trace,
                         const struct findings *findings,
                         const struct timeline_view *view)
{
    if (!findings->log.has_duration)
        return;
    slice_add(trace, view,
              &(struct slice_slice){
                  .pid = slice_pid(SLICE_AI_CORE),
                  .tid = "AI_CORE",
                  .name = "AI_CORE",
                  .start_ticks = findings->log.start_ticks,
                  .end_ticks = findings->log.end_ticks,
              });
}

/* Pipes stand in the place of stamps; warps beside either. */
static void add_cores(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view)
{
    if (findings->pipes.count) {
        pipes_add(trace, findings, view);
        return;
    }
    if (!view->clock.ticks_khz)
        return;
    slice_process(trace, view, SLICE_AI_CORE);
    block_slices_add(trace, findings, view);
    stamps_add(trace, findings, view);
    if (findings->launch->info.is_mc2)
        communication_slices_add(trace, findings, view);
    else
        add_operator(trace, findings, view);
}

void timeline_add(struct trace_writer *trace,
                  const struct findings *findings,
                  const struct timeline_view *view)
{
    add_cores(trace, findings, view);
    warps_add(trace, findings, view);
}

static void write_facts(struct json_write *json, uint64_t shortest_ns)
{
    json_write_key(json, "muster");
    json_write_object(json);
    json_write_key(json, "leftOutBelowUs");
    json_write_scaled(json, (int64_t)shortest_ns, 3);
    json_write_object_end(json);
}

/* Once, without the slices below `shortest_ns`. */
static uint64_t
write_once(const struct findings *findings, uint64_t shortest_ns, struct text *out)
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
    trace.shortest_ns = shortest_ns;
    if (shortest_ns)
        write_facts(&json, shortest_ns);
    trace_writer_open_list(&trace, true);
    timeline_add(&trace, findings, &view);
    trace_writer_close(&trace);
    json_write_finish(&json, &err); /* a text takes all */
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
    write_once(findings, 0, out);
    while (out->length > most) {
        cut->shortest_ns = cut->shortest_ns ? cut->shortest_ns * FACTOR : FIRST_NS;
        cut->left_out = write_once(findings, cut->shortest_ns, out);
    }
}
